// A pose by itself: translation, rotation and scale of every node, and every morph weight. Poses can be mixed.

import { Mesh, Object3D, Quaternion, Vector3 } from 'three';

const kStride = 10;  // of a node: x y z, x y z w, x y z

/// How much of a difference is shown: of the nodes and morph weights that are named, and of all others.
export interface Mixing {
  all: number;
  nodes: ReadonlyMap<Object3D, number>;
  weights: ReadonlyMap<Mesh, ReadonlyMap<number, number>>;  ///< by the index of the morph target
}

/// The same amount of everything.
export function evenly(amount: number): Mixing { return { all: amount, nodes: new Map(), weights: new Map() }; }

export class Pose {
  private readonly nodes: readonly Object3D[];
  private readonly places: ReadonlyMap<Object3D, number>;  ///< where a node's numbers begin
  private readonly morphed: readonly Mesh[];
  private readonly transforms: Float64Array;
  private readonly weights: number[][];

  /// The present pose of all below `root`, or of the nodes that `like` is of: what was added since is left out.
  constructor(private readonly root: Object3D, like?: Pose) {
    const nodes: Object3D[] = [];
    if (!like) root.traverse((object) => nodes.push(object));
    this.nodes = like?.nodes ?? nodes;
    this.places = like?.places ?? new Map(nodes.map((node, i) => [node, kStride * i]));
    this.morphed = like?.morphed ?? nodes.filter((node): node is Mesh =>
      node instanceof Mesh && !!node.morphTargetInfluences?.length);
    this.transforms = new Float64Array(kStride * this.nodes.length);
    this.weights = this.morphed.map(() => []);
    this.read();
  }

  read(): void {
    this.nodes.forEach((node, i) => {
      node.position.toArray(this.transforms, kStride * i);
      node.quaternion.toArray(this.transforms, kStride * i + 3);
      node.scale.toArray(this.transforms, kStride * i + 7);
    });
    this.morphed.forEach((mesh, i) => { this.weights[i] = [...mesh.morphTargetInfluences!]; });
  }

  /// Puts the character into this pose.
  write(): void {
    this.nodes.forEach((node, i) => {
      node.position.fromArray(this.transforms, kStride * i);
      node.quaternion.fromArray(this.transforms, kStride * i + 3);
      node.scale.fromArray(this.transforms, kStride * i + 7);
    });
    this.morphed.forEach((mesh, i) => {
      this.weights[i].forEach((weight, k) => { mesh.morphTargetInfluences![k] = weight; });
    });
    this.root.updateMatrixWorld(true);
  }

  clone(): Pose {
    const made = new Pose(this.root, this);
    made.transforms.set(this.transforms);
    this.weights.forEach((weights, i) => { made.weights[i] = [...weights]; });
    return made;
  }

  /// base + k (soft - base), k of each node and weight: `base` itself at 0, `soft` at 1, twice as far at 2. All three
  /// are of one character.
  mix(base: Pose, soft: Pose, mixing: Mixing): void {
    const turn = new Quaternion(), toward = new Quaternion();
    this.nodes.forEach((node, n) => {
      const k = mixing.nodes.get(node) ?? mixing.all;
      const at = kStride * n;
      for (let i = at; i < at + kStride; ++i)
        this.transforms[i] = base.transforms[i] + k * (soft.transforms[i] - base.transforms[i]);
      turned(turn.fromArray(base.transforms, at + 3), toward.fromArray(soft.transforms, at + 3), k)
        .toArray(this.transforms, at + 3);
    });
    this.morphed.forEach((mesh, i) => {
      const own = mixing.weights.get(mesh);
      this.weights[i] = base.weights[i].map((weight, m) =>
        weight + (own?.get(m) ?? mixing.all) * (soft.weights[i][m] - weight));
    });
  }

  /// What turns this pose's node into the other's, as a rotation vector in radians, in the node's own axes.
  turnTo(other: Pose, node: Object3D, result: Vector3): Vector3 {
    const at = this.places.get(node)! + 3;
    return rotationVector(new Quaternion().fromArray(this.transforms, at),
                          new Quaternion().fromArray(other.transforms, at), result);
  }

  /// How far the other's node is moved, along the parent's axes, in the parent's units.
  shiftTo(other: Pose, node: Object3D, result: Vector3): Vector3 {
    const at = this.places.get(node)!;
    return result.fromArray(other.transforms, at).sub(new Vector3().fromArray(this.transforms, at));
  }

  weight(mesh: Mesh, index: number): number { return this.weights[this.morphed.indexOf(mesh)]?.[index] ?? 0; }
}

/// log(from^-1 to): axis times angle, the short way round.
export function rotationVector(from: Quaternion, to: Quaternion, result: Vector3): Vector3 {
  const step = from.clone().conjugate().multiply(to);
  const sign = step.w < 0 ? -1 : 1;
  const sine = Math.hypot(step.x, step.y, step.z);
  const scale = sine > 0 ? (sign * 2 * Math.atan2(sine, sign * step.w)) / sine : 0;
  return result.set(scale * step.x, scale * step.y, scale * step.z);
}

// from exp(k log(from^-1 to)), into `from`.
function turned(from: Quaternion, to: Quaternion, k: number): Quaternion {
  const vector = rotationVector(from, to, new Vector3());
  const angle = vector.length();
  if (angle === 0 || k === 0) return from;
  return from.multiply(new Quaternion().setFromAxisAngle(vector.divideScalar(angle), k * angle));
}

/// The largest of the three scales of a node's world matrix.
export function worldScale(node: Object3D | null): number {
  return node ? node.matrixWorld.getMaxScaleOnAxis() : 1;
}
