// The curves beneath the pictures: deviation over time, with the playhead of the clock.

import { roundLength } from '../ground';
import { Theme } from '../theme';
import { element } from '../ui/dom';
import { partColor, partDash } from './colors';
import { Deviation, DeviationCurve, kUnits, mainComponent, Measure, Quantity, reading, valueAt,
         valueAtTime } from './deviation';

const kLanes: { quantity: Quantity; title: (measure: Measure) => string }[] = [
  { quantity: 'turn', title: (m) => (m === 'size' ? 'rotation, degrees' : `rotation about ${m}, degrees`) },
  { quantity: 'shift', title: (m) => (m === 'size' ? 'shift, % of size' : `shift along ${m}, % of size`) },
  { quantity: 'weight', title: () => 'morph weight' },
  { quantity: 'distance', title: () => 'distance, % of size' },
];
const kLeft = 46, kRight = 20, kTop = 20, kBottom = 22;  // pixels around the lanes
const kOverlap = 0.1;  // of a loop's duration, shown again before its start and after its end
const kListed = 8;     // values under the cursor

interface Lane {
  quantity: Quantity;
  title: string;
  measure: Measure;
  curves: DeviationCurve[];
  top: number;  ///< of its field, in pixels
  bottom: number;
  low: number;  ///< of its values
  high: number;
}

export interface ChartContent {
  deviation: Deviation;
  duration: number;
  loop: boolean;
  shown: ReadonlySet<number>;  ///< parts
  partNames: readonly string[];
  measure: Measure | 'main';  ///< main: in every lane the component that moves most there
  amount: (part: number) => number;  ///< of the deviation that is shown
}

export class Chart {
  readonly root = element('div', { class: 'chart' });
  private readonly canvas = element('canvas', { role: 'img', 'aria-label': 'Deviation over time; drag to scrub' });
  private readonly values = element('div', { class: 'values', hidden: true });
  private content: ChartContent | null = null;
  private time = 0;
  private hover: number | null = null;  ///< pixels from the left
  private queued = false;

  constructor(private theme: Theme, private readonly scrub: (time: number) => void) {
    this.root.append(this.canvas, this.values);
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(this.root);
  }

  show(content: ChartContent): void { this.content = content; this.redraw(); }
  at(time: number): void { this.time = time; this.redraw(); }
  paint(theme: Theme): void { this.theme = theme; this.redraw(); }

  /// The number of curves drawn, for tests.
  get drawn(): number { return this.lanes().reduce((sum, lane) => sum + lane.curves.length, 0); }

  private redraw(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => { this.queued = false; this.draw(); });
  }

  private listen(): void {
    const { canvas } = this;
    const seek = (event: PointerEvent) => {
      if (this.content) this.scrub(Math.min(Math.max(this.timeAt(event.offsetX), 0), this.content.duration));
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      seek(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      this.hover = event.offsetX;
      if (canvas.hasPointerCapture(event.pointerId)) seek(event);
      this.redraw();
    });
    canvas.addEventListener('pointerleave', () => { this.hover = null; this.redraw(); });
  }

  private get overlap(): number { return this.content?.loop ? kOverlap * this.content.duration : 0; }
  private get fieldWidth(): number { return Math.max(1, this.root.clientWidth - kLeft - kRight); }

  private timeAt(x: number): number {
    const span = (this.content?.duration ?? 0) + 2 * this.overlap;
    return ((x - kLeft) / this.fieldWidth) * span - this.overlap;
  }

  private xAt(time: number): number {
    const span = (this.content?.duration ?? 0) + 2 * this.overlap;
    return kLeft + (span > 0 ? (time + this.overlap) / span : 0) * this.fieldWidth;
  }

  private lanes(): Lane[] {
    if (!this.content) return [];
    const { deviation, shown } = this.content;
    const found = kLanes.map((lane) => ({ ...lane, curves: deviation.curves.filter((curve) =>
      curve.quantity === lane.quantity && shown.has(curve.part)) })).filter((lane) => lane.curves.length > 0);
    const height = (this.root.clientHeight - kBottom) / Math.max(1, found.length);
    return found.map(({ quantity, title, curves }, i) => {
      const measure = this.content!.measure === 'main' ? mainComponent(curves) : this.content!.measure;
      return { quantity, title: title(measure), measure, curves, top: i * height + kTop, bottom: (i + 1) * height,
               ...this.range(curves, measure) };
    });
  }

  // Zero is always in it. The scale stays while the amount is below one, so that less is seen as less.
  private range(curves: readonly DeviationCurve[], measure: Measure): { low: number; high: number } {
    let low = 0, high = 0;
    for (const curve of curves) {
      const reach = Math.max(1, this.content!.amount(curve.part));
      for (let i = 0; i < this.content!.deviation.times.length; ++i) {
        const value = reach * valueAt(curve, measure, i);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (high === low) return { low: -1, high: 1 };
    const margin = 0.06 * (high - low);
    return { low: low < 0 ? low - margin : 0, high: high > 0 ? high + margin : 0 };
  }

  private draw(): void {
    const { canvas, root } = this;
    const ratio = Math.min(2, window.devicePixelRatio);
    const width = root.clientWidth, height = root.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext('2d')!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(root);
    const ink = { strong: style.getPropertyValue('--ink'), quiet: style.getPropertyValue('--quiet'),
                  line: style.getPropertyValue('--line'), accent: style.getPropertyValue('--accent') };
    pen.font = `11px ${style.fontFamily}`;
    const lanes = this.lanes();
    if (lanes.length === 0) {
      pen.fillStyle = ink.quiet;
      pen.textAlign = 'center';
      pen.fillText(this.content?.shown.size ? 'Nothing moves here' : 'Choose a part to see its curves', width / 2, height / 2);
    }
    for (const lane of lanes) this.drawLane(pen, lane, ink);
    if (lanes.length > 0) this.drawPlayhead(pen, ink);
    this.listValues(lanes);
  }

  private drawLane(pen: CanvasRenderingContext2D, lane: Lane, ink: Record<string, string>): void {
    const { top, bottom, low, high } = lane;
    const y = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - top);
    this.drawGrid(pen, lane, y, ink);
    pen.save();
    pen.beginPath();
    pen.rect(kLeft, top - 1, this.fieldWidth, bottom - top + 2);
    pen.clip();
    for (const curve of lane.curves) this.drawCurve(pen, curve, lane.measure, y);
    pen.restore();
    if (this.content!.loop) this.drawSeams(pen, top, bottom, ink);
  }

  private drawGrid(pen: CanvasRenderingContext2D, lane: Lane, y: (value: number) => number, ink: Record<string, string>): void {
    const { top, bottom, low, high } = lane;
    const right = kLeft + this.fieldWidth, { duration } = this.content!;
    pen.fillStyle = ink.quiet;
    pen.textAlign = 'right';
    pen.fillText(lane.title, right, top - 7);
    pen.textBaseline = 'middle';
    pen.lineWidth = 1;
    const step = tickStep(high - low, Math.max(2, (bottom - top) / 42));
    for (let k = Math.ceil(low / step); k * step <= high; ++k) {
      pen.strokeStyle = k === 0 ? ink.quiet : ink.line;
      stroke(pen, [[kLeft, crisp(y(k * step))], [right, crisp(y(k * step))]]);
      pen.fillText(`${tidy(k * step, step)}${kUnits[lane.quantity]}`, kLeft - 7, y(k * step));
    }
    pen.textAlign = 'center';
    pen.strokeStyle = ink.line;
    const every = tickStep(duration + 2 * this.overlap, this.fieldWidth / 90);
    const last = bottom > this.root.clientHeight - kBottom - 1;
    for (let k = 0; k * every <= duration + 1e-9; ++k) {
      const x = crisp(this.xAt(k * every));
      stroke(pen, [[x, top], [x, bottom]]);
      if (last) pen.fillText(`${tidy(k * every, every)} s`, x, bottom + 12);
    }
    pen.textBaseline = 'alphabetic';
  }

  // Root to tip from thin and pale to full. A loop goes on, faintly, past both of its ends.
  private drawCurve(pen: CanvasRenderingContext2D, curve: DeviationCurve, measure: Measure, y: (value: number) => number): void {
    const { deviation, duration, loop, amount } = this.content!;
    const points = (shift: number) => Array.from(deviation.times, (time, i): [number, number] =>
      [this.xAt(time + shift), y(amount(curve.part) * valueAt(curve, measure, i))]);
    pen.strokeStyle = partColor(curve.part, this.theme);
    pen.setLineDash(partDash(curve.part));
    pen.lineWidth = 1.1 + 0.9 * curve.rank;
    pen.lineJoin = 'round';
    const strength = 0.4 + 0.6 * curve.rank;
    pen.globalAlpha = strength;
    stroke(pen, points(0));
    pen.globalAlpha = 0.3 * strength;
    if (loop) for (const shift of [-duration, duration]) stroke(pen, points(shift));
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }

  private drawSeams(pen: CanvasRenderingContext2D, top: number, bottom: number, ink: Record<string, string>): void {
    pen.strokeStyle = ink.quiet;
    pen.setLineDash([2, 3]);
    for (const time of [0, this.content!.duration]) stroke(pen, [[crisp(this.xAt(time)), top], [crisp(this.xAt(time)), bottom]]);
    pen.setLineDash([]);
  }

  private drawPlayhead(pen: CanvasRenderingContext2D, ink: Record<string, string>): void {
    const height = this.root.clientHeight;
    if (this.hover !== null && this.hover >= kLeft) {
      pen.strokeStyle = ink.quiet;
      pen.lineWidth = 1;
      stroke(pen, [[crisp(this.hover), kTop], [crisp(this.hover), height - kBottom]]);
    }
    const x = this.xAt(this.time);
    pen.strokeStyle = pen.fillStyle = ink.accent;
    pen.lineWidth = 1.5;
    stroke(pen, [[x, kTop - 4], [x, height - kBottom]]);
    pen.beginPath();
    pen.moveTo(x - 6, kTop - 13);
    pen.lineTo(x + 6, kTop - 13);
    pen.lineTo(x + 6, kTop - 8);
    pen.lineTo(x, kTop - 2);
    pen.lineTo(x - 6, kTop - 8);
    pen.fill();
  }

  // The largest values at the cursor, in a box that keeps out of its way.
  private listValues(lanes: readonly Lane[]): void {
    const { content, hover, values } = this;
    values.hidden = hover === null || hover < kLeft || !content || lanes.length === 0;
    if (values.hidden || !content) return;
    const { deviation, duration, loop, amount, partNames } = content;
    const wanted = this.timeAt(hover!);
    const time = loop && duration > 0 ? ((wanted % duration) + duration) % duration : Math.min(Math.max(wanted, 0), duration);
    const rows = lanes.flatMap((lane) => lane.curves.map((curve) =>
      ({ curve, value: amount(curve.part) * valueAtTime(deviation, curve, lane.measure, time) })));
    const listed = [...rows].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, kListed);
    values.replaceChildren(element('header', {}, `${time.toFixed(3)} s`), ...listed.map(({ curve, value }) =>
      element('p', { style: `--part: ${partColor(curve.part, this.theme)}; opacity: ${0.6 + 0.4 * curve.rank}`,
                     title: partNames[curve.part] },
              element('i', {}), element('span', {}, curve.name),
              element('output', {}, reading(value, curve.quantity)))));
    const left = hover! < kLeft + this.fieldWidth / 2;
    values.style.left = left ? `${hover! + 12}px` : 'auto';
    values.style.right = left ? 'auto' : `${this.root.clientWidth - hover! + 12}px`;
  }
}

function stroke(pen: CanvasRenderingContext2D, points: readonly (readonly [number, number])[]): void {
  pen.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  pen.stroke();
}

/// The middle of a pixel, for lines of one pixel.
function crisp(at: number): number { return Math.floor(at) + 0.5; }

/// 1, 2 or 5 times a power of ten, such that `count` of them, or up to twice as many, fill `span`.
function tickStep(span: number, count: number): number {
  return span > 0 ? roundLength((1.25 * span) / Math.max(1, count)) : 1;
}

function tidy(value: number, step: number): string {
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace('-', '−');
}
