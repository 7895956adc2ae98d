// The scrub bar: frames with their numbers, the present one, and a range of them.

import { element } from './dom';

/// Seconds of the present clip, from < to.
export interface TimeRange {
  from: number;
  to: number;
}

const kSide = 14;        // pixels left free at both ends
const kLabelRoom = 46;   // pixels between two numbers
const kTickRoom = 5;     // pixels between two ticks
const kSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

export interface RulerActions {
  seek: (time: number) => void;
  select?: (range: TimeRange | null) => void;  ///< without it there are no ranges
}

export class Ruler {
  readonly root = element('div', { class: 'ruler', role: 'slider', tabindex: 0, 'aria-label': 'Time',
                                   'aria-valuemin': 0, 'aria-valuemax': 0, 'aria-valuenow': 0 });
  private readonly canvas = element('canvas');
  private readonly tag = element('span');  ///< the present frame's number
  private readonly head = element('div', { class: 'ruler-head', hidden: true }, this.tag);  // apart: the canvas is drawn seldom
  private duration = 0;
  private rate = 24;
  private time = 0;
  private said = -1;  ///< the frame whose number is written
  private range: TimeRange | null = null;
  private drawn = '';  ///< what the canvas shows
  private drag: { select: boolean; from: number } | null = null;

  constructor(private readonly actions: RulerActions) {
    this.root.append(this.canvas, this.head);
    this.root.title = `Drag to scrub.${actions.select ? ' Shift-drag to select a range of frames; double click to let it go.' : ''}`;
    new ResizeObserver(() => { this.draw(); this.place(); }).observe(this.root);
    this.root.addEventListener('pointerdown', (event) => this.pressed(event));
    this.root.addEventListener('pointermove', (event) => { if (this.drag) this.moved(event); });
    for (const name of ['pointerup', 'pointercancel'] as const) this.root.addEventListener(name, () => { this.drag = null; });
    this.root.addEventListener('dblclick', () => this.actions.select?.(null));
  }

  /// Whether a hand is on it.
  get held(): boolean { return this.drag !== null; }

  show(clip: { duration: number; rate: number } | null, range: TimeRange | null): void {
    this.duration = clip?.duration ?? 0;
    this.rate = clip?.rate ?? 24;
    this.range = range;
    this.head.hidden = this.duration === 0;
    const drawn = JSON.stringify([this.duration, this.rate, range]);
    if (drawn !== this.drawn) {
      this.draw();
      this.say();
    }
    this.drawn = drawn;
    this.place();
  }

  /// `words`: the frame's number too, not its place alone.
  at(time: number, words = true): void {
    if (time === this.time && this.said === this.frame) return;
    this.time = time;
    if (words) this.say();
    this.place();
  }

  private get frame(): number { return Math.floor(this.time * this.rate + 1e-3); }

  private say(): void {
    this.said = this.frame;
    this.tag.textContent = String(this.said);
    this.root.setAttribute('aria-valuemax', String(Math.round(this.duration * this.rate)));
    this.root.setAttribute('aria-valuenow', String(this.said));
    this.root.setAttribute('aria-valuetext', `frame ${this.said}`);
  }

  repaint(): void { this.draw(); }

  private place(): void {
    this.head.style.transform = `translateX(${this.x(Math.min(this.time, this.duration)).toFixed(1)}px)`;
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || this.duration === 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.drag = { select: event.shiftKey && !!this.actions.select, from: this.timeAt(event, true) };
    if (!this.drag.select) this.moved(event);
  }

  private moved(event: PointerEvent): void {
    const { select, from } = this.drag!, to = this.timeAt(event, select);
    if (!select) return this.actions.seek(to);
    if (from !== to) this.actions.select?.({ from: Math.min(from, to), to: Math.max(from, to) });
  }

  private timeAt(event: PointerEvent, onFrame: boolean): number {
    const { left, width } = this.root.getBoundingClientRect();
    const time = ((event.clientX - left - kSide) / Math.max(1, width - 2 * kSide)) * this.duration;
    const inside = Math.min(Math.max(time, 0), this.duration);
    return onFrame ? Math.min(this.duration, Math.round(inside * this.rate) / this.rate) : inside;
  }

  private x(time: number): number {
    return kSide + (this.duration > 0 ? time / this.duration : 0) * (this.root.clientWidth - 2 * kSide);
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (width === 0) return;
    const ratio = Math.min(2, devicePixelRatio);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext('2d')!;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.root), ink = (name: string) => style.getPropertyValue(name).trim();
    if (this.range) this.drawRange(pen, height, ink);
    this.drawTicks(pen, height, ink, style.fontFamily);
  }

  private drawRange(pen: CanvasRenderingContext2D, height: number, ink: (name: string) => string): void {
    const from = this.x(this.range!.from), to = this.x(this.range!.to);
    pen.fillStyle = ink('--accent');
    pen.globalAlpha = 0.18;
    pen.fillRect(from, 0, to - from, height);
    pen.globalAlpha = 1;
    for (const x of [from, to]) pen.fillRect(x - 0.75, 0, 1.5, height);
  }

  private drawTicks(pen: CanvasRenderingContext2D, height: number, ink: (name: string) => string, font: string): void {
    const frames = Math.round(this.duration * this.rate);
    if (frames === 0) return;
    const room = (this.root.clientWidth - 2 * kSide) / frames;
    const every = (least: number) => kSteps.find((step) => step * room >= least) ?? frames;
    const labels = every(kLabelRoom), ticks = every(kTickRoom);
    pen.font = `11px ${font}`;
    pen.textAlign = 'center';
    pen.fillStyle = ink('--quiet');
    for (let frame = 0; frame <= frames; frame += ticks) {
      const x = this.x(frame / this.rate), numbered = frame % labels === 0;
      pen.globalAlpha = numbered ? 0.9 : 0.35;
      pen.fillRect(x - 0.5, height - (numbered ? 9 : 5), 1, numbered ? 9 : 5);
      if (numbered) pen.fillText(String(frame), x, height - 14);
    }
    pen.globalAlpha = 1;
  }
}
