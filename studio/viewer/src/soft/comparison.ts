// Two clips of one character at one time: before, after, and anything in the line between and beyond them.

import { Character, Clip } from '../character';
import { Playable } from '../player';
import { Extent } from '../vertices';
import { PairOptions } from './options';
import { Pose } from './pose';

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

/// Laws: after(0) is before; after(1) is the soft clip. The character stands in the pose that was shown last.
export class Comparison {
  readonly base: Pose;
  readonly soft: Pose;
  private readonly mixed: Pose;
  private mixedAt = NaN;  ///< the amount that `mixed` is of; NaN: none

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
    this.mixedAt = NaN;
  }

  showBefore(): void { this.base.write(); }

  showAfter(amount: number): void {
    if (amount !== this.mixedAt) this.mixed.mix(this.base, this.soft, amount);
    this.mixedAt = amount;
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
