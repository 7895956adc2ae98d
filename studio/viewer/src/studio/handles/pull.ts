// The tool 'Pull': press on the body and pull; what moves it there is the rig, or the simulation.

import { Color, Vector3 } from 'three';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';
import { DotOverlay } from './overlay';

const kPriority = 20, kMovesPerSecond = 60;

interface Hold {
  point: number;
  from: Vector3;    ///< where it was taken, scene space
  target: Vector3;  ///< where the pointer is
  pull: number | null;  ///< the server's name of it; null until it has answered
  over: { keep: boolean } | null;  ///< let go before the answer came
}

export class Pull implements Tool {
  readonly id = 'pull';
  readonly title = 'Pull';
  readonly icon = panelIcons.pull;
  readonly key = 'p';
  readonly about = 'Press on the body and pull: the pose follows. Shift: with inertia, as the clip plays. Alt at the end: the pose stays held.';
  private readonly overlay = new DotOverlay();
  private readonly sending: Throttle<Hold>;
  private hold: Hold | null = null;
  private hover: Vector3 | null = null;
  private ink = new Color();
  private stops: (() => void)[] = [];

  constructor(private readonly studio: Studio) {
    this.sending = new Throttle(kMovesPerSecond, ({ pull, target }) => {
      if (pull !== null) studio.stream('pull', 'pull.move', { pull, position: target.toArray() });
    });
    studio.onTheme(({ name }) => { this.ink = new Color(name === 'dark' ? '#ffb066' : '#e0661a'); });
  }

  active(on: boolean): void {
    if (this.hold) this.end(false);
    for (const stop of this.stops) stop();
    const { stage } = this.studio;
    this.hover = null;
    this.stops = on ? [stage.addOverlay(this.overlay), stage.onPointer((kind, event) => this.point(kind, event), kPriority),
                       stage.onFrame(() => this.draw())] : [];
    this.draw();
  }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    if (kind === 'down') return this.begin(event);
    if (kind === 'drag' && this.hold) {
      this.hold.target = this.studio.stage.dragged(this.hold.from, event);
      this.sending.push(this.hold);
      this.draw();
    }
    if (kind === 'up') this.end(event.altKey);
    if (kind === 'hover' || kind === 'leave') {
      const before = this.hover;
      this.hover = kind === 'hover' ? this.studio.stage.pick(event)?.position ?? null : null;
      if (before || this.hover) this.draw();
    }
    return kind !== 'leave' && kind !== 'click' && (kind !== 'hover' || !!this.hover);
  }

  private begin(event: PointerEvent): boolean {
    const picked = this.studio.stage.pick(event);
    if (!picked) return false;
    const hold: Hold = { point: picked.point, from: picked.position.clone(), target: this.studio.stage.dragged(picked.position, event), pull: null, over: null };
    this.hold = hold;
    this.hover = null;
    void this.studio.act<{ pull: number }>('pull.begin', { point: hold.point, dynamic: event.shiftKey }).then((answer) => {
      if (!answer) { if (this.hold === hold) this.hold = null; return this.draw(); }
      hold.pull = answer.pull;
      if (hold.over) this.letGo(hold, hold.over.keep); else this.sending.push(hold);
    });
    this.draw();
    return true;
  }

  private end(keep: boolean): void {
    const { hold } = this;
    this.hold = null;
    if (hold) hold.pull === null ? (hold.over = { keep }) : this.letGo(hold, keep);
    this.draw();
  }

  private letGo({ pull }: Hold, keep: boolean): void {
    this.sending.drop();
    this.studio.stream('pull', 'pull.end', { pull, keep });
  }

  private draw(): void {
    const { hold, hover, ink: color } = this, at = hold && this.studio.stage.positionOf(hold.point);
    const dots = hold && at ? [{ at, color }, { at: hold.target, color, strong: true }] : hover ? [{ at: hover, color }] : [];
    this.overlay.show(dots, hold && at ? [{ from: at, to: hold.target, color }] : []);
    this.studio.stage.invalidate();
  }
}
