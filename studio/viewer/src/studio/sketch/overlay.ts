// What is drawn over the stage while sketching: the lines that stand for the character, the strokes, and the pen's line.

import { Viewport } from '../../viewport';
import { element } from '../../ui/dom';
import { SketchLinesSlice, SketchStroke } from '../slices';
import { Point } from './pen';
import { SketchView } from './view';

export interface Inks {
  line: string;     ///< of the abstraction
  stroke: string;
  missed: string;   ///< no pose reaches it
  paper: string;    ///< rim, so that lines are seen on any ground
}

const kInks: Record<'light' | 'dark', Inks> = {
  light: { line: '#2b6fd0', stroke: '#d9480f', missed: '#c2255c', paper: '#ffffffcc' },
  dark: { line: '#7db4ff', stroke: '#ffa94d', missed: '#ff6b9d', paper: '#15171bcc' },
};

export interface Shown {
  lines: SketchLinesSlice['curves'];
  strokes: readonly SketchStroke[];
  pen: readonly Point[];        ///< pixels of the stage
  selected: string | null;      ///< name of a stroke
}

export class SketchOverlay {
  readonly canvas = element('canvas', { class: 'sketch-overlay', 'aria-hidden': 'true' });
  theme: 'light' | 'dark' = 'light';

  constructor(private readonly host: HTMLElement, private readonly viewport: Viewport, private readonly view: SketchView) {}

  draw({ lines, strokes, pen, selected }: Shown): void {
    const paint = this.begin(), ink = kInks[this.theme];
    for (const { points, closed } of lines) this.trace(paint, this.view.pixelsOf(points), closed, ink.line, 2);
    for (const stroke of strokes) {
      if (!this.view.sees(stroke.camera)) continue;
      const color = stroke.reached ? ink.stroke : ink.missed, width = stroke.name === selected ? 5 : 3;
      const pixels = stroke.points.map((point) => this.view.pixelOf(point));
      paint.setLineDash(stroke.from ? [2, 6] : stroke.reached ? [] : [9, 6]);
      this.trace(paint, pixels, stroke.closed, color, width);
      paint.setLineDash([]);
      if (stroke.locked && pixels.length > 0) this.dot(paint, pixels[0], color);
    }
    this.trace(paint, pen, false, ink.stroke, 3);
    this.drawInset(paint, lines, ink);
  }

  /// The same lines in the view from the side.
  private drawInset(paint: CanvasRenderingContext2D, lines: Shown['lines'], ink: Inks): void {
    const view = this.viewport.sideView, box = view?.box;
    if (!view || !box) return;
    paint.save();
    paint.beginPath();
    paint.rect(box.x, box.y, box.width, box.height);
    paint.clip();
    for (const { points, closed } of lines) this.trace(paint, view.pixels(points), closed, ink.line, 1.5);
    paint.restore();
  }

  private begin(): CanvasRenderingContext2D {
    const { canvas, host } = this, ratio = Math.min(2, devicePixelRatio);
    const width = Math.round(host.clientWidth * ratio), height = Math.round(host.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const paint = canvas.getContext('2d')!;
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, host.clientWidth, host.clientHeight);
    paint.lineCap = paint.lineJoin = 'round';
    return paint;
  }

  private trace(paint: CanvasRenderingContext2D, points: readonly Point[], closed: boolean, color: string, width: number): void {
    if (points.length < 2) return;
    paint.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? paint.moveTo(x, y) : paint.lineTo(x, y)));
    if (closed) paint.closePath();
    paint.strokeStyle = kInks[this.theme].paper;
    paint.lineWidth = width + 2;
    paint.stroke();
    paint.strokeStyle = color;
    paint.lineWidth = width;
    paint.stroke();
  }

  private dot(paint: CanvasRenderingContext2D, [x, y]: Point, color: string): void {
    paint.beginPath();
    paint.arc(x, y, 5, 0, 2 * Math.PI);
    paint.fillStyle = color;
    paint.fill();
    paint.strokeStyle = kInks[this.theme].paper;
    paint.lineWidth = 2;
    paint.stroke();
  }
}
