// What the simulation added, as curves over time: of every joint the rotation and the shift, of every morph the weight.

import { Mesh, Object3D, Vector3 } from 'three';
import { Comparison, Pair } from './comparison';
import { PartOptions } from './options';
import { worldScale } from './pose';

/// What a curve measures. Rotations and shifts have components and a size; a weight and a distance are one number.
export type Quantity = 'turn' | 'shift' | 'weight' | 'distance';

export const kUnits: Record<Quantity, string> = { turn: '°', shift: ' %', weight: '', distance: ' %' };

export function reading(value: number, quantity: Quantity): string {
  return `${value.toFixed(quantity === 'turn' ? 1 : 2).replace('-', '−')}${kUnits[quantity]}`;
}

export interface DeviationCurve {
  part: number;          ///< index into the pair's parts
  name: string;          ///< of the joint or morph
  rank: number;          ///< 0 at the part's first, 1 at its last: root to tip
  quantity: Quantity;
  /// x, y, z over time: degrees in the joint's axes; percent of the character's size; weights and distances in x alone.
  values: [Float32Array, Float32Array, Float32Array];
}

export interface Deviation {
  times: Float64Array;  ///< seconds, from 0 to the end, both included
  curves: DeviationCurve[];
}

const kMostSamples = 1500;
const kStill = { turn: 0.01, shift: 0.001, weight: 1e-4, distance: 1e-4 };  // a curve that never leaves this is not drawn

/// `size` is the character's, in scene units. Leaves the comparison at another time.
export function deviationOf(comparison: Comparison, pair: Pair, size: number): Deviation {
  const frames = Math.max(1, Math.round(pair.duration * pair.frameRate));
  const count = Math.min(frames, kMostSamples) + 1;
  const times = Float64Array.from({ length: count }, (_, i) => (pair.duration * i) / (count - 1));
  const tracks = pair.options.parts.flatMap((part, p) => tracksOf(comparison, part, p, count, size));
  times.forEach((time, i) => {
    comparison.set(pair, time);
    for (const track of tracks) track.sample(i);
  });
  const measured = pair.options.parts.flatMap((part, p) => measuredOf(part, p, count));
  return { times, curves: [...tracks.map((track) => track.curve), ...measured].filter(moves) };
}

/// What the program measured, at as many times.
function measuredOf(part: PartOptions, index: number, count: number): DeviationCurve[] {
  return (part.curves ?? []).map(({ name, percent }, i, all) => {
    const at = (t: number) => {
      const place = t * (percent.length - 1), k = Math.min(Math.floor(place), Math.max(0, percent.length - 2));
      return percent[k] + (place - k) * ((percent[k + 1] ?? percent[k]) - percent[k]);
    };
    return { part: index, name, rank: all.length > 1 ? i / (all.length - 1) : 1, quantity: 'distance' as const,
             values: [Float32Array.from({ length: count }, (_, j) => at(count > 1 ? j / (count - 1) : 0)),
                      new Float32Array(count), new Float32Array(count)] };
  });
}

interface Track {
  curve: DeviationCurve;
  sample: (i: number) => void;
}

function tracksOf(comparison: Comparison, part: PartOptions, index: number, count: number, size: number): Track[] {
  const { character, base, soft } = comparison;
  const track = (name: string, rank: number, quantity: Quantity, measure: (into: Vector3) => void): Track => {
    const curve: DeviationCurve = { part: index, name, rank, quantity,
      values: [new Float32Array(count), new Float32Array(count), new Float32Array(count)] };
    const at = new Vector3();
    return { curve, sample: (i) => {
      measure(at);
      [curve.values[0][i], curve.values[1][i], curve.values[2][i]] = [at.x, at.y, at.z];
    } };
  };
  const rankOf = (i: number, of: number) => (of > 1 ? i / (of - 1) : 1);
  const joints = part.nodes.map((name) => ({ name, node: character.nodes.get(name) }))
    .filter((joint): joint is { name: string; node: Object3D } => joint.node !== undefined);
  const morphs = character.morphs.all.filter((morph) => part.morphs.includes(`${morph.group}:${morph.name}`));
  return [
    ...joints.flatMap(({ name, node }, i) => [
      track(name, rankOf(i, joints.length), 'turn',
            (at) => { base.turnTo(soft, node, at).multiplyScalar(180 / Math.PI); }),
      track(name, rankOf(i, joints.length), 'shift',
            (at) => { base.shiftTo(soft, node, at).multiplyScalar((100 * worldScale(node.parent)) / size); })]),
    ...morphs.map((morph, i) => track(morph.name, rankOf(i, morphs.length), 'weight', (at) => {
      const mesh: Mesh = morph.meshes[0];
      at.set(soft.weight(mesh, morph.index) - base.weight(mesh, morph.index), 0, 0);
    })),
  ];
}

function moves(curve: DeviationCurve): boolean {
  return curve.values.some((values) => values.some((value) => Math.abs(value) > kStill[curve.quantity]));
}

export type Measure = 'x' | 'y' | 'z' | 'size';
export type Component = Exclude<Measure, 'size'>;

/// One number of a curve at a sample.
export function valueAt(curve: DeviationCurve, measure: Measure, i: number): number {
  const [x, y, z] = curve.values;
  if (curve.quantity === 'weight' || curve.quantity === 'distance' || measure === 'x') return x[i];
  if (measure === 'size') return Math.hypot(x[i], y[i], z[i]);
  return measure === 'y' ? y[i] : z[i];
}

/// The same between samples.
export function valueAtTime(deviation: Deviation, curve: DeviationCurve, measure: Measure, time: number): number {
  const { times } = deviation;
  const last = times.length - 1;
  const at = times[last] > 0 ? Math.min(Math.max(time / times[last], 0), 1) * last : 0;
  const i = Math.min(Math.floor(at), Math.max(0, last - 1));
  const from = valueAt(curve, measure, i), to = valueAt(curve, measure, Math.min(i + 1, last));
  return from + (at - i) * (to - from);
}

/// The largest size of a curve, over its time.
export function peakOf(curve: DeviationCurve): number {
  let peak = 0;
  for (let i = 0; i < curve.values[0].length; ++i) peak = Math.max(peak, valueAt(curve, 'size', i));
  return peak;
}

/// The component that moves most, of all the curves together.
export function mainComponent(curves: readonly DeviationCurve[]): Component {
  const power = [0, 1, 2].map((c) =>
    curves.reduce((sum, curve) => sum + curve.values[c].reduce((s, value) => s + value * value, 0), 0));
  return (['x', 'y', 'z'] as const)[power.indexOf(Math.max(...power))];
}
