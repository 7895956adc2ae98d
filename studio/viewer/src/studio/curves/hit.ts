// What lies under the pointer of the graph.

import { curveAt, Key } from './hermite';
import { Field, timeOf, valueOf, View, xOf, yOf } from './view';

export const kTangentPixels = 46;  // from a key to the end of its tangent
const kKeyReach = 8, kTangentReach = 9, kCurveReach = 7;  // pixels

export type Hit = { kind: 'key'; index: number } | { kind: 'tangent'; index: number; side: 'in' | 'out' } | { kind: 'curve'; time: number };

export interface Point {
  x: number;
  y: number;
}

export const placeOf = (view: View, field: Field, key: { time: number; value: number }): Point =>
  ({ x: xOf(view, field, key.time), y: yOf(view, field, key.value) });

/// The end of a tangent: always as long, in the direction that its slope has in pixels.
export function tangentEnd(view: View, field: Field, key: Key, side: 'in' | 'out'): Point {
  const { x, y } = placeOf(view, field, key);
  const dx = field.width / (view.to - view.from), dy = (-key[side] * field.height) / (view.high - view.low);
  const reach = ((side === 'in' ? -1 : 1) * kTangentPixels) / Math.hypot(dx, dy);
  return { x: x + reach * dx, y: y + reach * dy };
}

/// The slope of a tangent whose end is dragged to a place, unit per second. Its end stays on its side of the key.
export function slopeTo(view: View, field: Field, key: Key, side: 'in' | 'out', { x, y }: Point): number {
  const from = placeOf(view, field, key);
  const dx = side === 'in' ? Math.min(x - from.x, -1) : Math.max(x - from.x, 1);
  const perPixel = { time: (view.to - view.from) / field.width, value: (view.high - view.low) / field.height };
  return (-(y - from.y) * perPixel.value) / (dx * perPixel.time);
}

/// Whether a tangent can be taken on this side: the curve ends at its first and last key.
export function hasTangent(keys: readonly Key[], index: number, side: 'in' | 'out'): boolean {
  return side === 'in' ? index > 0 : index < keys.length - 1;
}

/// Tangents of selected keys first, since they lie on top, then the nearest key, then the curve itself.
export function hitTest(view: View, field: Field, keys: readonly Key[], selected: ReadonlySet<number>, at: Point): Hit | null {
  const distance = (place: Point) => Math.hypot(place.x - at.x, place.y - at.y);
  const nearest = nearestKey(view, field, keys, at);
  if (nearest && nearest.pixels <= 0.6 * kKeyReach) return { kind: 'key', index: nearest.index };
  for (const index of selected)
    for (const side of ['in', 'out'] as const)
      if (keys[index] && hasTangent(keys, index, side) && distance(tangentEnd(view, field, keys[index], side)) <= kTangentReach)
        return { kind: 'tangent', index, side };
  if (nearest && nearest.pixels <= kKeyReach) return { kind: 'key', index: nearest.index };
  return onCurve(view, field, keys, at) ? { kind: 'curve', time: timeOf(view, field, at.x) } : null;
}

function nearestKey(view: View, field: Field, keys: readonly Key[], at: Point): { index: number; pixels: number } | null {
  let found: { index: number; pixels: number } | null = null;
  keys.forEach((key, index) => {
    const place = placeOf(view, field, key), pixels = Math.hypot(place.x - at.x, place.y - at.y);
    if (!found || pixels < found.pixels) found = { index, pixels };
  });
  return found;
}

// Near in the direction across the curve, so that steep parts can be hit as well as flat ones.
function onCurve(view: View, field: Field, keys: readonly Key[], at: Point): boolean {
  if (keys.length === 0) return false;
  const { value, slope } = curveAt(keys, timeOf(view, field, at.x));
  const across = (valueOf(view, field, at.y) - value) * (field.height / (view.high - view.low));
  const steep = ((slope * field.height) / (view.high - view.low)) / (field.width / (view.to - view.from));
  return Math.abs(across) / Math.hypot(1, steep) <= kCurveReach;
}

/// The keys in a box, whichever of its corners come first.
export function keysInBox(view: View, field: Field, keys: readonly Key[], a: Point, b: Point): Set<number> {
  const inside = new Set<number>();
  keys.forEach((key, i) => {
    const { x, y } = placeOf(view, field, key);
    if (x >= Math.min(a.x, b.x) && x <= Math.max(a.x, b.x) && y >= Math.min(a.y, b.y) && y <= Math.max(a.y, b.y)) inside.add(i);
  });
  return inside;
}
