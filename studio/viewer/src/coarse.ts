// The character with fewer triangles, for pictures that must be quick: vertices that lie close together become one of
// them. Vertices themselves, their skins and morphs stay as they are.

import { BufferAttribute, BufferGeometry, Mesh, Object3D } from 'three';

const kTriangles = 12000;  // of the whole character, about
const kTries = 8;

export class CoarseMeshes {
  private readonly coarse = new Map<BufferGeometry, BufferGeometry>();

  constructor(private readonly root: Object3D, meshes: readonly Mesh[]) {
    const triangles = (mesh: Mesh) => indexOf(mesh.geometry).length / 3;
    const all = meshes.reduce((sum, mesh) => sum + triangles(mesh), 0);
    if (all <= 1.5 * kTriangles) return;
    for (const mesh of meshes) this.coarse.set(mesh.geometry, simplified(mesh.geometry, (kTriangles * triangles(mesh)) / all));
  }

  /// Draws with few triangles: everything that shows one of the meshes, but for wireframes.
  draw(draw: () => void): void {
    const swapped: { mesh: Mesh; fine: BufferGeometry }[] = [];
    this.root.traverse((object) => {
      const coarse = object instanceof Mesh && !object.material.wireframe && this.coarse.get(object.geometry);
      if (!coarse) return;
      swapped.push({ mesh: object as Mesh, fine: (object as Mesh).geometry });
      (object as Mesh).geometry = coarse;
    });
    draw();
    for (const { mesh, fine } of swapped) mesh.geometry = fine;
  }

  dispose(): void { for (const geometry of this.coarse.values()) geometry.dispose(); }
}

/// Shares all attributes with `fine`; about `triangles` are left.
function simplified(fine: BufferGeometry, triangles: number): BufferGeometry {
  const coarse = new BufferGeometry();
  coarse.attributes = fine.attributes;
  coarse.morphAttributes = fine.morphAttributes;
  coarse.morphTargetsRelative = fine.morphTargetsRelative;
  const index = indexOf(fine);
  fine.computeBoundingBox();
  const { min, max } = fine.boundingBox!, size = Math.hypot(max.x - min.x, max.y - min.y, max.z - min.z);
  // A closed surface of n triangles crosses about n / 2 cells; the cell grows until few enough are left.
  let cell = size / Math.sqrt(2 * triangles), left = index;
  for (let k = 0; k < kTries && left.length / 3 > 1.2 * triangles; ++k, cell *= 1.3) left = merged(fine, index, cell);
  coarse.setIndex(new BufferAttribute(left, 1));
  return coarse;
}

/// The triangles whose corners lie in three cells. Of a cell's vertices those with like normals and texture coordinates
/// become one: thin parts keep their two sides, and textures their seams.
function merged(geometry: BufferGeometry, index: Uint32Array, cell: number): Uint32Array {
  const { position, normal, uv } = geometry.attributes, firsts = new Map<string, number>();
  const own = new Uint32Array(position.count);
  const sign = (value: number) => (value < -0.5 ? 0 : value > 0.5 ? 2 : 1);
  for (let i = 0; i < position.count; ++i) {
    const facing = normal ? sign(normal.getX(i)) + 3 * sign(normal.getY(i)) + 9 * sign(normal.getZ(i)) : 0;
    const picture = uv ? `${Math.floor(8 * uv.getX(i))},${Math.floor(8 * uv.getY(i))}` : '';
    const key = `${Math.floor(position.getX(i) / cell)},${Math.floor(position.getY(i) / cell)},${Math.floor(position.getZ(i) / cell)},${facing},${picture}`;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, i);
    own[i] = first ?? i;
  }
  const left: number[] = [];
  for (let t = 0; t < index.length; t += 3) {
    const a = own[index[t]], b = own[index[t + 1]], c = own[index[t + 2]];
    if (a !== b && b !== c && c !== a) left.push(a, b, c);
  }
  return Uint32Array.from(left);
}

function indexOf(geometry: BufferGeometry): Uint32Array {
  const { index, attributes: { position } } = geometry;
  return Uint32Array.from({ length: index?.count ?? position.count }, (_, i) => index?.getX(i) ?? i);
}
