// The edges of the mesh, drawn over its shading and moving with it.

import { Color, Mesh, MeshBasicMaterial } from 'three';
import { twinOf } from './twin';

export class WireframeOverlay {
  private readonly lines: Mesh[];

  constructor(meshes: readonly Mesh[]) {
    this.lines = meshes.map((mesh) => {
      const lines = twinOf(mesh, new MeshBasicMaterial({
        wireframe: true, transparent: true, opacity: 0.35, depthWrite: false, toneMapped: false,
        polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }));
      lines.renderOrder = 1;
      return lines;
    });
    this.visible = false;
  }

  set visible(visible: boolean) { for (const lines of this.lines) lines.visible = visible; }

  setColor(color: Color): void {
    for (const lines of this.lines) (lines.material as MeshBasicMaterial).color.copy(color);
  }
}
