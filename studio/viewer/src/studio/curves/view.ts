// Which part of time and value the graph shows, and where that is in pixels.

export interface View {
  from: number;  ///< s, at the left edge
  to: number;
  low: number;   ///< value at the lower edge
  high: number;
}

/// The field of the graph, in pixels from the canvas's top left corner.
export interface Field {
  left: number;
  top: number;
  width: number;
  height: number;
}

const kLeastSpan = 1e-3;
const kMargin = 0.08;  // of what is framed, on each side

export const xOf = (view: View, field: Field, time: number) =>
  field.left + ((time - view.from) / (view.to - view.from)) * field.width;
export const yOf = (view: View, field: Field, value: number) =>
  field.top + ((view.high - value) / (view.high - view.low)) * field.height;
export const timeOf = (view: View, field: Field, x: number) =>
  view.from + ((x - field.left) / field.width) * (view.to - view.from);
export const valueOf = (view: View, field: Field, y: number) =>
  view.high - ((y - field.top) / field.height) * (view.high - view.low);

/// All of the points, with a margin. Flat curves get a span of their own, so that they are seen as flat.
export function framing(points: Iterable<{ time: number; value: number }>, leastValues: number): View {
  let from = Infinity, to = -Infinity, low = Infinity, high = -Infinity;
  for (const { time, value } of points) {
    from = Math.min(from, time); to = Math.max(to, time);
    low = Math.min(low, value); high = Math.max(high, value);
  }
  if (from > to) return { from: 0, to: 1, low: -1, high: 1 };
  if (to - from < kLeastSpan) { from -= 0.5; to += 0.5; }
  const lacking = Math.max(0, leastValues - (high - low)) / 2;
  low -= lacking; high += lacking;
  const dt = 0.25 * kMargin * (to - from), dv = kMargin * (high - low);
  return { from: from - dt, to: to + dt, low: low - dv, high: high + dv };
}

/// Nearer by `factor` below 1, about a time and value that stay in their place. Null: that axis stays as it is.
export function zoomed(view: View, factor: number, at: { time: number | null; value: number | null }): View {
  const scaled = (low: number, high: number, middle: number | null): [number, number] =>
    middle === null || (high - low) * factor < kLeastSpan ? [low, high]
      : [middle + factor * (low - middle), middle + factor * (high - middle)];
  const [from, to] = scaled(view.from, view.to, at.time), [low, high] = scaled(view.low, view.high, at.value);
  return { from, to, low, high };
}

/// Moved by pixels: what was under the pointer stays under it.
export function panned(view: View, field: Field, dx: number, dy: number): View {
  const dt = (-dx / field.width) * (view.to - view.from), dv = (dy / field.height) * (view.high - view.low);
  return { from: view.from + dt, to: view.to + dt, low: view.low + dv, high: view.high + dv };
}

/// 1, 2 or 5 times a power of ten, near `span / count` from above.
export function tickStep(span: number, count: number): number {
  if (!(span > 0)) return 1;
  const rough = span / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((step) => step * power >= rough * (1 - 1e-9)) ?? 10);
}

export function ticks(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9), count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/// As many digits as the step needs, with a true minus.
export function tickText(value: number, step: number): string {
  const text = value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return (Number(text) === 0 ? text.replace('-', '') : text).replace('-', '−');
}
