// The morph targets of a character, and the values that a person holds them at while a clip plays.

import { Mesh } from 'three';

export class Morph {
  private held_: number | null = null;

  /// `meshes` are the primitives of one node: they share their weights.
  constructor(readonly group: string, readonly name: string, readonly index: number,
              readonly meshes: readonly Mesh[]) {}

  get value(): number { return this.meshes[0].morphTargetInfluences?.[this.index] ?? 0; }
  get held(): number | null { return this.held_; }
  hold(value: number): void { this.held_ = value; }
  release(): void { this.held_ = null; }
}

export class MorphSet {
  /// What the file and its clip say, without what is held: the mixer writes only what it thinks has changed.
  private natural = new Map<Mesh, number[]>();

  constructor(readonly all: readonly Morph[]) { this.remember(); }

  /// Before a clip is evaluated.
  restore(): void {
    for (const [mesh, values] of this.natural)
      values.forEach((value, i) => { mesh.morphTargetInfluences![i] = value; });
  }

  /// After a clip is evaluated.
  apply(): void {
    this.remember();
    for (const morph of this.all)
      if (morph.held !== null) for (const mesh of morph.meshes) mesh.morphTargetInfluences![morph.index] = morph.held;
  }

  private remember(): void {
    for (const morph of this.all)
      for (const mesh of morph.meshes) if (morph.index === 0) this.natural.set(mesh, [...mesh.morphTargetInfluences!]);
  }
}
