// The tool 'Draw': lines drawn over the character pose it. The panel Sketch lists the strokes.

import { Mode } from '../../soft/split';
import { element } from '../../ui/dom';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { SketchOverlay } from '../sketch/overlay';
import { Pen, Point } from '../sketch/pen';
import { SketchView } from '../sketch/view';
import { SketchCamera } from '../slices';
import { PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';

const kPriority = 20, kPreviewsPerSecond = 30, kLooksPerSecond = 6;
const kInset = { width: 176, height: 150, gap: 10 };  // pixels

export class Draw implements Tool {
  readonly id = 'draw';
  readonly title = 'Draw';
  readonly icon = panelIcons.sketch;
  readonly key = 'd';
  readonly about = 'Draw a line where a limb should be: the character follows, and snaps to it as you let go. Alt-drag turns the view.';
  private readonly view: SketchView;
  private readonly overlay: SketchOverlay;
  private readonly side = element('div', { class: 'sketch-side', title: 'The same pose from the side: depth, which a drawing does not show' }, element('span', {}, 'Side'));
  private readonly previews: Throttle<Point[]>;
  private readonly looks: Throttle<void>;
  private pen: Pen | null = null;
  private line: Point[] = [];  ///< pixels
  private stroke = '';         ///< name of the one that is drawn
  private count = 0;
  private lookedFrom: SketchCamera | null = null;
  private on = false;
  private before: Mode | null = null;
  private stops: (() => void)[] = [];

  constructor(private readonly studio: Studio) {
    const { stage, store } = studio;
    this.view = new SketchView(stage.viewport, stage.host);
    this.overlay = new SketchOverlay(stage.host, stage.viewport, this.view);
    this.previews = new Throttle(kPreviewsPerSecond, (line) => { if (this.pen) studio.stream('sketch', 'sketch.preview', this.message(line)); });
    this.looks = new Throttle(kLooksPerSecond, () => { if (this.on) this.look(); });
    for (const slice of ['sketch', 'sketch_lines'] as const) store.on(slice, () => { if (this.on) this.draw(); });
    store.on('play', () => this.draw());
    studio.onTheme(({ name }) => { this.overlay.theme = name; this.draw(); });
    stage.viewport.onDrawn(() => this.drawn());
    studio.selection.on(() => this.draw());
  }

  active(on: boolean): void {
    this.cancel();
    for (const stop of this.stops) stop();
    this.stops = [];
    const { stage } = this.studio, was = this.on;
    this.on = on;
    stage.host.classList.toggle('drawing', on);
    if (on) {
      this.studio.show('sketch');
      this.before = stage.split.mode;
      stage.split.choose('single');
      stage.host.append(this.overlay.canvas, this.side);
      stage.viewport.inset = { ...kInset, pose: () => stage.poseSoft() };
      this.stops = [stage.onPointer((kind, event) => this.point(kind, event), kPriority),
                    () => { this.overlay.canvas.remove(); this.side.remove(); stage.viewport.inset = null; }];
      this.lookedFrom = null;
      this.looks.push();
    } else if (was) {
      this.looks.drop();
      if (this.before && stage.split.mode === 'single') stage.split.choose(this.before);
      if (this.studio.store.get('file')) this.studio.stream('look', 'sketch.look', {});
    }
    stage.invalidate();
  }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    if (kind === 'down') return this.begin(event);
    if (kind === 'drag' && this.pen) {
      for (const each of event.getCoalescedEvents?.() ?? [event]) this.add(each);
      this.add(event);
      this.line = this.pen.line();
      if (this.line.length > 0) this.previews.push(this.line);
      this.draw();
    }
    if (kind === 'up') this.end(event.type === 'pointerup');
    return kind !== 'leave';
  }

  private begin(event: PointerEvent): boolean {
    if (event.altKey || !this.studio.store.get('file')) return false;
    this.pen = new Pen();
    this.stroke = `${Math.random().toString(36).slice(2)}.${++this.count}`;
    this.add(event);
    return true;
  }

  private add({ clientX, clientY }: PointerEvent): void {
    const { left, top } = this.studio.stage.host.getBoundingClientRect();
    this.pen?.add(clientX - left, clientY - top);
  }

  private end(keep: boolean): void {
    const line = this.pen?.line() ?? [];
    this.previews.drop();
    if (!keep || line.length === 0) return this.cancel();
    this.pen = null;
    const stroke = this.stroke;
    void this.studio.act('sketch.stroke', this.message(line)).then(() => {
      if (this.stroke === stroke) { this.line = []; this.draw(); }
    });
  }

  private cancel(): void {
    if (this.pen && this.line.length > 0) void this.studio.act('sketch.cancel');
    this.previews.drop();
    this.pen = null;
    this.line = [];
    this.draw();
  }

  /// Strokes of one view go along with exactly one camera.
  private message(line: readonly Point[]): object {
    const last = this.studio.store.get('sketch')?.strokes.at(-1);
    return { stroke: this.stroke, camera: last && this.view.sees(last.camera) ? last.camera : this.view.camera3(), aspect: this.view.aspect,
             points: line.map((pixel) => this.view.unitsAt(pixel)) };
  }

  private look(): void {
    if (this.studio.store.get('play')?.playing || !this.studio.store.get('file') || this.pen) return;
    this.lookedFrom = this.view.camera3();
    this.studio.stream('look', 'sketch.look', { camera: this.lookedFrom, aspect: this.view.aspect });
  }

  private drawn(): void {
    if (!this.on) return;
    if (!this.lookedFrom || !this.view.sees(this.lookedFrom)) this.looks.push();
    this.draw();
  }

  private draw(): void {
    if (!this.on) return;
    const { store, selection } = this.studio, playing = !!store.get('play')?.playing;
    this.overlay.draw({ lines: playing ? [] : store.get('sketch_lines')?.curves ?? [], strokes: playing ? [] : store.get('sketch')?.strokes ?? [],
                        pen: this.line, selected: selection.stroke });
  }
}
