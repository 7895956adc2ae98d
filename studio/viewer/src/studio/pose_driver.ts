// Puts the numbers of a frame onto a character.

import { BufferAttribute, Mesh, Object3D } from 'three';
import { Character } from '../character';
import { Morph } from '../morphs';
import { FileSlice } from './slices';

export type ArrayPose = ArrayLike<number> & { slice?: unknown };

/// Puts a pose on, and brings world matrices up to date.
export interface PoseDriver { apply(pose: ArrayPose): void }

export function driverOf(character: Character, file: FileSlice): PoseDriver {
  return file.kind === 'points' ? new PointsDriver(character) : new NodesDriver(character, file);
}

class NodesDriver implements PoseDriver {
  private readonly nodes: (Object3D | undefined)[];
  private readonly morphs: (Morph | undefined)[];

  constructor(private readonly character: Character, file: FileSlice) {
    this.nodes = file.nodes.map((name) => character.nodes.get(name));
    const named = new Map(character.morphs.all.map((morph) => [`${morph.group}:${morph.name}`, morph]));
    this.morphs = file.morphs.map((name) => named.get(name));
  }

  apply(pose: ArrayPose): void {
    let at = 0;
    for (const node of this.nodes) {
      if (node) {
        node.position.set(pose[at], pose[at + 1], pose[at + 2]);
        node.quaternion.set(pose[at + 3], pose[at + 4], pose[at + 5], pose[at + 6]);
        node.scale.set(pose[at + 7], pose[at + 8], pose[at + 9]);
      }
      at += 10;
    }
    for (const morph of this.morphs) {
      if (morph) for (const mesh of morph.meshes) mesh.morphTargetInfluences![morph.index] = pose[at];
      ++at;
    }
    this.character.root.updateMatrixWorld(true);
  }
}

/// Points in scene space, in the order of all vertices: meshes stand in the scene's own axes then.
class PointsDriver implements PoseDriver {
  constructor(private readonly character: Character) {
    for (const mesh of character.meshes) standFree(mesh, character.root);
  }

  apply(pose: ArrayPose): void {
    let at = 0;
    for (const { geometry } of this.character.meshes) {
      const position = geometry.attributes.position as BufferAttribute;
      for (let i = 0; i < position.count; ++i, at += 3) position.setXYZ(i, pose[at], pose[at + 1], pose[at + 2]);
      position.needsUpdate = true;
      geometry.computeVertexNormals();
    }
    this.character.root.updateMatrixWorld(true);
  }
}

function standFree(mesh: Mesh, root: Object3D): void {
  root.add(mesh);
  mesh.position.set(0, 0, 0);
  mesh.quaternion.identity();
  mesh.scale.set(1, 1, 1);
}
