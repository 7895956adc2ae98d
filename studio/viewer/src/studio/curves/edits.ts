// What hands do to the keys of one curve. Every operation returns new keys, in order of time, and leaves the old ones.

import { curveAt, Key, keyBefore, PlainKey, TangentMode, withSlopes } from './hermite';

export const kLeastGap = 1e-3;  // s between two keys

/// Keys with the indices of those that are selected.
export interface Edit {
  keys: Key[];
  selected: Set<number>;
}

const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), Math.max(low, high));

/// Moves the selected keys. They stay between the neighbours that are not selected, and within 0 .. duration.
export function moveKeys(keys: readonly Key[], selected: ReadonlySet<number>, dt: number, dv: number, duration: number): Key[] {
  let low = -Infinity, high = Infinity;
  keys.forEach((key, i) => {
    if (!selected.has(i)) return;
    low = Math.max(low, (i === 0 ? 0 : selected.has(i - 1) ? -Infinity : keys[i - 1].time + kLeastGap) - key.time);
    high = Math.min(high, (i === keys.length - 1 ? duration : selected.has(i + 1) ? Infinity : keys[i + 1].time - kLeastGap) - key.time);
  });
  const shift = dt === 0 ? 0 : within(dt, Math.min(low, 0), Math.max(high, 0));
  return withSlopes(keys.map((key, i) => (selected.has(i) ? { ...key, time: key.time + shift, value: key.value + dv } : key)));
}

/// A key on the curve as it is: value and slope are the curve's, so that its shape stays. On a key: that key.
export function insertKey(keys: readonly Key[], time: number): Edit {
  const near = keys.findIndex((key) => Math.abs(key.time - time) < kLeastGap);
  if (near >= 0) return { keys: [...keys], selected: new Set([near]) };
  const { value, slope } = curveAt(keys, time);
  const at = keyBefore(keys, time) + 1;
  const made: Key = { time, value, in: slope, out: slope, mode: 'free' };
  // Neighbours that follow their neighbours would bend the curve: their slopes are kept as they are now.
  const kept = keys.map((key, i) => (i === at || i === at - 1) && key.mode === 'auto' ? { ...key, mode: 'free' as const } : key);
  return { keys: [...kept.slice(0, at), made, ...kept.slice(at)], selected: new Set([at]) };
}

/// One key always stays: a curve without any is no curve.
export function removeKeys(keys: readonly Key[], selected: ReadonlySet<number>): Edit {
  const left = keys.filter((_, i) => !selected.has(i));
  return left.length > 0 ? { keys: withSlopes(left), selected: new Set() } : { keys: [keys[0]], selected: new Set([0]) };
}

export function setModes(keys: readonly Key[], selected: ReadonlySet<number>, mode: TangentMode): Key[] {
  return withSlopes(keys.map((key, i) => (selected.has(i) ? { ...key, mode } : key)));
}

/// Turns one side of a key's tangent, or both as one line.
export function setSlope(keys: readonly Key[], index: number, side: 'in' | 'out', slope: number, alone: boolean): Key[] {
  return keys.map((key, i): Key => i !== index ? key
    : { ...key, mode: 'free', in: alone && side === 'out' ? key.in : slope, out: alone && side === 'in' ? key.out : slope });
}

/// As typed: an exact time and value of one key.
export function setKey(keys: readonly Key[], index: number, to: { time?: number; value?: number }, duration: number): Key[] {
  const key = keys[index];
  return moveKeys(keys, new Set([index]), (to.time ?? key.time) - key.time, (to.value ?? key.value) - key.value, duration);
}

/// The nearest key before or after the selection, for hands on a keyboard.
export function beside(keys: readonly Key[], selected: ReadonlySet<number>, direction: -1 | 1): number {
  if (keys.length === 0) return -1;
  if (selected.size === 0) return direction > 0 ? 0 : keys.length - 1;
  const from = direction > 0 ? Math.max(...selected) : Math.min(...selected);
  return within(from + direction, 0, keys.length - 1);
}

export function plain(keys: readonly Key[]): PlainKey[] {
  return keys.map(({ time, value, in: left, out }) => ({ time, value, in: left, out }));
}
