// The pen: a line through what a hand drew, smoothed by its length alone, so that speed and pressure do not matter.

export type Point = [number, number];

const kStep = 3;       // pixels between the points of the smoothed line
const kReach = 7;      // pixels: standard deviation of the smoothing along the line
const kMost = 400;     // points of a line
const kShortest = 14;  // pixels: shorter, it was a tap

export class Pen {
  private readonly raw: Point[] = [];

  /// Places of the pointer, in pixels.
  add(x: number, y: number): void {
    const last = this.raw.at(-1);
    if (!last || Math.hypot(x - last[0], y - last[1]) >= 1) this.raw.push([x, y]);
  }

  /// The line so far, from where it began to where the pen is; empty while it is no more than a tap.
  line(): Point[] { return lengthOf(this.raw) < kShortest ? [] : smoothed(this.raw); }
}

export function lengthOf(line: readonly Point[]): number {
  return line.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - line[i][0], y - line[i][1]), 0);
}

/// A Gaussian along the length. Beyond its ends the line goes on as its mirror image through the end, so that both ends
/// stay where they are.
export function smoothed(line: readonly Point[]): Point[] {
  const length = lengthOf(line), even = evenly(line, Math.min(kMost, Math.max(2, Math.round(length / kStep) + 1)));
  const step = length / (even.length - 1), reach = Math.min(even.length - 1, Math.ceil((3 * kReach) / step)), last = even.length - 1;
  const weights = Array.from({ length: reach + 1 }, (_, k) => Math.exp(-0.5 * ((k * step) / kReach) ** 2));
  const at = (i: number): Point => i < 0 ? mirrored(even[0], even[-i]) : i > last ? mirrored(even[last], even[2 * last - i]) : even[i];
  return even.map((_, i) => {
    let x = 0, y = 0, sum = 0;
    for (let k = -reach; k <= reach; ++k) {
      const weight = weights[Math.abs(k)], [u, v] = at(i + k);
      x += weight * u; y += weight * v; sum += weight;
    }
    return [x / sum, y / sum];
  });
}

const mirrored = (about: Point, [x, y]: Point): Point => [2 * about[0] - x, 2 * about[1] - y];

/// `count` points at equal distances along the line.
export function evenly(line: readonly Point[], count: number): Point[] {
  const whole = lengthOf(line), made: Point[] = [];
  let piece = 0, before = 0;
  const long = (i: number) => Math.hypot(line[i + 1][0] - line[i][0], line[i + 1][1] - line[i][1]);
  for (let k = 0; k < count; ++k) {
    const at = (whole * k) / (count - 1);
    while (piece < line.length - 2 && before + long(piece) < at) before += long(piece++);
    const share = long(piece) > 0 ? Math.min(1, (at - before) / long(piece)) : 0, [a, b] = [line[piece], line[piece + 1]];
    made.push([a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]);
  }
  return made;
}
