// The tool 'Shape': places force templates on the skin, and pulls the skin where it should go. The panel Forces lists them.

import { Color, Vector3 } from 'three';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';
import { DotOverlay } from './overlay';

const kPriority = 20, kDragsPerSecond = 60;
const kTemplate = 'text/x-rigspace-template';

interface Hold {
  point: number;
  from: Vector3;    ///< where it was taken, scene space
  target: Vector3;  ///< where the pointer is
  moved: boolean;
}

export class Shape implements Tool {
  readonly id = 'forces';
  readonly title = 'Shape with forces';
  readonly icon = panelIcons.forces;
  readonly key = 'k';
  readonly about = 'Drop a template on the skin, or choose one and click; then pull the skin: the template’s numbers follow.';
  private readonly overlay = new DotOverlay();
  private readonly sending: Throttle<Hold>;
  private hold: Hold | null = null;
  private hover: Vector3 | null = null;
  private colors = { hand: new Color(), pin: new Color() };
  private stops: (() => void)[] = [];

  constructor(private readonly studio: Studio) {
    this.sending = new Throttle(kDragsPerSecond, ({ point, target }) => studio.stream('shape', 'forces.drag', { point, target: target.toArray() }));
    studio.onTheme(({ name }) => { this.colors = { hand: new Color(name === 'dark' ? '#ffb066' : '#e0661a'), pin: new Color(name === 'dark' ? '#9cc4ff' : '#2f6fd0') }; });
  }

  active(on: boolean): void {
    if (this.hold) this.end(false);
    for (const stop of this.stops) stop();
    this.stops = [];
    this.hover = null;
    const { stage, store } = this.studio;
    if (!on) return stage.invalidate();
    this.studio.show('forces');
    this.stops = [stage.addOverlay(this.overlay), stage.onPointer((kind, event) => this.point(kind, event), kPriority), stage.onFrame(() => this.draw()),
                  store.on('forces', () => this.draw()), this.takeDrops()];
    this.draw();
  }

  /// Templates that are dropped on the stage.
  private takeDrops(): () => void {
    const { host } = this.studio.stage;
    const over = (event: DragEvent) => { if (event.dataTransfer?.types.includes(kTemplate)) event.preventDefault(); };
    const drop = (event: DragEvent) => {
      const template = event.dataTransfer?.getData(kTemplate);
      if (!template) return;
      event.preventDefault();
      this.place(template, event);
    };
    host.addEventListener('dragover', over);
    host.addEventListener('drop', drop);
    return () => { host.removeEventListener('dragover', over); host.removeEventListener('drop', drop); };
  }

  private place(template: string, event: { clientX: number; clientY: number }): void {
    const picked = this.studio.stage.pick(event);
    if (!picked) return this.studio.say('note', 'Point at the skin: there is nothing here.');
    this.studio.selection.set({ template: null });
    void this.studio.act('forces.place', { template, point: picked.point });
  }

  private get forces() { return this.studio.store.get('forces'); }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    if (this.forces?.state !== 'ready') return false;
    const { stage, selection } = this.studio;
    if (kind === 'down') {
      const picked = stage.pick(event);
      if (!picked) return false;
      if (selection.template !== null) { this.place(selection.template, event); return true; }
      if (!this.forces.rigs.some(({ name, template }) => template && name === this.forces!.selected)) return false;
      this.hold = { point: picked.point, from: picked.position.clone(), target: picked.position.clone(), moved: false };
      this.hover = null;
    }
    if (kind === 'drag' && this.hold) {
      this.hold.target = stage.dragged(this.hold.from, event);
      this.hold.moved = true;
      this.sending.push(this.hold);
    }
    if (kind === 'up') this.end(event.type === 'pointerup');
    if (kind === 'hover' || kind === 'leave') this.hover = kind === 'hover' ? stage.pick(event)?.position.clone() ?? null : null;
    this.draw();
    return kind === 'down' || kind === 'drag' || kind === 'up' || (kind === 'hover' && !!this.hover);
  }

  private end(keep: boolean): void {
    const { hold } = this;
    this.hold = null;
    if (!hold?.moved) return;
    this.sending.drop();
    this.studio.stream('shape', 'forces.end', { keep, point: hold.point, target: hold.target.toArray() });
  }

  private draw(): void {
    const { hold, hover, colors } = this, at = hold && this.studio.stage.positionOf(hold.point);
    const pins = (this.forces?.pins ?? []).map(([x, y, z]) => ({ at: new Vector3(x, y, z), color: colors.pin }));
    const hand = hold && at ? [{ at, color: colors.hand }, { at: hold.target, color: colors.hand, strong: true }] : hover ? [{ at: hover, color: colors.hand }] : [];
    this.overlay.show([...pins, ...hand], hold && at ? [{ from: at, to: hold.target, color: colors.hand }] : []);
    this.studio.stage.invalidate();
  }
}
