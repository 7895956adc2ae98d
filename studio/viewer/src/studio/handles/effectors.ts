// The tool 'Full-body IK': hands, feet, hips, chest and head are dragged, and the whole body follows. The panel Body lists them.

import { Color, Vector3 } from 'three';
import { Mode } from '../../soft/split';
import { element } from '../../ui/dom';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';
import { DotOverlay } from './overlay';

const kReach = 18, kPriority = 20, kDragsPerSecond = 60;  // pixels; over selecting; as the display draws

interface Drag {
  effector: number;
  from: Vector3;    ///< scene space
  offset: Vector3;  ///< from the pointer's place to the effector's
  target: Vector3;
  moved: boolean;
}

export class Effectors implements Tool {
  readonly id = 'effectors';
  readonly title = 'Full-body IK';
  readonly icon = panelIcons.body;
  readonly key = 'u';
  readonly about = 'Drag a hand, a foot, the hips, the chest or the head: the body follows, and the pose stays as a key. A click pins an effector or frees it.';
  private readonly overlay = new DotOverlay();
  private readonly label = element('div', { class: 'stage-label', hidden: true });
  private readonly sending: Throttle<Drag>;
  private places: (Vector3 | null)[] = [];
  private hovered = -1;
  private drag: Drag | null = null;
  private before: Mode | null = null;
  private stops: (() => void)[] = [];
  private colors = { pinned: new Color(), free: new Color(), strong: new Color() };

  constructor(private readonly studio: Studio) {
    this.sending = new Throttle(kDragsPerSecond, ({ effector, target }) => studio.stream('effector', 'effectors.drag', { effector, target: target.toArray() }));
    studio.onTheme(({ name }) => {
      const dark = name === 'dark';
      this.colors = { pinned: new Color(dark ? '#9cc4ff' : '#2f6fd0'), free: new Color(dark ? '#8b93a1' : '#9aa3b2'), strong: new Color(dark ? '#ffb066' : '#e0661a') };
      this.draw();
    });
  }

  active(on: boolean): void {
    if (this.drag) this.end(false);
    for (const stop of this.stops) stop();
    this.stops = [];
    this.hovered = -1;
    this.label.hidden = true;
    this.label.remove();
    const { stage, store } = this.studio;
    if (!on) {
      if (this.before && stage.split.mode === 'single') stage.split.choose(this.before);
      this.before = null;
      return stage.invalidate();
    }
    this.before ??= stage.split.mode;
    stage.split.choose('single');  // one picture: the hand waits for half as much drawing
    this.studio.show('effectors');
    this.prepare();
    stage.host.append(this.label);
    this.stops = [stage.addOverlay(this.overlay), stage.onPointer((kind, event) => this.point(kind, event), kPriority), stage.onFrame(() => this.draw()),
                  store.on('effectors', () => { this.prepare(); this.draw(); }), store.on('play', () => this.draw())];
    this.draw();
  }

  /// Once for each character.
  private prepare(): void {
    const { store } = this.studio;
    if (store.get('file') && store.get('effectors')?.state === 'none') void this.studio.act('effectors.prepare');
  }

  private get list() { return this.studio.store.get('effectors')?.effectors ?? []; }

  private draw(): void {
    if (this.stops.length === 0) return;
    const { stage, store } = this.studio, { colors, drag } = this, strong = drag?.effector ?? this.hovered;
    this.places = store.get('play')?.playing ? [] : this.list.map(({ joint }) => stage.worldOf(joint));
    const dots = this.list.flatMap(({ pinned }, i) => {
      const at = this.places[i];
      return at ? [{ at, strong: i === strong, color: i === strong ? colors.strong : pinned ? colors.pinned : colors.free }] : [];
    });
    const at = drag && this.places[drag.effector];
    this.overlay.show(dots, drag && at ? [{ from: at, to: drag.target, color: colors.strong }] : []);
    stage.invalidate();
  }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    if (kind === 'drag') { this.move(event); return true; }
    if (kind === 'up') { this.end(event.type === 'pointerup'); return true; }
    const found = kind === 'leave' ? -1 : this.nearest(event);
    if (kind === 'down') return found >= 0 && this.begin(found, event);
    if (found !== this.hovered) {
      this.hovered = found;
      this.tell(event, found < 0 ? null : `${this.list[found].name}${this.list[found].pinned ? '' : ', free'}`);
      this.draw();
    }
    return found >= 0 && kind === 'hover';
  }

  private nearest({ clientX, clientY }: PointerEvent): number {
    let found = -1, least = kReach;
    this.places.forEach((place, i) => {
      const screen = place && this.studio.stage.screenOf(place);
      const pixels = screen ? Math.hypot(screen.x - clientX, screen.y - clientY) : Infinity;
      if (pixels < least) { least = pixels; found = i; }
    });
    return found;
  }

  private begin(effector: number, event: PointerEvent): boolean {
    const from = this.places[effector];
    if (!from) return false;
    this.drag = { effector, from: from.clone(), offset: from.clone().sub(this.studio.stage.dragged(from, event)), target: from.clone(), moved: false };
    return true;
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    drag.target = this.studio.stage.dragged(drag.from, event).add(drag.offset);
    drag.moved = true;
    this.sending.push(drag);
    this.tell(event, this.list[drag.effector]?.name ?? null);
    this.draw();
  }

  /// Let go in place it was a click: the effector is pinned, or free.
  private end(keep: boolean): void {
    const { drag } = this;
    this.drag = null;
    this.label.hidden = true;
    if (drag?.moved) {
      this.sending.drop();
      this.studio.stream('effector', 'effectors.end', { keep, effector: drag.effector, target: drag.target.toArray() });
    } else if (drag && keep) {
      void this.studio.act('effectors.pin', { effector: drag.effector, pinned: !this.list[drag.effector].pinned });
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
