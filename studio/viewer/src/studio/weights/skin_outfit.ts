// The character in the draft's weights: other skin attributes for pictures of "after", the file's own for "before".

import { BufferAttribute, BufferGeometry, InterleavedBufferAttribute, SkinnedMesh } from 'three';
import { influenceSets } from '../../vertices';
import { Model } from '../model';
import { Outfit } from '../stage_types';
import { WeightLists } from './lists';

type Attribute = BufferAttribute | InterleavedBufferAttribute;

interface Wardrobe {
  geometry: BufferGeometry;
  first: number;           ///< number of its first point
  bones: Int16Array;       ///< by joint of the slice: its place in the mesh's skeleton, or -1
  own: Attribute[];        ///< the file's, as names has them
  draft: BufferAttribute[];
  names: string[];         ///< skinIndex, skinWeight, joints_1, ..
}

export class SkinOutfit implements Outfit {
  private readonly wardrobes: Wardrobe[] = [];
  private worn: 'own' | 'draft' = 'own';

  /// `joints`: names, as the slice lists them.
  constructor(model: Model, joints: readonly string[], private readonly lists: WeightLists) {
    let first = 0;
    for (const mesh of model.character.meshes) {
      const { geometry } = mesh, { count } = geometry.attributes.position;
      if (mesh instanceof SkinnedMesh) {
        const places = new Map(mesh.skeleton.bones.map((bone, k) => [model.nameOf(bone), k]));
        const names = influenceSets(mesh).flatMap((_, s) => (s === 0 ? ['skinIndex', 'skinWeight'] : [`joints_${s}`, `weights_${s}`]));
        const own = names.map((name) => geometry.attributes[name] as Attribute);
        const draft = own.map((attribute) => new BufferAttribute(Float32Array.from({ length: 4 * count }, (_, at) => attribute.getComponent(at >> 2, at & 3)), 4));
        this.wardrobes.push({ geometry, first, own, draft, names, bones: Int16Array.from(joints.map((name) => places.get(name) ?? -1)) });
      }
      first += count;
    }
    this.update();
  }

  /// To what the lists say now; of these points alone, or of all.
  update(points?: readonly number[]): void {
    for (const wardrobe of this.wardrobes) {
      const { first, draft } = wardrobe, count = draft[0].count;
      if (points) { for (const point of points) if (point >= first && point < first + count) this.write(wardrobe, point - first); }
      else for (let i = 0; i < count; ++i) this.write(wardrobe, i);
      for (const attribute of draft) attribute.needsUpdate = true;
    }
  }

  before(): void { this.wear('own'); }
  after(): void { this.wear('draft'); }

  private write({ first, bones, draft }: Wardrobe, i: number): void {
    const list = this.lists.at(first + i).filter(({ joint }) => bones[joint] >= 0);
    if (list.length === 0) return;  // no skin of the file's moves it: as it was
    const room = 2 * draft.length, kept = list.slice(0, room), sum = kept.reduce((all, { weight }) => all + weight, 0);
    for (let k = 0; k < room; ++k) {
      const set = 2 * (k >> 2);
      draft[set].setComponent(i, k & 3, kept[k] ? bones[kept[k].joint] : 0);
      draft[set + 1].setComponent(i, k & 3, kept[k] ? kept[k].weight / sum : 0);
    }
  }

  private wear(which: 'own' | 'draft'): void {
    if (which === this.worn) return;
    this.worn = which;
    for (const { geometry, names, [which]: attributes } of this.wardrobes)
      names.forEach((name, k) => geometry.setAttribute(name, attributes[k]));
  }
}
