// Spheres and capsules as the stage shows them.

import { CapsuleGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';
import { Shape } from './colliders';

const kStrength = 0.38;

export class ColliderOverlay extends Group {
  private readonly material = new MeshBasicMaterial({ transparent: true, opacity: kStrength, depthWrite: false });
  private readonly wire = new MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.12, depthWrite: false });

  show(shapes: readonly Shape[], color: string): void {
    for (const child of [...this.children] as Mesh[]) { child.geometry.dispose(); this.remove(child); }
    this.material.color.set(color);
    this.wire.color.set(color);
    for (const shape of shapes) {
      const solid = meshOf(shape, this.material), lines = new Mesh(solid.geometry, this.wire);
      lines.position.copy(solid.position);
      lines.quaternion.copy(solid.quaternion);
      this.add(solid, lines);
    }
  }
}

function meshOf({ kind, numbers }: Shape, material: MeshBasicMaterial): Mesh {
  const a = new Vector3().fromArray(numbers), r = Math.max(1e-6, Math.abs(numbers[numbers.length - 1]));
  if (kind === 'sphere') {
    const ball = new Mesh(new SphereGeometry(r, 24, 14), material);
    ball.position.copy(a);
    return ball;
  }
  const b = new Vector3().fromArray(numbers, 3), way = b.clone().sub(a), length = way.length();
  const rod = new Mesh(new CapsuleGeometry(r, length, 6, 18), material);
  rod.position.copy(a).lerp(b, 0.5);
  if (length > 0) rod.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), way.divideScalar(length)));
  return rod;
}
