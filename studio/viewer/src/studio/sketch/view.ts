// Between pixels of the stage and the view units of a drawing: (0, 0) is where the camera looks, 1 the upper edge of its picture.

import { PerspectiveCamera, Vector3 } from 'three';
import { Pane, Viewport } from '../../viewport';
import { SketchCamera } from '../slices';
import { Point } from './pen';

const kSame = 1e-4;  // of the distance: cameras that stand so near to each other see the same

/// One picture of the viewport, and where it lies on the stage.
export class SketchView {
  constructor(private readonly viewport: Viewport, private readonly host: HTMLElement) {}

  private get camera(): PerspectiveCamera { return this.viewport.camera; }
  /// The last picture that is no ghost: the soft pose.
  get pane(): Pane { return this.viewport.shown.findLast(({ ghost }) => !ghost)!; }

  get aspect(): number { return this.camera.aspect; }

  camera3(): SketchCamera {
    return { eye: this.camera.position.toArray(), target: this.viewport.controls.target.toArray(), fov: this.camera.fov };
  }

  sees(other: SketchCamera): boolean {
    const now = this.camera3(), far = Math.hypot(...now.eye.map((x, i) => x - now.target[i]));
    return near(now.eye, other.eye, far) && near(now.target, other.target, far) && Math.abs(now.fov - other.fov) < 1e-6;
  }

  /// Of a place of the pointer; `x` and `y` from the top left corner of the stage.
  unitsAt([x, y]: Point): Point {
    const { view } = this.pane, { clientWidth: width, clientHeight: height } = this.host;
    const ray = new Vector3(2 * (x / width - view.x) / view.width - 1, 1 - 2 * (y / height - view.y) / view.height, 0.5)
      .applyMatrix4(this.camera.projectionMatrixInverse);
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    return [ray.x / -ray.z / half, ray.y / -ray.z / half];
  }

  pixelOf([u, v]: Point): Point {
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    return this.placed(new Vector3(u * half, v * half, -1).applyMatrix4(this.camera.projectionMatrix));
  }

  /// Of points of the scene, x y z each.
  pixelsOf(points: readonly number[]): Point[] {
    const at = new Vector3(), made: Point[] = [];
    for (let i = 0; i + 2 < points.length; i += 3) made.push(this.placed(at.set(points[i], points[i + 1], points[i + 2]).project(this.camera)));
    return made;
  }

  private placed({ x, y }: Vector3): Point {
    const { view } = this.pane, { clientWidth: width, clientHeight: height } = this.host;
    return [(view.x + (view.width * (x + 1)) / 2) * width, (view.y + (view.height * (1 - y)) / 2) * height];
  }
}

const near = (a: readonly number[], b: readonly number[], far: number) => a.every((x, i) => Math.abs(x - b[i]) <= kSame * far);
