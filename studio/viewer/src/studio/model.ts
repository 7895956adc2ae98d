// The open character as the page draws it: model.glb of one revision, and what belongs to it.

import { Object3D, SkinnedMesh, Vector3 } from 'three';
import { Character } from '../character';
import { Extent, influenceSets, visitVertices } from '../vertices';
import { Viewport } from '../viewport';
import { Picker } from './picker';
import { driverOf, PoseDriver } from './pose_driver';
import { FileSlice } from './slices';
import { Tint } from './tint';

export class Model {
  readonly driver: PoseDriver;
  readonly tint: Tint;
  private picker_: Picker | null = null;
  private readonly names: ReadonlyMap<Object3D, string>;
  private readonly firsts: number[] = [];  ///< by mesh: the number of its first point

  private constructor(readonly file: FileSlice, readonly character: Character) {
    this.driver = driverOf(character, file);
    if (file.kind === 'points')  // nothing is skinned: its nodes are the joints
      for (const name of file.nodes) if (character.nodes.has(name)) character.joints.push(character.nodes.get(name)!);
    this.tint = new Tint(character.meshes);
    this.names = new Map([...character.nodes].map(([name, node]) => [node, name]));
    let first = 0;
    for (const mesh of character.meshes) {
      this.firsts.push(first);
      first += mesh.geometry.attributes.position.count;
    }
  }

  static async load(file: FileSlice): Promise<Model> {
    const answer = await fetch(`/file/${file.revision}/model.glb${location.search}`);
    if (!answer.ok) throw new Error(`The server has no picture of ${file.name} (${answer.status}).`);
    return new Model(file, await Character.load(await answer.arrayBuffer()));
  }

  get revision(): number { return this.file.revision; }

  picker(viewport: Viewport): Picker { return this.picker_ ??= new Picker(viewport, this.character.meshes); }

  nameOf(node: unknown): string { return this.names.get(node as Object3D) ?? ''; }

  /// The space that a clip of the artist's takes, and both where there is no such clip in the file. Leaves another pose.
  extentOf(clip: string | null): Extent {
    return this.character.extentOf(clip === null ? null : this.character.clipNamed(clip) ?? null);
  }

  /// In the pose that the character stands in.
  positionOf(point: number): Vector3 | null {
    const { mesh, index } = this.owner(point);
    let found: Vector3 | null = null;
    if (mesh) visitVertices(mesh, 1, (position) => { found = position.clone(); }, index);
    return found;
  }

  /// The joint with the largest weight at a point, or the node of its mesh.
  nodeAt(point: number): string {
    const { mesh, index } = this.owner(point);
    let most = 0, name = (mesh?.userData.rigspaceNodeName as string | undefined) ?? '';
    if (!(mesh instanceof SkinnedMesh)) return name;
    for (const { joints, weights } of influenceSets(mesh)) {
      for (let k = 0; k < 4; ++k) {
        const weight = weights.getComponent(index, k);
        if (weight <= most) continue;
        most = weight;
        name = this.nameOf(mesh.skeleton.bones[joints.getComponent(index, k)]) || name;
      }
    }
    return name;
  }

  private owner(point: number) {
    const m = this.firsts.findLastIndex((first) => first <= point);
    const mesh = this.character.meshes[m], index = point - (this.firsts[m] ?? 0);
    return mesh && index < mesh.geometry.attributes.position.count ? { mesh, index } : { mesh: null, index: 0 };
  }
}
