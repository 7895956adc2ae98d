// Two clips of one character at one time: before, after, and anything in the line between and beyond them.

import { Character, Clip } from '../character';
import { Playable } from '../player';
import { Extent } from '../vertices';
import { PairOptions } from './options';
import { evenly, Mixing, Pose } from './pose';

/// A base clip and its soft one, as one thing to play.
export interface Pair extends Playable {
  readonly options: PairOptions;
  readonly base: Clip;
  readonly soft: Clip;
}

export function pairsOf(character: Character, options: readonly PairOptions[]): Pair[] {
  const named = (name: string): Clip => {
    const clip = character.clipNamed(name);
    if (!clip) throw new Error(`The file has no clip “${name}”; write the page again.`);
    return clip;
  };
  return options.map((pair) => {
    const base = named(pair.base), soft = named(pair.soft);
    return { name: pair.base, options: pair, base, soft, frameRate: soft.frameRate,
             duration: Math.max(base.duration, soft.duration) };
  });
}

/// What each pair is called in a list: its base clip, without the armature's name where they can be told apart so.
export function shortNames(pairs: readonly Pair[]): string[] {
  const short = pairs.map(({ name }) => name.slice(name.lastIndexOf('|') + 1));
  return new Set(short).size === short.length && !short.includes('') ? short : pairs.map(({ name }) => name);
}

/// The clip with the largest deviation by what the program measured; where it measured none, the first.
export function strongestOf(pairs: readonly Pair[]): Pair {
  const percent = (pair: Pair) => pair.options.largest?.percent ?? 0;
  return pairs.reduce((best, pair) => (percent(pair) > percent(best) ? pair : best));
}

/// Laws: of nothing, after is before; of all, it is the soft clip. The character stands in the pose that was shown last.
export class Comparison {
  readonly base: Pose;
  readonly soft: Pose;
  private readonly mixed: Pose;
  private mixing_ = evenly(1);
  private stale = true;  ///< `mixed` is of another time or another mixing

  constructor(readonly character: Character) {
    this.base = new Pose(character.root);
    this.soft = new Pose(character.root);
    this.mixed = new Pose(character.root);
  }

  /// Both clips at a time. Slow parts of the page may call this for other times, and then again for the present one.
  set(pair: Pair, time: number): void {
    this.soft.write();  // as the mixer left it: it takes what it finds for the rest pose of what it lets go of
    this.character.pose(pair.base, Math.min(time, pair.base.duration));
    this.base.read();
    this.character.pose(pair.soft, Math.min(time, pair.soft.duration));
    this.soft.read();
    this.stale = true;
  }

  /// How much of the deviation "after" shows.
  get mixing(): Mixing { return this.mixing_; }
  set mixing(mixing: Mixing) {
    this.mixing_ = mixing;
    this.stale = true;
  }

  showBefore(): void { this.base.write(); }

  showAfter(): void {
    if (this.stale) this.mixed.mix(this.base, this.soft, this.mixing_);
    this.stale = false;
    this.mixed.write();
  }

  /// The space that both clips move through.
  extentOf(pair: Pair): Extent {
    this.soft.write();
    const extent = this.character.extentOf(pair.base), other = this.character.extentOf(pair.soft);
    this.soft.read();
    return { box: extent.box.union(other.box), points: [...extent.points, ...other.points] };
  }
}
