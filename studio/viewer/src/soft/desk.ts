// What hands have set at the desk: one factor for all parts, one for each, and which are muted.

import { Mesh, Object3D } from 'three';
import { Character } from '../character';
import { PartOptions } from './options';
import { Mixing } from './pose';

export const kMostAmount = 2;

/// Parts go by their names, so that what is set for the tail holds in every clip.
export class Desk {
  private master_ = 1;
  private readonly factors = new Map<string, number>();
  private readonly muted_ = new Set<string>();

  get master(): number { return this.master_; }
  set master(factor: number) { this.master_ = clamped(factor); }

  factor(part: string): number { return this.factors.get(part) ?? 1; }
  set(part: string, factor: number): void { this.factors.set(part, clamped(factor)); }

  muted(part: string): boolean { return this.muted_.has(part); }
  mute(part: string, on: boolean): void { on ? this.muted_.add(part) : this.muted_.delete(part); }

  /// Everything as it was simulated.
  reset(): void {
    this.master_ = 1;
    this.factors.clear();
    this.muted_.clear();
  }

  /// How much of a part's deviation is shown: 1 is what was simulated.
  amount(part: string): number { return this.muted(part) ? 0 : this.master_ * this.factor(part); }

  /// The same for the nodes and morphs of the parts. What belongs to no part goes with the master.
  mixing(character: Character, parts: readonly PartOptions[]): Mixing {
    const nodes = new Map<Object3D, number>(), weights = new Map<Mesh, Map<number, number>>();
    for (const part of parts) {
      const amount = this.amount(part.name);
      for (const name of part.nodes) {
        const node = character.nodes.get(name);
        if (node) nodes.set(node, amount);
      }
      const morphs = new Set([...part.morphs, ...(part.moreMorphs ?? [])]);
      for (const morph of character.morphs.all.filter(({ group, name }) => morphs.has(`${group}:${name}`)))
        for (const mesh of morph.meshes) {
          if (!weights.has(mesh)) weights.set(mesh, new Map());
          weights.get(mesh)!.set(morph.index, amount);
        }
    }
    return { all: this.master_, nodes, weights };
  }
}

function clamped(factor: number): number { return Math.min(Math.max(factor, 0), kMostAmount); }
