// A curve of keys: cubic Hermite between two keys, constant before the first and after the last.

/// How the slopes of a key are kept when it or a neighbour moves: both 0, through the neighbours, or as they were set.
export type TangentMode = 'flat' | 'auto' | 'free';

export interface Key {
  time: number;   ///< s
  value: number;  ///< in the control's unit, degrees for angles
  in: number;     ///< slope on the left of the key, unit per second
  out: number;    ///< slope on the right of it
  mode: TangentMode;
}

/// What the server sends and takes.
export type PlainKey = Omit<Key, 'mode'>;

/// The last key at or before `time`; -1 before the first.
export function keyBefore(keys: readonly PlainKey[], time: number): number {
  let low = 0, high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle].time <= time) low = middle + 1; else high = middle;
  }
  return low - 1;
}

/// h00 v0 + h10 d m0 + h01 v1 + h11 d m1 with s = (t - t0) / d: the value; and its derivative, unit per second.
function segmentAt(a: PlainKey, b: PlainKey, time: number): { value: number; slope: number } {
  const d = b.time - a.time;
  if (d <= 0) return { value: b.value, slope: 0 };
  const s = (time - a.time) / d, r = 1 - s;
  const value = (1 + 2 * s) * r * r * a.value + s * r * r * d * a.out + s * s * (3 - 2 * s) * b.value - s * s * r * d * b.in;
  const slope = (6 * s * r * (b.value - a.value)) / d + r * (1 - 3 * s) * a.out + s * (3 * s - 2) * b.in;
  return { value, slope };
}

export function curveAt(keys: readonly PlainKey[], time: number): { value: number; slope: number } {
  if (keys.length === 0) return { value: 0, slope: 0 };
  const i = keyBefore(keys, time);
  if (i < 0) return { value: keys[0].value, slope: 0 };
  if (i === keys.length - 1) return { value: keys[i].value, slope: 0 };
  return segmentAt(keys[i], keys[i + 1], time);
}

/// The slope through a key's neighbours; 0 where the key is an extremum, so that the curve does not pass beyond it, and
/// at both ends.
export function autoSlope(keys: readonly PlainKey[], i: number): number {
  const before = keys[i - 1], key = keys[i], after = keys[i + 1];
  if (!before || !after) return 0;
  const left = (key.value - before.value) / (key.time - before.time);
  const right = (after.value - key.value) / (after.time - key.time);
  if (!(left * right > 0)) return 0;
  const through = (after.value - before.value) / (after.time - before.time);
  const most = 3 * Math.min(Math.abs(left), Math.abs(right));  // beyond it a segment is no longer monotone
  return Math.sign(through) * Math.min(Math.abs(through), most);
}

/// Modes of keys that come without: what their slopes look like.
export function withModes(keys: readonly PlainKey[]): Key[] {
  return keys.map((key, i) => {
    const near = (slope: number, wanted: number) => Math.abs(slope - wanted) <= 1e-6 * (1 + Math.abs(wanted));
    const auto = autoSlope(keys, i);
    const mode = near(key.in, 0) && near(key.out, 0) ? 'flat' : near(key.in, auto) && near(key.out, auto) ? 'auto' : 'free';
    return { time: key.time, value: key.value, in: key.in, out: key.out, mode };
  });
}

/// The slopes that the modes ask for.
export function withSlopes(keys: readonly Key[]): Key[] {
  return keys.map((key, i) => {
    if (key.mode === 'free') return key;
    const slope = key.mode === 'flat' ? 0 : autoSlope(keys, i);
    return { ...key, in: slope, out: slope };
  });
}

/// The same curve as a Bezier path: the inner control points of the segment from `a` to `b`. Their times are the thirds,
/// so that the path is the graph of the function, not only near it.
export function bezierOf(a: PlainKey, b: PlainKey): [{ time: number; value: number }, { time: number; value: number }] {
  const third = (b.time - a.time) / 3;
  return [{ time: a.time + third, value: a.value + third * a.out }, { time: b.time - third, value: b.value - third * b.in }];
}

/// Whether two sets of keys are one curve: at `times` their values differ by less than a thousandth of the range.
export function sameCurve(a: readonly PlainKey[], b: readonly PlainKey[], times: readonly number[]): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  const values = times.map((time) => curveAt(a, time).value), span = Math.max(...values) - Math.min(...values);
  return times.every((time, i) => Math.abs(curveAt(b, time).value - values[i]) <= 1e-3 * span + 1e-9);
}
