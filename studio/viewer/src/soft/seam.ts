// The ends of a clip: where a loop meets itself, where a clip that plays once meets the artist's pose.

import { Box3, Vector3 } from 'three';
import { Comparison, Pair } from './comparison';
import { evenly, Mixing, Pose } from './pose';

/// One of two pictures: a pose, and another as a ghost over it.
export interface EndPicture {
  label: string;
  detail: string;
  pose: () => void;
  ghost: () => void;
  /// Where the two differ most, scene space, and by how much, percent of the height. Null where they do not.
  mark: { at: Vector3; percent: number } | null;
}

/// Percent of the height: the character's largest extent, as the artist has it at the clip's start.
export interface Seam {
  loop: boolean;
  /// Of a loop: the deviation at its end against that at its start. Of others: the larger deviation of the two ends.
  percent: number;
  start: number;  ///< deviation at the first frame
  end: number;    ///< deviation at the last frame
  /// Of a loop whose file leaves out the closing frame: the change of the deviation within its last frame, with which
  /// `percent` compares. Null for all others.
  lastStep: number | null;
  /// A loop: its last frame, its first. Others: the start, the end.
  pictures: [EndPicture, EndPicture];
}

const kMarked = 0.01;   // percent: less is not marked
const kTravels = 0.02;  // of the height: how far the skin goes in a turn of a loop that travels

interface Moment {
  time: number;
  base: Pose;
  after: Pose;
  artist: Float64Array;  ///< vertices of the artist's pose, x y z
  skin: Float64Array;    ///< of the simulated one
}

/// Poses and skin of a clip at a time.
function momentAt(comparison: Comparison, pair: Pair, time: number, mixing: Mixing): Moment {
  const { character } = comparison;
  comparison.set(pair, time);
  const base = comparison.base.clone(), after = comparison.base.clone();
  after.mix(comparison.base, comparison.soft, mixing);
  base.write();
  const artist = character.positions();
  after.write();
  return { time, base, after, artist, skin: character.positions() };
}

/// The seam with so much of the deviation. Leaves the comparison at another time.
export function seamOf(comparison: Comparison, pair: Pair, mixing: Mixing = evenly(1)): Seam {
  const { duration, frameRate, options } = pair;
  const first = momentAt(comparison, pair, 0, mixing), last = momentAt(comparison, pair, duration, mixing);
  const height = heightOf(first.artist);
  const deviation = (moment: Moment, i: number) => moment.skin[i] - moment.artist[i];
  const gap = farthest(first.skin, height, (i) => deviation(last, i) - deviation(first, i));
  const start = farthest(first.skin, height, (i) => deviation(first, i));
  const end = farthest(last.skin, height, (i) => deviation(last, i));
  const frame = (time: number) => `frame ${Math.round(time * frameRate)}, ${time.toFixed(2)} s`;
  if (!options.loop)
    return { loop: false, percent: Math.max(start.percent, end.percent), start: start.percent, end: end.percent, lastStep: null,
             pictures: [againstArtist(first, 'start', frame(0), start), againstArtist(last, 'end', frame(duration), end)] };
  const open = (options.period ?? duration) > duration * (1 + 1e-9);
  let lastStep: number | null = null;
  if (open) {
    const before = momentAt(comparison, pair, duration - 1 / frameRate, mixing);
    lastStep = farthest(last.skin, height, (i) => deviation(last, i) - deviation(before, i)).percent;
  }
  const travel = travelOf(first, last, height);
  return { loop: true, percent: gap.percent, start: start.percent, end: end.percent, lastStep, pictures: [
    overOther(comparison, last, first, travel, 'last', frame(duration), gap),
    overOther(comparison, first, last, travel.clone().negate(), 'first', frame(0), gap)] };
}

/// The simulated pose, and the artist's as a ghost.
function againstArtist(moment: Moment, label: string, detail: string, far: Farthest): EndPicture {
  return { label, detail, pose: () => moment.after.write(), ghost: () => moment.base.write(), mark: markOf(far, moment) };
}

/// The simulated pose at one end, and at the other as a ghost, which is moved by `shift` for what travels.
function overOther(comparison: Comparison, moment: Moment, other: Moment, shift: Vector3, label: string, detail: string,
                   far: Farthest): EndPicture {
  const { root } = comparison.character;
  return { label, detail, pose: () => moment.after.write(), mark: markOf(far, moment), ghost: () => {
    other.after.write();
    root.position.add(shift);
    root.updateMatrixWorld(true);
  } };
}

function markOf(far: Farthest, moment: Moment): EndPicture['mark'] {
  if (far.percent < kMarked) return null;
  return { at: new Vector3().fromArray(moment.skin, far.index), percent: far.percent };
}

interface Farthest {
  percent: number;
  index: number;  ///< of the vertex' x
}

function farthest(skin: Float64Array, height: number, difference: (i: number) => number): Farthest {
  let squared = 0, index = 0;
  for (let i = 0; i < skin.length; i += 3) {
    const length = difference(i) ** 2 + difference(i + 1) ** 2 + difference(i + 2) ** 2;
    if (length > squared) [squared, index] = [length, i];
  }
  return { percent: (100 * Math.sqrt(squared)) / height, index };
}

function heightOf(skin: Float64Array): number {
  const box = new Box3().setFromArray(skin), size = box.getSize(new Vector3());
  return Math.max(size.x, size.y, size.z) || 1;
}

/// How far the artist's skin goes in a turn; zero where it stays in its place.
function travelOf(first: Moment, last: Moment, height: number): Vector3 {
  const travel = new Vector3();
  for (let i = 0; i < first.artist.length; i += 3)
    travel.add(new Vector3(last.artist[i] - first.artist[i], last.artist[i + 1] - first.artist[i + 1],
                           last.artist[i + 2] - first.artist[i + 2]));
  travel.divideScalar(Math.max(1, first.artist.length / 3));
  return travel.length() > kTravels * height ? travel : new Vector3();
}
