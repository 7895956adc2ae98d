// Colours of parts on the body: one RGBA byte quadruple a vertex, laid over the artist's own colour before it is lit.

import { BufferAttribute, Material, Mesh } from 'three';

const kAttribute = 'partTint';

/// Laws: the attribute is written by paint() alone; `strength` (0 to 1) may change from picture to picture.
export class Tint {
  private readonly uniform = { value: 1 };
  private readonly colors: BufferAttribute[];

  constructor(private readonly meshes: readonly Mesh[]) {
    const patched = new Set<Material>();
    this.colors = meshes.map((mesh) => {
      const colors = new BufferAttribute(new Uint8Array(4 * mesh.geometry.attributes.position.count), 4, true);
      mesh.geometry.setAttribute(kAttribute, colors);
      for (const material of [mesh.material].flat()) {
        if (!patched.has(material)) patch(material, this.uniform);
        patched.add(material);
      }
      return colors;
    });
  }

  set strength(strength: number) { this.uniform.value = strength; }

  /// `color` writes the tint of a point, in the order of `rigspace eval`, at a place of an array.
  paint(color: (point: number, into: Uint8Array, at: number) => void): void {
    let first = 0;
    this.meshes.forEach((mesh, m) => {
      const bytes = this.colors[m].array as Uint8Array;
      const { count } = mesh.geometry.attributes.position;
      for (let i = 0; i < count; ++i) color(first + i, bytes, 4 * i);
      this.colors[m].needsUpdate = true;
      first += count;
    });
  }
}

// Joins what other patches of the material do (influences.ts).
function patch(material: Material, strength: { value: number }): void {
  const earlier = material.onBeforeCompile, key = material.customProgramCacheKey.call(material);
  material.onBeforeCompile = (shader, renderer) => {
    earlier.call(material, shader, renderer);
    shader.uniforms.partTintStrength = strength;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\nattribute vec4 ${kAttribute};\nvarying vec4 vPartTint;`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>\nvPartTint = ${kAttribute};`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec4 vPartTint;\nuniform float partTintStrength;')
      .replace('#include <color_fragment>', `#include <color_fragment>
        diffuseColor.rgb = mix( diffuseColor.rgb, vPartTint.rgb, vPartTint.a * partTintStrength );`);
  };
  material.customProgramCacheKey = () => `${key}+tint`;
  material.needsUpdate = true;
}
