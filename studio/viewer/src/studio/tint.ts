// Colours of parts on the body: four bytes a vertex, the colour times its strength (linear RGB) and the strength, laid over
// the artist's own colour before it is lit.

import { BufferAttribute, Material, Mesh } from 'three';

const kAttribute = 'partTint';

/// Writes the tint of a point, in the order of `rigspace eval`, at a place of an array.
export type PointColor = (point: number, into: Uint8Array, at: number) => void;

/// Laws: the attribute is written by paint() alone; `strength` (0 to 1) may change from picture to picture.
export class Tint {
  private readonly uniform = { value: 1 };
  private readonly plain = { value: 0 };
  private readonly colors: BufferAttribute[];
  private others: BufferAttribute[] | null = null;  ///< of the pictures of the artist's pose

  constructor(private readonly meshes: readonly Mesh[]) {
    const patched = new Set<Material>();
    this.colors = meshes.map((mesh) => {
      const colors = new BufferAttribute(new Uint8Array(4 * mesh.geometry.attributes.position.count), 4, true);
      mesh.geometry.setAttribute(kAttribute, colors);
      for (const material of [mesh.material].flat()) {
        if (!patched.has(material)) patch(material, this.uniform, this.plain);
        patched.add(material);
      }
      return colors;
    });
  }

  set strength(strength: number) { this.uniform.value = strength; }
  /// Colours as they are, whatever the artist's picture shows there: for scales that a legend explains.
  set flat(on: boolean) { this.plain.value = on ? 1 : 0; }

  paint(color: PointColor): void { this.fill(this.colors, color); }

  /// Other colours for pictures of the artist's pose; null: none.
  paintBefore(color: PointColor | null): void {
    if (color) this.others ??= this.colors.map(({ array }) => new BufferAttribute(new Uint8Array(array.length), 4, true));
    else this.wearBefore(false);
    if (color) this.fill(this.others!, color);
    else this.others = null;
  }

  /// Puts the colours of one of the two on. Returns whether there are any.
  wearBefore(before: boolean): boolean {
    const worn = before && this.others ? this.others : this.colors;
    this.meshes.forEach(({ geometry }, m) => { if (geometry.attributes[kAttribute] !== worn[m]) geometry.setAttribute(kAttribute, worn[m]); });
    return !before || this.others !== null;
  }

  private fill(colors: readonly BufferAttribute[], color: PointColor): void {
    let first = 0;
    this.meshes.forEach((mesh, m) => {
      const bytes = colors[m].array as Uint8Array;
      const { count } = mesh.geometry.attributes.position;
      for (let i = 0; i < count; ++i) color(first + i, bytes, 4 * i);
      colors[m].needsUpdate = true;
      first += count;
    });
  }
}

// The tint keeps the picture's light and dark, so that it does not turn muddy; a line runs where it begins.
const kLayOver = `
  float partLight = mix( 0.35 + 0.9 * sqrt( dot( diffuseColor.rgb, vec3( 0.2126, 0.7152, 0.0722 ) ) ), 1.0, partTintPlain );
  float partEdge = 1.0 - smoothstep( 0.4, 1.6, abs( vPartTint.a - 0.14 ) / max( fwidth( vPartTint.a ), 1e-4 ) );
  float partCover = max( smoothstep( 0.05, 0.6, vPartTint.a ) * vPartTint.a, 0.9 * partEdge );
  diffuseColor.rgb = mix( diffuseColor.rgb, vPartTint.rgb / max( 0.004, vPartTint.a ) * partLight, partCover * partTintStrength );`;

// Joins what other patches of the material do (influences.ts).
function patch(material: Material, strength: { value: number }, plain: { value: number }): void {
  const earlier = material.onBeforeCompile, key = material.customProgramCacheKey.call(material);
  material.onBeforeCompile = (shader, renderer) => {
    earlier.call(material, shader, renderer);
    shader.uniforms.partTintStrength = strength;
    shader.uniforms.partTintPlain = plain;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\nattribute vec4 ${kAttribute};\nvarying vec4 vPartTint;`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>\nvPartTint = ${kAttribute};`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec4 vPartTint;\nuniform float partTintStrength;\nuniform float partTintPlain;')
      .replace('#include <color_fragment>', `#include <color_fragment>\n${kLayOver}`);
  };
  material.customProgramCacheKey = () => `${key}+tint`;
  material.needsUpdate = true;
}
