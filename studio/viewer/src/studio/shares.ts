// How much of each point of the skin hangs on each candidate: shares.bin of the server.

import { Mesh, SkinnedMesh } from 'three';
import { influenceSets } from '../vertices';

const kLeast = 26;  // of 255: below a tenth, a point belongs to none

export class Shares {
  private readonly dominant: Int16Array;  ///< by point: the candidate that most hangs on, or -1

  /// `bytes`: candidate after candidate, one byte a point.
  constructor(private readonly bytes: Uint8Array, readonly points: number) {
    this.dominant = new Int16Array(points).fill(-1);
    const most = new Uint8Array(points).fill(kLeast - 1);
    for (let c = 0; c < this.candidates; ++c) {
      for (let p = 0, at = c * points; p < points; ++p, ++at) {
        if (bytes[at] <= most[p]) continue;
        most[p] = bytes[at];
        this.dominant[p] = c;
      }
    }
  }

  get candidates(): number { return this.points > 0 ? Math.floor(this.bytes.length / this.points) : 0; }

  /// 0..255 a point.
  bytesOf(candidate: number): Uint8Array { return this.bytes.subarray(candidate * this.points, (candidate + 1) * this.points); }

  candidateAt(point: number): number { return this.dominant[point] ?? -1; }
}

/// Throws where the server has none.
export async function fetchShares(revision: number, points: number): Promise<Shares> {
  const answer = await fetch(`/file/${revision}/shares.bin${location.search}`);
  if (!answer.ok) throw new Error(`shares.bin: ${answer.status}`);
  return new Shares(new Uint8Array(await answer.arrayBuffer()), points);
}

/// The same measure for nodes by name: the sum of their skin weights, 0..255 a point. For parts that are no candidate.
export function shareOfNodes(meshes: readonly Mesh[], nodes: ReadonlySet<string>, nameOf: (node: unknown) => string): Uint8Array {
  const count = meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
  const shares = new Uint8Array(count);
  let first = 0;
  for (const mesh of meshes) {
    const wanted = mesh instanceof SkinnedMesh ? mesh.skeleton.bones.map((bone) => nodes.has(nameOf(bone))) : [];
    const sets = influenceSets(mesh), own = mesh.geometry.attributes.position.count;
    for (let i = 0; i < own; ++i) {
      let sum = 0;
      for (const { joints, weights } of sets)
        for (let k = 0; k < 4; ++k) if (wanted[joints.getComponent(i, k)]) sum += weights.getComponent(i, k);
      shares[first + i] = Math.round(255 * Math.min(1, sum));
    }
    first += own;
  }
  return shares;
}
