// A character as a page plays it: loaded from the bytes of a GLB, posed at a time of a clip.

import { AnimationAction, AnimationClip, AnimationMixer, Box3, Color, LoadingManager, Mesh,
         MeshStandardMaterial, Object3D, SkinnedMesh } from 'three';
import { GLTF, GLTFLoader, GLTFParser } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { drawAllInfluences, normalizeAllInfluences } from './influences';
import { Morph, MorphSet } from './morphs';
import { UniqueNames } from './names';
import { Playable } from './player';
import { addToExtent, allPositions, Extent } from './vertices';

export interface Clip extends Playable {
  readonly animation: AnimationClip;
}

export interface Counts {
  vertices: number;
  triangles: number;
  joints: number;
  clips: number;
  morphs: number;
}

const kPoses = 16, kPointsPerPose = 1500;  // of which a motion's extent is made

const kReadable = new Set([
  'KHR_materials_unlit', 'KHR_mesh_quantization', 'KHR_texture_transform', 'KHR_lights_punctual',
  'KHR_materials_specular', 'KHR_materials_ior', 'KHR_materials_clearcoat', 'KHR_materials_sheen',
  'KHR_materials_transmission', 'KHR_materials_volume', 'KHR_materials_emissive_strength',
  'KHR_materials_iridescence', 'KHR_materials_anisotropy', 'KHR_materials_dispersion', 'EXT_texture_webp',
  'EXT_texture_avif', 'EXT_mesh_gpu_instancing', 'KHR_materials_variants', 'KHR_xmp_json_ld', 'VRMC_springBone',
]);

// A blank pixel, in place of a picture that the file only points to.
const kBlankPixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC';

/// Laws: pose() depends on its arguments and on held morphs alone, not on what was posed before; positions() are
/// those of the last pose(), in scene space, nodes then primitives in file order, unwelded.
export class Character {
  readonly root: Object3D;
  readonly clips: Clip[];
  readonly joints: Object3D[];
  readonly morphs: MorphSet;
  readonly counts: Counts;
  readonly nodes: ReadonlyMap<string, Object3D>;  ///< of the scene, by their unique names
  private readonly mixer: AnimationMixer;
  private action: AnimationAction | null = null;

  private constructor(gltf: GLTF, readonly meshes: readonly Mesh[], readonly warnings: readonly string[]) {
    this.root = gltf.scene;
    this.mixer = new AnimationMixer(this.root);
    this.nodes = namedNodes(gltf);
    this.clips = namedClips(gltf.parser.json as GltfJson, gltf.animations);
    this.joints = [...new Set(meshes.flatMap((m) => (m instanceof SkinnedMesh ? m.skeleton.bones : [])))];
    this.morphs = new MorphSet(morphsOf(meshes));
    this.counts = {
      vertices: meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0),
      triangles: meshes.reduce((sum, mesh) => sum + triangleCount(mesh), 0),
      joints: this.joints.length, clips: this.clips.length, morphs: this.morphs.all.length,
    };
    this.pose(null, 0);
  }

  static async load(bytes: ArrayBuffer): Promise<Character> {
    normalizeAllInfluences();
    const missing: string[] = [];
    const manager = new LoadingManager();
    manager.setURLModifier((url) => {
      if (/^(data|blob):/.test(url)) return url;
      missing.push(url);
      return kBlankPixel;
    });
    const loader = new GLTFLoader(manager);
    loader.register((parser) => { prepare(parser.json); return { name: 'rigspace' }; });
    const gltf = await loader.parseAsync(bytes, '').catch((error: unknown) => { throw explained(error, missing); });
    const meshes = orderedMeshes(gltf);
    for (const mesh of meshes) prepareMesh(mesh, gltf.parser);
    const warnings = missing.map((url) => `The picture “${url}” is not inside the file.`);
    return new Character(gltf, meshes, warnings);
  }

  clipNamed(name: string): Clip | undefined { return this.clips.find((clip) => clip.name === name); }

  /// The pose at `time` seconds of `clip`, or the rest pose; what the clip does not move is at rest.
  pose(clip: Clip | null, time: number): void {
    this.morphs.restore();
    if (this.action?.getClip() !== clip?.animation) {
      this.mixer.stopAllAction();
      this.action = clip ? this.mixer.clipAction(clip.animation).play() : null;
    }
    if (this.action) {
      this.action.time = time;
      this.mixer.update(0);
    }
    this.morphs.apply();
    this.root.updateMatrixWorld(true);
  }

  positions(): Float64Array { return allPositions(this.meshes); }

  /// The space that the present pose takes.
  extentNow(): Extent {
    const extent: Extent = { box: new Box3(), points: [] };
    addToExtent(extent, this.meshes, kPointsPerPose);
    return extent;
  }

  /// The space that a clip moves through. Leaves the character in another pose.
  extentOf(clip: Clip | null): Extent {
    const extent: Extent = { box: new Box3(), points: [] };
    const poses = clip && clip.duration > 0 ? kPoses : 1;
    for (let i = 0; i < poses; ++i) {
      this.pose(clip, poses > 1 ? (clip!.duration * i) / (poses - 1) : 0);
      addToExtent(extent, this.meshes, kPointsPerPose);
    }
    return extent;
  }
}

interface GltfJson {
  extensionsRequired?: string[];
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: { name?: string; mesh?: number; children?: number[] }[];
  meshes?: { primitives: { material?: number }[] }[];
  animations?: { name?: string }[];
}

// One scene: the default one, else all that has no parent. (three.js keeps track of the nodes of one scene only.)
function prepare(json: GltfJson): void {
  const foreign = (json.extensionsRequired ?? []).filter((name) => !kReadable.has(name));
  if (foreign.length > 0)
    throw new Error(`The file requires ${foreign.join(', ')}, which this page cannot read; export it without.`);
  if (json.scenes?.length) {
    json.scenes = [json.scenes[json.scene ?? 0]];
  } else {
    const children = new Set((json.nodes ?? []).flatMap((node) => node.children ?? []));
    json.scenes = [{ nodes: (json.nodes ?? []).map((_, i) => i).filter((i) => !children.has(i)) }];
  }
  json.scene = 0;
}

function explained(error: unknown, missing: string[]): Error {
  const said = error instanceof Error ? error.message : String(error);
  if (said.startsWith('The file')) return new Error(said);
  if (missing.length > 0) return new Error(`The file refers to “${missing[0]}”, which is not inside it.`);
  return new Error(`The file cannot be read: ${said.replace(/^THREE\.\w+: /, '').replace(/\.$/, '')}.`);
}

/// The drawn primitives, by node and then by primitive as in the file.
function orderedMeshes(gltf: GLTF): Mesh[] {
  const found: { mesh: Mesh; node: number; primitive: number }[] = [];
  const names = nodeNames(gltf.parser.json as GltfJson);
  gltf.scene.traverse((object) => {
    if (!(object instanceof Mesh) || !object.geometry.attributes.position) return;
    let owner: Object3D | null = object;
    while (owner && gltf.parser.associations.get(owner)?.nodes === undefined) owner = owner.parent;
    const node = owner ? gltf.parser.associations.get(owner)!.nodes! : Infinity;
    object.userData.rigspaceNode = node;
    object.userData.rigspaceNodeName = names[node] ?? '';
    found.push({ mesh: object, node, primitive: gltf.parser.associations.get(object)?.primitives ?? 0 });
  });
  found.sort((a, b) => a.node - b.node || a.primitive - b.primitive);
  return found.map(({ mesh }) => mesh);
}

/// A name of its own for every node of the file, in the scene or not.
function nodeNames(json: GltfJson): string[] {
  const names = new UniqueNames();
  return (json.nodes ?? []).map((node, i) => names.add(node.name, 'node', i));
}

function namedNodes(gltf: GLTF): Map<string, Object3D> {
  const names = nodeNames(gltf.parser.json as GltfJson);
  const named = new Map<string, Object3D>();
  gltf.scene.traverse((object) => {
    const node = gltf.parser.associations.get(object)?.nodes;
    if (node !== undefined) named.set(names[node], object);
  });
  return named;
}

function prepareMesh(mesh: Mesh, parser: GLTFParser): void {
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;  // bounds of skinned and morphed meshes are those of the rest pose
  const { meshes, primitives } = parser.associations.get(mesh) ?? {};
  const json = parser.json as GltfJson;
  const bare = meshes !== undefined && json.meshes?.[meshes].primitives[primitives ?? 0].material === undefined;
  // Without a material glTF means white metal, which looks like an accident; clay shows the shape.
  if (bare) {
    const old = mesh.material as MeshStandardMaterial;
    mesh.material = new MeshStandardMaterial({ color: new Color(0xc9c2b8), metalness: 0, roughness: 0.75,
                                               flatShading: old.flatShading, vertexColors: old.vertexColors });
  }
  drawAllInfluences(mesh);
}

function morphsOf(meshes: readonly Mesh[]): Morph[] {
  const byNode = new Map<number, Mesh[]>();
  for (const mesh of meshes) {
    if (!mesh.morphTargetInfluences?.length) continue;
    const node = mesh.userData.rigspaceNode as number;
    byNode.set(node, [...(byNode.get(node) ?? []), mesh]);
  }
  return [...byNode.values()].flatMap((primitives) => {
    const first = primitives[0];
    const group = first.userData.rigspaceNodeName as string;
    const given: string[] = Array.isArray(first.userData.targetNames) ? first.userData.targetNames : [];
    const names = new UniqueNames();
    return first.morphTargetInfluences!.map((_, i) => new Morph(group, names.add(given[i], 'morph', i), i, primitives));
  });
}

function namedClips(json: GltfJson, animations: AnimationClip[]): Clip[] {
  const names = new UniqueNames();
  return animations.map((animation, i) => ({
    name: names.add(json.animations?.[i]?.name, 'animation', i),
    duration: Math.max(0, animation.duration), frameRate: frameRateOf(animation), animation,
  }));
}

// glTF knows no frames. The commonest distance between keys tells the rate that the clip was made or baked at.
function frameRateOf(animation: AnimationClip): number {
  const counts = new Map<number, number>();
  for (const track of animation.tracks) {
    for (let i = 1; i < track.times.length; ++i) {
      const rate = Math.round(1 / (track.times[i] - track.times[i - 1]));
      counts.set(rate, (counts.get(rate) ?? 0) + 1);
    }
  }
  const [rate] = [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0]);
  return rate >= 12 && rate <= 240 ? rate : 24;
}

function triangleCount(mesh: Mesh): number {
  return Math.floor((mesh.geometry.index?.count ?? mesh.geometry.attributes.position.count) / 3);
}

