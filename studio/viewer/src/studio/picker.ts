// Which point of the skin is seen at a pixel: the graphics card draws every vertex's number into that pixel.

import { Mesh, MeshBasicMaterial } from 'three';
import { twinOf } from '../twin';
import { Pane, Viewport } from '../viewport';

const kPickLayer = 2;

export class Picker {
  constructor(private readonly viewport: Viewport, meshes: readonly Mesh[]) {
    let first = 1;  // 0: nothing is there
    for (const mesh of meshes) {
      const twin = twinOf(mesh, new MeshBasicMaterial({ toneMapped: false }));
      writeNumbers(twin.material as MeshBasicMaterial, first);
      twin.layers.set(kPickLayer);
      first += mesh.geometry.attributes.position.count;
    }
  }

  /// A corner of the triangle at a place of the canvas (pixels from its top left corner) as `pane` shows it; its number
  /// is that of `rigspace eval`. Null: none.
  pointAt(x: number, y: number, pane: Pane): number | null {
    const [low, middle, high] = this.viewport.probe(x, y, pane, kPickLayer);
    const number = low + 256 * middle + 65536 * high;
    return number > 0 ? number - 1 : null;
  }
}

// A flat varying takes the value of the triangle's last corner.
function writeNumbers(material: MeshBasicMaterial, first: number): void {
  const earlier = material.onBeforeCompile, key = material.customProgramCacheKey.call(material);
  material.onBeforeCompile = (shader, renderer) => {
    earlier.call(material, shader, renderer);
    shader.uniforms.firstPoint = { value: first };
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nuniform int firstPoint;\nflat varying int vPoint;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvPoint = firstPoint + gl_VertexID;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nflat varying int vPoint;')
      .replace('#include <dithering_fragment>',
               'gl_FragColor = vec4( vPoint & 255, ( vPoint >> 8 ) & 255, ( vPoint >> 16 ) & 255, 255 ) / 255.0;');
  };
  material.customProgramCacheKey = () => `${key}+points${first}`;
}
