// The floor: a grid that fades out with distance, and the character's shadow.

import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2 } from 'three';
import { sizeOf } from './framing';
import { Extent } from './vertices';

export class Ground extends Group {
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shadow: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor() {
    super();
    const plane = new PlaneGeometry(1, 1).rotateX(-Math.PI / 2);
    this.grid = new Mesh(plane, new ShaderMaterial({
      vertexShader: kVertex, fragmentShader: kFragment, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: { cell: { value: 1 }, radius: { value: 1 }, middle: { value: new Vector2() },
                  ink: { value: new Color() }, strength: { value: 1 } },
    }));
    this.shadow = new Mesh(plane, new ShadowMaterial({ transparent: true, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.grid.renderOrder = -2;
    this.shadow.renderOrder = -1;
    this.grid.frustumCulled = this.shadow.frustumCulled = false;
    this.add(this.grid, this.shadow);
  }

  set gridVisible(visible: boolean) { this.grid.visible = visible; }

  setInk(ink: Color, gridStrength: number, shadowStrength: number): void {
    this.grid.material.uniforms.ink.value.copy(ink);
    this.grid.material.uniforms.strength.value = gridStrength;
    this.shadow.material.opacity = shadowStrength;
  }

  /// Under the motion, at its own height where the feet are near zero. A cell is 1, 2 or 5 times a power of ten.
  place(extent: Extent): void {
    const size = sizeOf(extent);
    const low = extent.box.isEmpty() ? 0 : extent.box.min.y;
    const y = Math.abs(low) < 0.06 * size ? 0 : low;
    const x = extent.box.isEmpty() ? 0 : (extent.box.min.x + extent.box.max.x) / 2;
    const z = extent.box.isEmpty() ? 0 : (extent.box.min.z + extent.box.max.z) / 2;
    const radius = 4 * size;
    for (const plane of [this.grid, this.shadow]) {
      plane.position.set(x, y, z);
      plane.scale.setScalar(2 * radius);
    }
    const uniforms = this.grid.material.uniforms;
    uniforms.cell.value = roundLength(0.12 * size);
    uniforms.radius.value = radius;
    uniforms.middle.value.set(x, z);
  }
}

/// The 1, 2 or 5 times a power of ten at or below `length`.
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const digit = length / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

const kVertex = `
varying vec3 world;
void main() {
  world = ( modelMatrix * vec4( position, 1.0 ) ).xyz;
  gl_Position = projectionMatrix * viewMatrix * vec4( world, 1.0 );
}`;

// Lines of one pixel: the distance to the nearest line in pixels; where cells shrink to pixels they fade to nothing.
const kFragment = `
varying vec3 world;
uniform float cell, radius, strength;
uniform vec2 middle;
uniform vec3 ink;
float line( vec2 at ) {
  vec2 pixel = fwidth( at );
  vec2 near = abs( fract( at - 0.5 ) - 0.5 ) / pixel;
  vec2 seen = ( 1.0 - min( near, 1.0 ) ) * ( 1.0 - smoothstep( 0.15, 0.5, pixel ) );
  return max( seen.x, seen.y );
}
void main() {
  float fade = 1.0 - smoothstep( 0.15, 1.0, distance( world.xz, middle ) / radius );
  float fine = 0.45 * line( world.xz / cell );
  float coarse = line( world.xz / ( 5.0 * cell ) );
  gl_FragColor = vec4( ink, strength * fade * max( fine, coarse ) );
  #include <colorspace_fragment>
}`;
