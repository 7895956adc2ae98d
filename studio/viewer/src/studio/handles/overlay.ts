// Dots and lines over the character, of one size on the screen whatever their distance.

import { BufferAttribute, BufferGeometry, CanvasTexture, Color, Group, LineBasicMaterial, LineSegments, Points, PointsMaterial, Vector3 } from 'three';

const kDotPixels = 13, kStrongPixels = 19, kRimPixels = 4;
const kRim = new Color('#ffffff');

export interface Dot {
  at: Vector3;
  color: Color;
  strong?: boolean;  ///< larger: under the pointer, or dragged
}

export class DotOverlay extends Group {
  private readonly dots: Points<BufferGeometry, PointsMaterial>[][];  ///< with a rim behind each
  private readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, depthWrite: false, transparent: true }));

  constructor(pixels = kDotPixels, strong = kStrongPixels) {
    super();
    this.dots = [pixels, strong].map((own) => [own + Math.min(kRimPixels, own / 3), own].map((size) => new Points(new BufferGeometry(), dotMaterial(size))));
    this.lines.renderOrder = 20;
    this.dots.flat().forEach((points, i) => { points.renderOrder = 21 + i; });
    for (const object of [this.lines, ...this.dots.flat()]) object.frustumCulled = false;
    this.add(this.lines, ...this.dots.flat());
  }

  show(dots: readonly Dot[], lines: readonly { from: Vector3; to: Vector3; color: Color }[]): void {
    this.dots.forEach(([rim, points], large) => {
      const own = dots.filter(({ strong }) => !!strong === (large === 1));
      fill(rim.geometry, own.map(({ at }) => ({ at, color: kRim })));
      fill(points.geometry, own);
    });
    fill(this.lines.geometry, lines.flatMap(({ from, to, color }) => [{ at: from, color }, { at: to, color }]));
  }
}

function fill(geometry: BufferGeometry, vertices: readonly { at: Vector3; color: Color }[]): void {
  const old = geometry.getAttribute('position') as BufferAttribute | undefined;
  if (!old || old.count < vertices.length) {
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * vertices.length), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * vertices.length), 3));
  }
  const position = geometry.getAttribute('position') as BufferAttribute, color = geometry.getAttribute('color') as BufferAttribute;
  vertices.forEach((vertex, i) => {
    position.setXYZ(i, vertex.at.x, vertex.at.y, vertex.at.z);
    color.setXYZ(i, vertex.color.r, vertex.color.g, vertex.color.b);
  });
  position.needsUpdate = color.needsUpdate = true;
  geometry.setDrawRange(0, vertices.length);
}

function dotMaterial(pixels: number): PointsMaterial {
  return new PointsMaterial({ size: pixels * Math.min(2, window.devicePixelRatio), sizeAttenuation: false, map: disc(), vertexColors: true,
                              transparent: true, depthTest: false, depthWrite: false, toneMapped: false });
}

/// A disc with a soft edge.
function disc(): CanvasTexture {
  const canvas = document.createElement('canvas'), size = canvas.width = canvas.height = 64;
  const pen = canvas.getContext('2d')!, middle = size / 2;
  pen.beginPath();
  pen.arc(middle, middle, 0.46 * size, 0, 2 * Math.PI);
  pen.fillStyle = '#fff';
  pen.fill();
  return new CanvasTexture(canvas);
}
