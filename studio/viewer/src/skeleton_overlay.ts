// Joints and bones, drawn over the skin.

import { BufferGeometry, Color, Float32BufferAttribute, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Object3D,
         Quaternion, SphereGeometry, Vector3 } from 'three';

export class SkeletonOverlay extends Group {
  private readonly bones: InstancedMesh;
  private readonly dots: InstancedMesh;
  private readonly links: { from: Object3D; to: Object3D }[] = [];

  /// `size` is that of the character, for the dots.
  constructor(private readonly joints: readonly Object3D[], private readonly size: number) {
    super();
    const known = new Set(joints);
    for (const joint of joints) {
      let parent = joint.parent;  // the nearest joint above, since plain nodes may stand between
      while (parent && !known.has(parent)) parent = parent.parent;
      if (parent) this.links.push({ from: parent, to: joint });
    }
    this.bones = overlayMesh(boneGeometry(), this.links.length, 10);
    this.dots = overlayMesh(new SphereGeometry(1, 12, 8), joints.length, 11);
    this.add(this.bones, this.dots);
  }

  setColors(bone: Color, joint: Color): void {
    (this.bones.material as MeshBasicMaterial).color.copy(bone);
    (this.dots.material as MeshBasicMaterial).color.copy(joint);
  }

  /// To the joints' present world matrices.
  update(): void {
    if (!this.visible) return;
    const from = new Vector3(), to = new Vector3(), along = new Vector3();
    const turn = new Quaternion(), matrix = new Matrix4(), scale = new Vector3();
    this.links.forEach((link, i) => {
      from.setFromMatrixPosition(link.from.matrixWorld);
      to.setFromMatrixPosition(link.to.matrixWorld);
      const length = along.subVectors(to, from).length();
      turn.setFromUnitVectors(kUp, length > 0 ? along.divideScalar(length) : kUp);
      const width = Math.min(0.09 * length, 0.014 * this.size);
      this.bones.setMatrixAt(i, matrix.compose(from, turn, scale.set(width, length, width)));
    });
    this.joints.forEach((joint, i) => {
      from.setFromMatrixPosition(joint.matrixWorld);
      this.dots.setMatrixAt(i, matrix.compose(from, turn.identity(), scale.setScalar(0.0042 * this.size)));
    });
    this.bones.instanceMatrix.needsUpdate = this.dots.instanceMatrix.needsUpdate = true;
  }
}

const kUp = new Vector3(0, 1, 0);

function overlayMesh(geometry: BufferGeometry, count: number, order: number): InstancedMesh {
  const material = new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity: 0.9,
                                           toneMapped: false, vertexColors: geometry.hasAttribute('color') });
  const mesh = new InstancedMesh(geometry, material, count);
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  return mesh;
}

// An octahedron from the origin to (0, 1, 0), widest near its root; its sides are shaded by hand.
function boneGeometry(): BufferGeometry {
  const ring = [[1, 0.16, 0], [0, 0.16, 1], [-1, 0.16, 0], [0, 0.16, -1]];
  const positions: number[] = [], colors: number[] = [];
  ring.forEach((corner, i) => {
    const next = ring[(i + 1) % 4];
    positions.push(...corner, 0, 1, 0, ...next, ...corner, ...next, 0, 0, 0);
    const shade = [1, 0.82, 0.66, 0.86][i];
    for (let k = 0; k < 18; ++k) colors.push(k < 9 ? shade : 0.8 * shade);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(colors, 3));
  return geometry;
}
