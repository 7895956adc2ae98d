// Skin weights of all points: weights/*.bin of the server, and what a brush changes.

export type Influence = { joint: number; weight: number };  ///< joint: into the slice's `joints`

const kLeastLists = 4;  // influences that a point has room for

export class WeightLists {
  private constructor(public version: number, readonly points: number, readonly most: number,
                      readonly joints: Int16Array, readonly weights: Float32Array) {}

  /// Throws where the bytes are not what they claim.
  static read(bytes: ArrayBuffer): WeightLists {
    const head = new Uint32Array(bytes, 0, 3), [version, points, entries] = head;
    if (bytes.byteLength !== 12 + 4 * (points + 1 + 2 * entries)) throw new Error('The weights did not arrive whole.');
    const start = new Uint32Array(bytes, 12, points + 1), joint = new Uint32Array(bytes, 16 + 4 * points, entries);
    const weight = new Float32Array(bytes, 16 + 4 * (points + entries), entries);
    let most = kLeastLists;
    for (let i = 0; i < points; ++i) most = Math.max(most, start[i + 1] - start[i]);
    const lists = new WeightLists(version, points, most, new Int16Array(most * points).fill(-1), new Float32Array(most * points));
    for (let i = 0; i < points; ++i) {
      for (let k = start[i], at = most * i; k < start[i + 1]; ++k, ++at) {
        lists.joints[at] = joint[k];
        lists.weights[at] = weight[k];
      }
    }
    return lists;
  }

  static async fetch(name: 'file' | 'draft'): Promise<WeightLists> {
    const answer = await fetch(`/weights/${name}.bin${location.search}`);
    if (!answer.ok) throw new Error(`The server has no weights (${answer.status}).`);
    return WeightLists.read(await answer.arrayBuffer());
  }

  /// `list`: joint, weight, joint, weight ..
  set(point: number, list: readonly number[]): void {
    const at = this.most * point;
    this.joints.fill(-1, at, at + this.most);
    this.weights.fill(0, at, at + this.most);
    for (let k = 0; k < Math.min(this.most, list.length / 2); ++k) {
      this.joints[at + k] = list[2 * k];
      this.weights[at + k] = list[2 * k + 1];
    }
  }

  /// The largest first; none where no skin moves the point.
  at(point: number): Influence[] {
    const found: Influence[] = [];
    for (let at = this.most * point; at < this.most * (point + 1); ++at)
      if (this.joints[at] >= 0 && this.weights[at] > 0) found.push({ joint: this.joints[at], weight: this.weights[at] });
    return found.sort((a, b) => b.weight - a.weight);
  }

  /// Of one joint; -1 where no skin moves the point.
  weightOf(point: number, joint: number): number {
    let sum = -1;
    for (let at = this.most * point; at < this.most * (point + 1); ++at) {
      if (this.joints[at] < 0) continue;
      sum = Math.max(sum, 0) + (this.joints[at] === joint ? this.weights[at] : 0);
    }
    return sum;
  }

  /// How many points feel each joint.
  counts(joints: number): number[] {
    const counts = new Array<number>(joints).fill(0);
    for (let at = 0; at < this.joints.length; ++at) if (this.joints[at] >= 0 && this.weights[at] > 1e-3) ++counts[this.joints[at]];
    return counts;
  }
}
