// A small picture in the lower right corner of a canvas, of the same scene from the side: a quarter turn about the vertical
// line through what the camera looks at.

import { PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';

/// Pixels.
export interface Inset {
  width: number;
  height: number;
  gap: number;  ///< to the edges of the canvas
  pose: () => void;
}

export class SideView {
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);

  constructor(private readonly host: HTMLElement, private readonly inset: Inset) {}

  /// Where it lies, in pixels from the top left corner of the canvas.
  get box(): { x: number; y: number; width: number; height: number } {
    const { width, height, gap } = this.inset;
    return { x: this.host.clientWidth - width - gap, y: this.host.clientHeight - height - gap, width, height };
  }

  /// Where points of the scene, x y z each, are seen in it.
  pixels(points: readonly number[]): [number, number][] {
    const { x, y, width, height } = this.box, at = new Vector3(), made: [number, number][] = [];
    for (let i = 0; i + 2 < points.length; i += 3) {
      at.set(points[i], points[i + 1], points[i + 2]).project(this.camera);
      made.push([x + (width * (at.x + 1)) / 2, y + (height * (1 - at.y)) / 2]);
    }
    return made;
  }

  draw(renderer: WebGLRenderer, scene: Scene, front: PerspectiveCamera, target: Vector3): void {
    const { width, height, gap, pose } = this.inset, from = front.position.clone().sub(target);
    pose();
    this.camera.position.set(target.x + from.z, target.y + 0.35 * from.y, target.z - from.x);
    this.camera.lookAt(target);
    Object.assign(this.camera, { aspect: width / height, near: front.near, far: front.far });
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    renderer.setViewport(this.host.clientWidth - width - gap, gap, width, height);
    renderer.setScissor(this.host.clientWidth - width - gap, gap, width, height);
    renderer.autoClear = true;
    renderer.shadowMap.autoUpdate = false;
    renderer.render(scene, this.camera);
  }
}
