// The character as a ghost: one flat, translucent shape, for a pose to be seen over another.

import { Color, Mesh, MeshBasicMaterial } from 'three';
import { twinOf } from './twin';

/// Ghosts are in a layer of their own, which a camera sees alone.
export const kGhostLayer = 1;

export interface GhostLook {
  color: string;
  opacity: number;  ///< 0 to 1
}

export class GhostOverlay {
  private readonly tinted: MeshBasicMaterial[] = [];

  constructor(meshes: readonly Mesh[]) {
    for (const mesh of meshes) {
      // Depth first and colour after it, so that what overlaps itself is not seen through. Both are set back a little:
      // where the two poses agree, the solid one hides the ghost.
      const back = { polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 8, toneMapped: false };
      const depth = twinOf(mesh, new MeshBasicMaterial({ ...back, colorWrite: false }));
      const tint = twinOf(mesh, new MeshBasicMaterial({ ...back, transparent: true, opacity: 0.5, depthWrite: false }));
      depth.renderOrder = 20;
      tint.renderOrder = 21;
      for (const twin of [depth, tint]) twin.layers.set(kGhostLayer);
      this.tinted.push(tint.material as MeshBasicMaterial);
    }
  }

  setLook({ color, opacity }: GhostLook): void {
    const ink = new Color(color);
    for (const material of this.tinted) {
      material.color.copy(ink);
      material.opacity = opacity;
    }
  }
}
