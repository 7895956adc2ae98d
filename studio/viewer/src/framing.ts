// Where to stand so that a motion is seen whole.

import { PerspectiveCamera, Vector3 } from 'three';
import { Extent } from './vertices';

export interface View {
  target: Vector3;
  position: Vector3;
}

/// Diagonal of the box; 1 for a single point.
export function sizeOf(extent: Extent): number {
  const diagonal = extent.box.isEmpty() ? 0 : extent.box.getSize(new Vector3()).length();
  return diagonal > 0 ? diagonal : 1;
}

/// From the front (glTF characters face +Z), a little to the side and above.
export const kFrontThreeQuarter = new Vector3(0.55, 0.22, 1).normalize();

/// Nearly from the side: the face is seen, and the tail and the belly too.
export const kSideThreeQuarter = new Vector3(1, 0.2, 0.55).normalize();

/// The nearest view along `direction` (from target to camera) that shows all points, centred, with a margin, within
/// `free`: the part of the picture's width and height (0 to 1) that nothing covers.
export function viewOf(extent: Extent, camera: PerspectiveCamera, direction: Vector3, free: { x: number; y: number }): View {
  const back = direction.clone().normalize();
  const right = new Vector3(0, 1, 0).cross(back);
  if (right.lengthSq() < 1e-8) right.set(1, 0, 0);
  right.normalize();
  const up = back.clone().cross(right);
  const middle = extent.box.isEmpty() ? new Vector3() : extent.box.getCenter(new Vector3());

  // A point at (x, y, z) right, up and toward the camera is seen if |x - x0| <= s (d - z), s = tan of the half angle:
  // the tightest x0 and d follow from the extremes of x + s z and x - s z. The same holds for y.
  const kMargin = 1.12;
  const s = Math.tan((camera.fov * Math.PI) / 360) / kMargin;
  const spans = [axisSpan(extent, middle, right, back, s * camera.aspect * free.x),
                 axisSpan(extent, middle, up, back, s * free.y)];
  const distance = Math.max(spans[0].distance, spans[1].distance, 0.3 * sizeOf(extent));
  const target = middle.addScaledVector(right, spans[0].offset).addScaledVector(up, spans[1].offset);
  return { target, position: target.clone().addScaledVector(back, distance) };
}

function axisSpan(extent: Extent, middle: Vector3, axis: Vector3, back: Vector3, slope: number) {
  let high = -Infinity, low = Infinity;
  const relative = new Vector3();
  for (const point of extent.points) {
    relative.subVectors(point, middle);
    const along = relative.dot(axis), toward = slope * relative.dot(back);
    high = Math.max(high, along + toward);
    low = Math.min(low, along - toward);
  }
  if (high < low || !Number.isFinite(high - low)) return { offset: 0, distance: 0 };
  return { offset: (high + low) / 2, distance: (high - low) / 2 / slope };
}
