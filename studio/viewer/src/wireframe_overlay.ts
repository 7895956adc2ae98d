// The edges of the mesh, drawn over its shading and moving with it.

import { Color, Mesh, MeshBasicMaterial, SkinnedMesh } from 'three';
import { withInfluences } from './influences';
import { influenceSets } from './vertices';

export class WireframeOverlay {
  private readonly lines: Mesh[] = [];

  constructor(meshes: readonly Mesh[]) {
    for (const mesh of meshes) {
      const material = withInfluences(new MeshBasicMaterial({
        wireframe: true, transparent: true, opacity: 0.35, depthWrite: false, toneMapped: false,
        polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }), influenceSets(mesh).length);
      const lines = mesh instanceof SkinnedMesh ? new SkinnedMesh(mesh.geometry, material) : new Mesh(mesh.geometry, material);
      if (mesh instanceof SkinnedMesh) (lines as SkinnedMesh).bind(mesh.skeleton, mesh.bindMatrix);
      lines.morphTargetInfluences = mesh.morphTargetInfluences;  // the same array: they morph together
      lines.morphTargetDictionary = mesh.morphTargetDictionary;
      lines.frustumCulled = false;
      lines.visible = false;
      lines.renderOrder = 1;
      mesh.add(lines);
      this.lines.push(lines);
    }
  }

  set visible(visible: boolean) { for (const lines of this.lines) lines.visible = visible; }

  setColor(color: Color): void {
    for (const lines of this.lines) (lines.material as MeshBasicMaterial).color.copy(color);
  }
}
