// What parts run into, as words of `--collide`, and as fields of a row.

export interface Shape {
  kind: 'sphere' | 'capsule';
  numbers: number[];  ///< sphere: x y z r; capsule: x y z of both ends, then r; units of the scene
}

export const kSwitches = [
  { word: 'self', label: 'Self', title: 'Arms, legs, whatever belongs to other bones' },
  { word: 'parts', label: 'Other parts', title: 'Parts that were simulated before, as they now move' },
  { word: 'ground', label: 'Ground', title: 'The plane y = 0' },
] as const;

export const kFields: Record<Shape['kind'], string[]> = {
  sphere: ['x', 'y', 'z', 'radius'],
  capsule: ['x', 'y', 'z', 'x₂', 'y₂', 'z₂', 'radius'],
};

/// Null: another word, such as a switch or a file.
export function shapeOf(word: string): Shape | null {
  const [kind, rest] = word.split(':', 2);
  if ((kind !== 'sphere' && kind !== 'capsule') || rest === undefined) return null;
  const numbers = rest.split(',').map(Number);
  return numbers.length === kFields[kind].length && numbers.every(Number.isFinite) ? { kind, numbers } : null;
}

/// As many digits as the number needs, six at most.
export const wordOf = ({ kind, numbers }: Shape) => `${kind}:${numbers.map((value) => Number(value.toPrecision(6))).join(',')}`;

/// A new one stands before the character, as high as its middle, so that it is seen and touches nothing yet. `box`:
/// corners of what the character fills.
export function newShape(kind: Shape['kind'], { min, max }: { min: Corner; max: Corner }): Shape {
  const h = Math.max(max.y - min.y, 1e-3), x = (min.x + max.x) / 2, y = (min.y + max.y) / 2, z = max.z + 0.2 * h;
  return { kind, numbers: kind === 'sphere' ? [x, y, z, 0.1 * h] : [x - 0.3 * h, y, z, x + 0.3 * h, y, z, 0.06 * h] };
}

interface Corner { x: number; y: number; z: number }
