// A canvas that shows one character: camera, light, floor, overlays. Several can stand side by side.

import { Color, NeutralToneMapping, Object3D, PerspectiveCamera, Scene, Vector3, VSMShadowMap, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Character } from './character';
import { kFrontThreeQuarter, sizeOf, View, viewOf } from './framing';
import { Ground } from './ground';
import { Lighting, reflectRoom } from './lighting';
import { SkeletonOverlay } from './skeleton_overlay';
import { Theme } from './theme';
import { Extent } from './vertices';
import { WireframeOverlay } from './wireframe_overlay';

const kFlightSeconds = 0.35;

/// Pixels at the sides of the canvas that other things cover.
export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export class Viewport {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /// Set while the camera stands where frame() put it, and nobody has moved it since.
  framed = false;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly lighting = new Lighting();
  private readonly ground = new Ground();
  private joints: readonly Object3D[] = [];
  private anchor: Vector3 | null = null;  ///< of the character, while the camera follows it
  private skeleton: SkeletonOverlay | null = null;
  private wireframe: WireframeOverlay | null = null;
  private flight: { from: View; to: View; passed: number } | null = null;
  private insets: Insets = { top: 0, right: 0, bottom: 0, left: 0 };
  private seen: Extent | null = null;  ///< what frame() last framed
  private dirty = true;
  private size = 1;

  constructor(private readonly host: HTMLElement) {
    this.renderer = newRenderer();
    host.append(this.renderer.domElement);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = VSMShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.scene.add(this.lighting, this.ground);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.addEventListener('start', () => { this.framed = false; this.flight = null; });
    this.controls.addEventListener('change', () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  /// Shows a character, and places light and floor for the extent of its motion.
  show(character: Character, extent: Extent): void {
    this.joints = character.joints;
    this.scene.add(character.root);
    reflectRoom(character.meshes, this.renderer);
    this.skeleton = new SkeletonOverlay(character.joints, sizeOf(extent));
    this.skeleton.visible = false;
    this.wireframe = new WireframeOverlay(character.meshes);
    this.scene.add(this.skeleton);
    this.ground.place(extent);
    this.illuminate(extent);
  }

  /// Light and shadow for another motion of the same character; the floor stays where it is.
  illuminate(extent: Extent): void {
    this.size = sizeOf(extent);
    this.lighting.cover(extent);
    this.controls.minDistance = 0.02 * this.size;
    this.controls.maxDistance = 12 * this.size;
    this.invalidate();
  }

  /// Moves the camera until all of `extent` is seen; keeps the direction of view unless told to start afresh.
  frame(extent: Extent, { fresh = false, smooth = true } = {}): void {
    const direction = fresh ? kFrontThreeQuarter : this.camera.position.clone().sub(this.controls.target);
    const to = viewOf(extent, this.camera, direction, this.free());
    this.framed = true;
    this.seen = extent;
    if (smooth && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const from = { target: this.controls.target.clone(), position: this.camera.position.clone() };
      this.flight = { from, to, passed: 0 };
    } else {
      this.flight = null;
      this.stand(to);
    }
    this.invalidate();
  }

  /// The middle of the view is the middle of what is left free.
  cover(insets: Insets): void {
    this.insets = insets;
    this.resize();
  }

  /// Whether the camera travels with the character: along the floor, by the mean of its joints.
  set following(on: boolean) {
    this.anchor = on ? this.meanJoint() : null;
  }

  /// Puts the camera where another viewport's is.
  standLike(other: Viewport): void {
    this.stand({ target: other.controls.target, position: other.camera.position });
  }

  set skeletonVisible(visible: boolean) { if (this.skeleton) this.skeleton.visible = visible; this.invalidate(); }
  set wireframeVisible(visible: boolean) { if (this.wireframe) this.wireframe.visible = visible; this.invalidate(); }
  set gridVisible(visible: boolean) { this.ground.gridVisible = visible; this.invalidate(); }

  paint(theme: Theme): void {
    this.ground.setInk(new Color(theme.grid), theme.gridStrength, theme.shadowStrength);
    this.skeleton?.setColors(new Color(theme.bone), new Color(theme.joint));
    this.wireframe?.setColor(new Color(theme.wire));
    this.invalidate();
  }

  /// The picture is out of date: the next render() draws.
  invalidate(): void { this.dirty = true; }

  /// Once a display frame. Draws only if something has changed.
  render(seconds: number): void {
    this.travel();
    this.fly(seconds);
    this.controls.update(seconds);
    if (!this.dirty) return;
    this.dirty = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 100;
    this.camera.far = distance + 12 * this.size;
    this.camera.updateProjectionMatrix();
    this.skeleton?.update();
    this.renderer.render(this.scene, this.camera);
  }

  private travel(): void {
    if (!this.anchor) return;
    const anchor = this.meanJoint();
    const shift = anchor.clone().sub(this.anchor);
    if (shift.lengthSq() === 0) return;
    this.anchor = anchor;
    const views = this.flight ? [this.flight.from, this.flight.to] : [];
    for (const view of views) for (const place of [view.target, view.position]) place.add(shift);
    this.stand({ target: this.controls.target.clone().add(shift), position: this.camera.position.clone().add(shift) });
  }

  private meanJoint(): Vector3 {
    const mean = new Vector3(), at = new Vector3();
    for (const joint of this.joints) mean.add(at.setFromMatrixPosition(joint.matrixWorld));
    return mean.divideScalar(Math.max(1, this.joints.length)).setY(0);
  }

  private fly(seconds: number): void {
    if (!this.flight) return;
    const { from, to } = this.flight;
    this.flight.passed += seconds;
    const s = Math.min(1, this.flight.passed / kFlightSeconds);
    const eased = 1 - (1 - s) ** 3;
    this.stand({ target: from.target.clone().lerp(to.target, eased),
                 position: from.position.clone().lerp(to.position, eased) });
    if (s === 1) this.flight = null;
  }

  private stand(view: View): void {
    this.controls.target.copy(view.target);
    this.camera.position.copy(view.position);
    this.invalidate();
  }

  private free(): { x: number; y: number } {
    const { top, right, bottom, left } = this.insets;
    return { x: Math.max(0.2, 1 - (left + right) / Math.max(1, this.host.clientWidth)),
             y: Math.max(0.2, 1 - (top + bottom) / Math.max(1, this.host.clientHeight)) };
  }

  private resize(): void {
    const width = Math.max(1, this.host.clientWidth), height = Math.max(1, this.host.clientHeight);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const { top, right, bottom, left } = this.insets;
    this.camera.setViewOffset(width, height, (right - left) / 2, (bottom - top) / 2, width, height);
    if (this.framed && this.seen) this.frame(this.seen, { smooth: false });
    this.invalidate();
  }
}

function newRenderer(): WebGLRenderer {
  try {
    return new WebGLRenderer({ antialias: true, alpha: true });
  } catch {
    throw new Error('This browser offers no WebGL 2, which the page needs to draw; try another browser or machine.');
  }
}
