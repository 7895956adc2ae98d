// The tool 'Move joints': drag a handle, and the joint above it turns so that the handle follows the pointer.

import { Color, Vector3 } from 'three';
import { element } from '../../ui/dom';
import { tickText } from '../curves/view';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';
import { Handle, handlesOf, jointOf, placeOfHandle, shiftedControls } from './joints';
import { DotOverlay } from './overlay';
import { turnToward } from './turn';

const kReach = 14, kPriority = 20, kHoldsPerSecond = 60;  // pixels; over selecting; as the display draws
const kTurn = ['rx', 'ry', 'rz'], kShift = ['tx', 'ty', 'tz'];
const kAbout = 'Drag a joint: the bone above it turns after the pointer, and lets go with the pointer. Alt: it stays held. G: moves instead of turning.';

interface Drag {
  handle: Handle;
  node: string;        ///< whose controls are held
  channels: string[];
  values: (target: Vector3) => Vector3;
  aims?: boolean;      ///< the server finds the values: of a rig's own controls, whatever they mean
  from: Vector3;       ///< scene space
  offset: Vector3;     ///< from the pointer's place to the handle's
  target: Vector3;     ///< where the handle is wanted
}

export class MoveJoints implements Tool {
  readonly id = 'joints';
  readonly title = 'Move joints';
  readonly icon = panelIcons.joints;
  readonly key = 'j';
  readonly about = kAbout;
  private readonly overlay = new DotOverlay();
  private readonly label = element('div', { class: 'stage-label', hidden: true });
  private handles: Handle[] = [];
  private places: (Vector3 | null)[] = [];
  private revision = -1;
  private hovered: Handle | null = null;
  private drag: Drag | null = null;
  private moves = false;  ///< G is pressed
  private stops: (() => void)[] = [];
  private colors = { joint: new Color(), line: new Color(), strong: new Color(), held: new Color() };
  private readonly sending: Throttle<Record<string, number | null>>;
  private readonly aiming: Throttle<object>;

  constructor(private readonly studio: Studio) {
    this.sending = new Throttle(kHoldsPerSecond, (values) => studio.stream('hold joint', 'controls.hold', { values }));
    this.aiming = new Throttle(kHoldsPerSecond, (aim) => studio.stream('hold joint', 'controls.aim', aim));
    studio.onTheme(({ name }) => {
      const dark = name === 'dark';
      this.colors = { joint: new Color(dark ? '#9cc4ff' : '#2f6fd0'), line: new Color(dark ? '#9cc4ff' : '#2f6fd0'),
                      strong: new Color(dark ? '#ffb066' : '#e0661a'), held: new Color(dark ? '#ff8f4a' : '#d55e00') };
      this.draw();
    });
  }

  active(on: boolean): void {
    for (const stop of this.stops) stop();
    this.stops = [];
    if (this.drag) this.release(false);
    this.hovered = null;
    this.label.hidden = true;
    this.label.remove();
    if (!on) return this.studio.stage.invalidate();
    const { stage, store } = this.studio;
    const key = (event: KeyboardEvent) => {  // before the page's own keys
      if (event.key.toLowerCase() !== 'g' || (event.target as HTMLElement).matches('input, select')) return;
      this.moves = event.type === 'keydown';
      event.stopPropagation();
    };
    addEventListener('keydown', key, { capture: true });
    addEventListener('keyup', key, { capture: true });
    stage.host.append(this.label);
    this.revision = -1;
    this.stops = [stage.addOverlay(this.overlay), stage.onPointer((kind, event) => this.point(kind, event), kPriority),
                  stage.onFrame(() => this.draw()), store.on('controls', () => this.draw()),
                  () => { removeEventListener('keydown', key, { capture: true }); removeEventListener('keyup', key, { capture: true }); }];
    this.draw();
    if (this.handles.length === 0) this.studio.say('note', 'This character has no joints with controls to turn: pull its surface instead (P).');
  }

  private draw(): void {
    const { stage } = this.studio, { model } = stage;
    if (this.stops.length === 0 || !model) return;
    if (model.revision !== this.revision || this.handles.length === 0) {
      this.revision = model.revision;
      this.handles = handlesOf(this.studio);
    }
    this.places = this.handles.map((handle) => placeOfHandle(this.studio, handle));
    const held = new Set(this.studio.store.get('controls')?.controls.filter((control) => control.held !== null).map(({ node }) => node));
    const strong = this.drag?.handle ?? this.hovered, { colors } = this;
    const dots = this.handles.flatMap((handle, i) => {
      const at = this.places[i];
      return at ? [{ at, strong: handle === strong, color: handle === strong ? colors.strong : held.has(handle.turns ?? handle.joint) ? colors.held : colors.joint }] : [];
    });
    const lines = this.handles.flatMap((handle, i) => {
      const from = handle.turns ? stage.worldOf(handle.turns) : null, to = this.places[i];
      return from && to ? [{ from, to, color: handle === strong ? colors.strong : colors.line }] : [];
    });
    const grabbed = this.drag && this.places[this.handles.indexOf(this.drag.handle)];
    if (this.drag && grabbed) lines.push({ from: grabbed, to: this.drag.target, color: colors.strong });
    this.overlay.show(dots, lines);
    stage.invalidate();
  }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    if (kind === 'drag') { this.move(event); return true; }
    if (kind === 'up') { this.release(event.altKey); return true; }
    const handle = kind === 'leave' ? null : this.nearest(event);
    if (kind === 'down') return !!handle && this.begin(handle, event);
    if (handle !== this.hovered) {
      this.hovered = handle;
      this.tell(event, handle && this.words(handle));
      this.draw();
    }
    return !!handle && kind === 'hover';
  }

  private words({ joint, turns }: Handle): string { return this.moves || !turns ? `Moves ${joint}` : `Turns ${turns}`; }

  private nearest({ clientX, clientY }: PointerEvent): Handle | null {
    let found: Handle | null = null, least = kReach;
    this.handles.forEach((handle, i) => {
      const place = this.places[i], screen = place && this.studio.stage.screenOf(place);
      const pixels = screen ? Math.hypot(screen.x - clientX, screen.y - clientY) : Infinity;
      if (pixels < least) { least = pixels; found = handle; }
    });
    return found;
  }

  private begin(handle: Handle, event: PointerEvent): boolean {
    const from = placeOfHandle(this.studio, handle);
    if (!from) return false;
    const offset = from.clone().sub(this.studio.stage.dragged(from, event));
    const drag = this.moves || !handle.turns ? this.shifting(handle, from) : this.turning(handle);
    this.drag = drag && { ...drag, handle, from, offset, target: from };
    return !!this.drag;
  }

  private turning(handle: Handle): Pick<Drag, 'node' | 'channels' | 'values' | 'aims'> | null {
    if (this.studio.stage.model?.file.kind === 'points')
      return { node: handle.turns!, channels: kTurn, values: (target) => target, aims: true };
    const joint = jointOf(this.studio, handle);
    return joint && { node: handle.turns!, channels: kTurn, values: (target) => turnToward(joint, target) };
  }

  private shifting({ joint }: Handle, from: Vector3): Pick<Drag, 'node' | 'channels' | 'values'> | null {
    const start = shiftedControls(this.studio, joint, from, from)?.start;
    const known = this.studio.store.get('controls')?.controls.some(({ name }) => name === `${joint}.tx`);
    return !start || !known ? null : { node: joint, channels: kShift,
      values: (target) => start.clone().add(shiftedControls(this.studio, joint, from, target)!.shift) };
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    const target = drag.target = this.studio.stage.dragged(drag.from, event).add(drag.offset), values = drag.values(target);
    if (drag.aims) {
      const { joint, beyond } = drag.handle;
      this.aiming.push({ joint: drag.node, handle: joint, target: target.toArray(), ...(beyond && { beyond: beyond.toArray() }) });
      this.tell(event, `Turns ${drag.node}${event.altKey ? '  stays held' : ''}`);
      return this.draw();
    }
    this.sending.push(Object.fromEntries(drag.channels.map((channel, i) => [`${drag.node}.${channel}`, values.getComponent(i)])));
    const unit = drag.channels === kTurn ? '°' : '';
    this.tell(event, `${drag.node}  ${values.toArray().map((value) => `${tickText(value, unit ? 1 : 0.01)}${unit}`).join('  ')}${event.altKey ? '  stays held' : ''}`);
    this.draw();
  }

  // Let go, the body follows with its inertia; held, the controls panel lists it.
  private release(keep: boolean): void {
    const { drag } = this;
    this.drag = null;
    this.label.hidden = true;
    if (drag && keep) (drag.aims ? this.aiming : this.sending).flush();
    else if (drag) {
      this.sending.drop();
      this.aiming.drop();
      this.studio.stream('hold joint', 'controls.hold', { values: Object.fromEntries(drag.channels.map((channel) => [`${drag.node}.${channel}`, null])) });
    }
    this.draw();
  }

  private tell(event: PointerEvent, text: string | null): void {
    this.label.hidden = !text;
    if (!text) return;
    const { left, top } = this.studio.stage.host.getBoundingClientRect();
    this.label.textContent = text;
    this.label.style.transform = `translate(${event.clientX - left + 16}px, ${event.clientY - top - 30}px)`;
  }
}
