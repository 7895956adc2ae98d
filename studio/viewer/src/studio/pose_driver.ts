// Puts the numbers of a frame onto a character.

import { BufferAttribute, BufferGeometry, Mesh, Object3D } from 'three';
import { Character } from '../character';
import { Morph } from '../morphs';
import { FileSlice } from './slices';

const kNodeNumbers = 10;  // translation 3, rotation 4, scale 3

export type ArrayPose = ArrayLike<number> & { slice?: unknown };

/// Puts a pose on, and brings world matrices up to date.
export interface PoseDriver { apply(pose: ArrayPose): void }

export function driverOf(character: Character, file: FileSlice): PoseDriver {
  return file.kind === 'points' ? new PointsDriver(character, file) : new NodesDriver(character, file);
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

/// Nodes, then points in scene space, in the order of all vertices: meshes stand in the scene's own axes then.
class PointsDriver implements PoseDriver {
  private readonly nodes: NodesDriver;
  private readonly first: number;  ///< of the points' numbers
  private readonly seams: Int32Array[];  ///< by mesh: of each vertex the first one at its place at rest, which shares its normal

  constructor(private readonly character: Character, file: FileSlice) {
    this.nodes = new NodesDriver(character, file);
    this.first = kNodeNumbers * file.nodes.length;
    for (const mesh of character.meshes) standFree(mesh, character.root);
    this.seams = character.meshes.map(seamsOf);
  }

  apply(pose: ArrayPose): void {
    this.nodes.apply(pose);
    let at = this.first;
    this.character.meshes.forEach(({ geometry }, m) => {
      const position = geometry.attributes.position as BufferAttribute, numbers = position.array;
      for (let i = 0; i < numbers.length; ++i, ++at) numbers[i] = pose[at];
      position.needsUpdate = true;
      if (geometry.attributes.normal) shade(position, geometry.attributes.normal as BufferAttribute, geometry.index, this.seams[m]);
    });
  }
}

// Vertices that a texture's seam split lie at one place.
export function seamsOf({ geometry }: { geometry: BufferGeometry }): Int32Array {
  const position = geometry.attributes.position, firsts = new Map<string, number>();
  return Int32Array.from({ length: position.count }, (_, i) => {
    const key = `${position.getX(i)} ${position.getY(i)} ${position.getZ(i)}`;
    if (!firsts.has(key)) firsts.set(key, i);
    return firsts.get(key)!;
  });
}

/// Normals of vertices, weighted by the area of their triangles, smooth across seams.
export function shade(position: BufferAttribute, normal: BufferAttribute, indices: BufferAttribute | null, seams: Int32Array): void {
  const x = position.array, n = normal.array, index = indices?.array, corners = index?.length ?? seams.length;
  n.fill(0);
  for (let t = 0; t + 2 < corners; t += 3) {
    const i = index ? index[t] : t, j = index ? index[t + 1] : t + 1, k = index ? index[t + 2] : t + 2;
    const a = 3 * i, b = 3 * j, c = 3 * k;
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const corner of [i, j, k]) {
      const at = 3 * seams[corner];
      n[at] += nx;
      n[at + 1] += ny;
      n[at + 2] += nz;
    }
  }
  for (let i = 0; i < seams.length; ++i) {
    const at = 3 * i, from = 3 * seams[i];
    if (from === at) {
      const size = Math.hypot(n[at], n[at + 1], n[at + 2]) || 1;
      n[at] /= size;
      n[at + 1] /= size;
      n[at + 2] /= size;
    } else {
      n[at] = n[from];
      n[at + 1] = n[from + 1];
      n[at + 2] = n[from + 2];
    }
  }
  normal.needsUpdate = true;
}

function standFree(mesh: Mesh, root: Object3D): void {
  root.add(mesh);
  mesh.position.set(0, 0, 0);
  mesh.quaternion.identity();
  mesh.scale.set(1, 1, 1);
}
