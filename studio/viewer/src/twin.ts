// A second drawing of a mesh with another material: same shape, same pose.

import { Material, Mesh, SkinnedMesh } from 'three';
import { withInfluences } from './influences';
import { influenceSets } from './vertices';

/// A child of `mesh` that is skinned and morphed as it is. Casts no shadow.
export function twinOf(mesh: Mesh, material: Material): Mesh {
  const own = withInfluences(material, influenceSets(mesh).length);
  const twin = mesh instanceof SkinnedMesh ? new SkinnedMesh(mesh.geometry, own) : new Mesh(mesh.geometry, own);
  if (mesh instanceof SkinnedMesh) (twin as SkinnedMesh).bind(mesh.skeleton, mesh.bindMatrix);
  twin.morphTargetInfluences = mesh.morphTargetInfluences;  // the same array: they morph together
  twin.morphTargetDictionary = mesh.morphTargetDictionary;
  twin.frustumCulled = false;
  mesh.add(twin);
  return twin;
}
