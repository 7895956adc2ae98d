// Where the vertices are: morphing and skinning in double precision, apart from what the graphics card draws.

import { Box3, BufferAttribute, InterleavedBufferAttribute, Matrix4, Mesh, SkinnedMesh, Vector3 } from 'three';

type Attribute = BufferAttribute | InterleavedBufferAttribute;

/// The pairs of joint and weight attributes of a geometry, four influences each: JOINTS_0, JOINTS_1, ...
export function influenceSets(mesh: Mesh): { joints: Attribute; weights: Attribute }[] {
  const sets = [];
  const attributes = mesh.geometry.attributes;
  if (attributes.skinIndex && attributes.skinWeight)
    sets.push({ joints: attributes.skinIndex, weights: attributes.skinWeight });
  for (let i = 1; attributes[`joints_${i}`] && attributes[`weights_${i}`]; ++i)
    sets.push({ joints: attributes[`joints_${i}`], weights: attributes[`weights_${i}`] });
  return sets;
}

/// Calls `visit` with the scene-space position of every `stride`th vertex, as the scene is posed now.
/// World matrices must be up to date. The vector is reused between calls. `only`: that vertex alone.
export function visitVertices(mesh: Mesh, stride: number, visit: (position: Vector3) => void, only?: number): void {
  const place = mesh instanceof SkinnedMesh ? skinning(mesh) : rigid(mesh);
  const morph = morphing(mesh);
  const source = mesh.geometry.attributes.position;
  const position = new Vector3();
  for (let i = only ?? 0; i < (only === undefined ? source.count : only + 1); i += stride) {
    position.fromBufferAttribute(source as BufferAttribute, i);
    morph(i, position);
    place(i, position);
    visit(position);
  }
}

function rigid(mesh: Mesh) {
  const world = mesh.matrixWorld;
  return (_: number, position: Vector3) => { position.applyMatrix4(world); };
}

// glTF: a skinned vertex is sum_j w_j (W_j B_j) x; the transform of the mesh's own node plays no part.
function skinning(mesh: SkinnedMesh) {
  const matrices = mesh.skeleton.bones.map((bone, j) =>
    new Matrix4().multiplyMatrices(bone.matrixWorld, mesh.skeleton.boneInverses[j]));
  const sets = influenceSets(mesh);
  const sum = new Vector3();
  const moved = new Vector3();
  return (i: number, position: Vector3) => {
    sum.set(0, 0, 0);
    for (const { joints, weights } of sets) {
      for (let k = 0; k < 4; ++k) {
        const weight = weights.getComponent(i, k);
        if (weight === 0) continue;
        const matrix = matrices[joints.getComponent(i, k)];
        if (matrix) sum.addScaledVector(moved.copy(position).applyMatrix4(matrix), weight);
      }
    }
    position.copy(sum);
  };
}

function morphing(mesh: Mesh) {
  const targets = mesh.geometry.morphAttributes.position ?? [];
  const influences = mesh.morphTargetInfluences ?? [];
  const active = targets.map((target, k) => ({ target, weight: influences[k] ?? 0 })).filter((t) => t.weight !== 0);
  const delta = new Vector3();
  return (i: number, position: Vector3) => {
    for (const { target, weight } of active)
      position.addScaledVector(delta.fromBufferAttribute(target as BufferAttribute, i), weight);
  };
}

/// All vertices, flattened: meshes in the order given, vertices in file order.
export function allPositions(meshes: readonly Mesh[]): Float64Array {
  const count = meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
  const positions = new Float64Array(3 * count);
  let next = 0;
  for (const mesh of meshes)
    visitVertices(mesh, 1, (position) => { position.toArray(positions, next); next += 3; });
  return positions;
}

/// A cloud of points that stands for the shape in some of its poses, and the box around it.
export interface Extent {
  box: Box3;
  points: Vector3[];
}

/// Adds the present pose to `extent`, by at most about `limit` vertices.
export function addToExtent(extent: Extent, meshes: readonly Mesh[], limit: number): void {
  const count = meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
  const stride = Math.max(1, Math.ceil(count / limit));
  for (const mesh of meshes) {
    visitVertices(mesh, stride, (position) => {
      if (!Number.isFinite(position.x + position.y + position.z)) return;
      extent.points.push(position.clone());
      extent.box.expandByPoint(position);
    });
  }
}
