// A small photographic studio: a key light that casts soft shadows, a weak one from behind, light from all around.

import { DirectionalLight, Group, HemisphereLight, Mesh, MeshStandardMaterial, PMREMGenerator, Vector3,
         WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { sizeOf } from './framing';
import { Extent } from './vertices';

const kMetallic = 0.25;
const kKeyDirection = new Vector3(-0.45, 1, 0.55).normalize();
const kRimDirection = new Vector3(0.8, 0.35, -0.6).normalize();

export class Lighting extends Group {
  private readonly key = new DirectionalLight(0xfffaf4, 2.7);
  private readonly rim = new DirectionalLight(0xe8f0ff, 0.7);

  constructor() {
    super();
    // Blurred variance shadows, small: also quick where there is no graphics card.
    this.key.castShadow = true;
    this.key.shadow.mapSize.setScalar(512);
    this.key.shadow.radius = 3.5;
    this.key.shadow.blurSamples = 8;
    this.key.shadow.bias = -0.0006;
    this.add(new HemisphereLight(0xffffff, 0xc4beb7, 2.15), this.key, this.key.target, this.rim, this.rim.target);
  }

  /// Off, they stay as they were last drawn, but are not seen; no material is compiled anew.
  set shadows(on: boolean) { this.key.shadow.intensity = on ? 1 : 0; }

  /// Light and shadow for all of a motion.
  cover(extent: Extent): void {
    const size = sizeOf(extent);
    const middle = extent.box.isEmpty() ? new Vector3() : extent.box.getCenter(new Vector3());
    for (const [light, direction] of [[this.key, kKeyDirection], [this.rim, kRimDirection]] as const) {
      light.target.position.copy(middle);
      light.position.copy(middle).addScaledVector(direction, 3 * size);
    }
    const { shadow } = this.key;
    const reach = 0.6 * size;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 1.5 * size, far: 6 * size });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.006 * size;
  }
}

/// Metal is black without a room to reflect. A room costs seconds without a graphics card, so only metal gets one.
export function reflectRoom(meshes: readonly Mesh[], renderer: WebGLRenderer): void {
  const metals = new Set(meshes.flatMap((mesh) => mesh.material)
    .filter((m): m is MeshStandardMaterial => m instanceof MeshStandardMaterial && m.metalness > kMetallic));
  if (metals.size === 0) return;
  const generator = new PMREMGenerator(renderer);
  const { texture } = generator.fromScene(new RoomEnvironment(), 0.04);
  generator.dispose();
  for (const metal of metals) {
    metal.envMap = texture;
    metal.envMapIntensity = 0.7;
    metal.needsUpdate = true;
  }
}
