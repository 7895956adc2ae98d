// A canvas that shows one character: camera, light, floor, overlays. Several panes of it can show several poses.

import { Color, Material, Mesh, NeutralToneMapping, Object3D, PerspectiveCamera, Scene, Texture, Vector2, Vector3,
         VSMShadowMap, WebGLRenderer, WebGLRenderTarget } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Character } from './character';
import { CoarseMeshes } from './coarse';
import { drawingContext, DrawingFence } from './drawing_context';
import { sizeOf, View, viewOf } from './framing';
import { GhostLook, GhostOverlay, kGhostLayer } from './ghost_overlay';
import { Ground } from './ground';
import { Lighting, reflectRoom } from './lighting';
import { Detail, Pace } from './pace';
import { Inset, SideView } from './side_view';
import { SkeletonOverlay } from './skeleton_overlay';
import { Theme } from './theme';
import { Extent } from './vertices';
import { WireframeOverlay } from './wireframe_overlay';

const kFlightSeconds = 0.35;
const kGhostOpacity = 0.5;
const kStill = 350;  // ms without a change: the best picture is drawn

/// A part of the canvas, in fractions of it from its top left corner.
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const kWhole: Area = { x: 0, y: 0, width: 1, height: 1 };

/// One picture of the character. All panes share the camera, the light and the floor.
export interface Pane {
  view: Area;    ///< what the camera's picture fills; of one size in all panes
  window: Area;  ///< the part of it that is drawn
  ghost?: boolean | GhostLook;  ///< drawn over the pane before it, as a translucent shape alone; true: as the theme says
  /// Puts the character into the pose to be drawn.
  pose: () => void;
}

/// Pixels at the sides of every pane's view that other things cover.
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
  private readonly pace: Pace;
  private readonly fence: DrawingFence;
  private readonly scene = new Scene();
  private readonly lighting = new Lighting();
  private readonly ground = new Ground();
  private character: Character | null = null;
  private anchor: Vector3 | null = null;  ///< of the character, while the camera follows it
  private skeleton: SkeletonOverlay | null = null;
  private wireframe: WireframeOverlay | null = null;
  private ghost: GhostOverlay | null = null;
  private panes: readonly Pane[] = [{ view: kWhole, window: kWhole, pose: () => undefined }];
  private flight: { from: View; to: View; passed: number } | null = null;
  private side: SideView | null = null;
  private insets: Insets = { top: 0, right: 0, bottom: 0, left: 0 };
  private theme: Theme | null = null;
  private seen: Extent | null = null;  ///< what frame() last framed
  private probed: WebGLRenderTarget | null = null;
  private dirty = true;
  private changed = -Infinity;  ///< ms, when something last did
  private detail: Detail;
  private careful_ = false;
  private timed = false;  ///< the picture under way is one of something that moves
  private coarse: CoarseMeshes | null = null;
  private size = 1;
  private readonly drawnListeners: (() => void)[] = [];

  constructor(private readonly host: HTMLElement) {
    const canvas = document.createElement('canvas'), { context, software } = drawingContext(canvas);
    this.renderer = new WebGLRenderer({ canvas, context });
    this.pace = new Pace(software);
    this.detail = this.pace.best(window.devicePixelRatio);
    this.fence = new DrawingFence(context);
    host.append(canvas);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = VSMShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.setScissorTest(true);
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
    this.character = character;
    this.scene.add(character.root);
    reflectRoom(character.meshes, this.renderer);
    this.skeleton = new SkeletonOverlay(character.joints, sizeOf(extent));
    this.skeleton.visible = false;
    this.wireframe = new WireframeOverlay(character.meshes);
    this.scene.add(this.skeleton);
    this.ground.place(extent);
    this.illuminate(extent);
  }

  /// Takes the character away, and what was made for it on the graphics card.
  hide(): void {
    const { character } = this;
    if (!character) return;
    for (const gone of [character.root, this.skeleton]) gone?.removeFromParent();
    character.root.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      object.geometry.dispose();
      for (const material of [object.material as Material | Material[]].flat()) {
        for (const value of Object.values(material)) if (value instanceof Texture) value.dispose();
        material.dispose();
      }
    });
    this.coarse?.dispose();
    this.character = this.skeleton = this.wireframe = this.ghost = this.coarse = null;
    this.invalidate();
  }

  /// Anything else to draw with the character, in scene space.
  add(object: Object3D): void {
    this.scene.add(object);
    this.invalidate();
  }

  /// What is drawn where. A camera that follows goes with the ghost, or with the first pane.
  divide(panes: readonly Pane[]): void {
    this.panes = panes;
    if (this.character && !this.ghost && panes.some((pane) => pane.ghost))
      this.ghost = new GhostOverlay(this.character.meshes);
    this.resize();
  }

  /// Light and shadow for another motion of the same character; the floor stays where it is.
  illuminate(extent: Extent): void {
    this.size = sizeOf(extent);
    this.lighting.cover(extent);
    this.controls.minDistance = 0.02 * this.size;
    this.controls.maxDistance = 12 * this.size;
    this.invalidate();
  }

  /// Moves the camera until all of `extent` is seen; keeps the direction of view unless told where to see it `from`.
  frame(extent: Extent, { from = null as Vector3 | null, smooth = true } = {}): void {
    const direction = from ?? this.camera.position.clone().sub(this.controls.target);
    const to = viewOf(extent, this.camera, direction, this.free());
    this.framed = true;
    this.seen = extent;
    if (smooth && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const now = { target: this.controls.target.clone(), position: this.camera.position.clone() };
      this.flight = { from: now, to, passed: 0 };
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

  set skeletonVisible(visible: boolean) { if (this.skeleton) this.skeleton.visible = visible; this.invalidate(); }
  set wireframeVisible(visible: boolean) { if (this.wireframe) this.wireframe.visible = visible; this.invalidate(); }
  set gridVisible(visible: boolean) { this.ground.gridVisible = visible; this.invalidate(); }

  paint(theme: Theme): void {
    this.ground.setInk(new Color(theme.grid), theme.gridStrength, theme.shadowStrength);
    this.skeleton?.setColors(new Color(theme.bone), new Color(theme.joint));
    this.wireframe?.setColor(new Color(theme.wire));
    this.theme = theme;
    this.invalidate();
  }

  set inset(inset: Inset | null) { this.side = inset && new SideView(this.host, inset); this.invalidate(); }
  /// The picture from the side; null: there is none.
  get sideView(): SideView | null { return this.side; }

  get shown(): readonly Pane[] { return this.panes; }
  get canvas(): HTMLCanvasElement { return this.renderer.domElement; }

  /// Called after every picture, for what is laid over it.
  onDrawn(listener: () => void): void { this.drawnListeners.push(listener); }

  /// Where a point of the scene is seen in a pane, in pixels from the top left corner of the canvas. Null: behind the
  /// camera.
  placeOf(point: Vector3, { view }: Pane): { x: number; y: number } | null {
    const { clientWidth: width, clientHeight: height } = this.host;
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    return { x: (view.x + (view.width * (seen.x + 1)) / 2) * width, y: (view.y + (view.height * (1 - seen.y)) / 2) * height };
  }

  /// The same place backwards: the point of the scene at a pixel of a pane whose depth is that of `like`.
  pointAt(x: number, y: number, { view }: Pane, like: Vector3): Vector3 {
    const { clientWidth: width, clientHeight: height } = this.host;
    const { z } = like.clone().project(this.camera);
    return new Vector3(2 * (x / width - view.x) / view.width - 1, 1 - 2 * (y / height - view.y) / view.height, z)
      .unproject(this.camera);
  }

  /// The pane that is seen at a pixel of the canvas.
  paneAt(x: number, y: number): Pane | null {
    const u = x / Math.max(1, this.host.clientWidth), v = y / Math.max(1, this.host.clientHeight);
    return this.panes.find(({ window: w, ghost }) =>
      !ghost && u >= w.x && u < w.x + w.width && v >= w.y && v < w.y + w.height) ?? null;
  }

  /// Red, green, blue and alpha, as bytes, that a layer of the scene alone has at a pixel of a pane.
  probe(x: number, y: number, pane: Pane, layer: number): Uint8Array {
    const target = this.probed ??= new WebGLRenderTarget(1, 1);
    const { shadowMap } = this.renderer, bytes = new Uint8Array(4);
    pane.pose();
    this.aim(new Vector2(x - pane.view.x * this.host.clientWidth, y - pane.view.y * this.host.clientHeight));
    this.renderer.autoClear = true;
    shadowMap.autoUpdate = false;
    this.camera.layers.set(layer);
    this.renderer.setRenderTarget(target);
    this.renderer.render(this.scene, this.camera);
    this.renderer.readRenderTargetPixels(target, 0, 0, 1, 1, bytes);
    this.renderer.setRenderTarget(null);
    this.aim(null);
    return bytes;
  }

  /// The picture is out of date: the next render() draws.
  invalidate(): void {
    this.dirty = true;
    this.changed = performance.now();
  }

  /// Whether the last picture is still being drawn. Whatever reads from the graphics card would wait for it.
  get busy(): boolean { return !this.fence.update(); }

  /// Every picture from here on is as good as can be, however long it takes: for films.
  set careful(on: boolean) {
    this.careful_ = on;
    if (on) this.use(this.pace.best(window.devicePixelRatio));
  }

  /// Pixels of a film of this canvas.
  get filmSize(): { width: number; height: number } {
    const ratio = Math.min(2, window.devicePixelRatio);
    return { width: Math.round(ratio * this.host.clientWidth), height: Math.round(ratio * this.host.clientHeight) };
  }

  /// Once a display frame: draws if something has changed and the last picture is done, so that this thread never waits
  /// for a slow card. What moves is drawn as well as it can be drawn quickly; what stands still, as well as can be.
  tick(seconds: number): void {
    if (this.busy) return;
    if (this.timed) this.pace.took(this.fence.took!);
    this.timed = false;
    const now = performance.now(), best = this.careful_ || now - this.changed > kStill;
    this.use(best ? this.pace.best(window.devicePixelRatio) : this.pace.moving(window.devicePixelRatio, now));
    if (!this.render(seconds)) return;
    this.fence.set();
    this.timed = !best;
  }

  /// Draws if something has changed, and says whether it did.
  render(seconds: number): boolean {
    if (this.dirty) this.travel();
    this.fly(seconds);
    this.controls.update(seconds);
    if (!this.dirty) return false;
    this.dirty = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 100;
    this.camera.far = distance + 12 * this.size;
    this.camera.updateProjectionMatrix();
    for (const pane of this.panes) this.draw(pane);
    this.side?.draw(this.renderer, this.scene, this.camera, this.controls.target);
    for (const listener of this.drawnListeners) listener();
    return true;
  }

  private use(detail: Detail): void {
    const { ratio, shadows } = this.detail;
    this.detail = detail;
    if (detail.shadows !== shadows) this.lighting.shadows = detail.shadows;
    if (detail.ratio !== ratio) this.fitCanvas();
    this.dirty ||= detail.ratio !== ratio || detail.shadows !== shadows;
  }

  private draw(pane: Pane): void {
    pane.pose();
    this.skeleton?.update();
    const { clientWidth: width, clientHeight: height } = this.host;
    const { view, window } = pane;
    this.renderer.setViewport(view.x * width, (1 - view.y - view.height) * height, view.width * width, view.height * height);
    this.renderer.setScissor(window.x * width, (1 - window.y - window.height) * height, window.width * width,
                             window.height * height);
    if (pane.ghost && this.theme)
      this.ghost?.setLook(pane.ghost === true ? { color: this.theme.ghost, opacity: kGhostOpacity } : pane.ghost);
    this.renderer.autoClear = !pane.ghost;
    this.renderer.shadowMap.autoUpdate = !pane.ghost && this.detail.shadows;
    this.camera.layers.set(pane.ghost ? kGhostLayer : 0);
    const draw = () => this.renderer.render(this.scene, this.camera);
    if (this.detail.coarse && this.character) this.coarse ??= new CoarseMeshes(this.character.root, this.character.meshes);
    this.detail.coarse && this.coarse ? this.coarse.draw(draw) : draw();
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
    (this.panes.find((pane) => pane.ghost) ?? this.panes[0]).pose();
    const mean = new Vector3(), at = new Vector3();
    const joints = this.character?.joints ?? [];
    for (const joint of joints) mean.add(at.setFromMatrixPosition(joint.matrixWorld));
    return mean.divideScalar(Math.max(1, joints.length)).setY(0);
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

  /// The size of every pane's view, in pixels.
  private viewSize(): { width: number; height: number } {
    const { view } = this.panes[0];
    return { width: Math.max(1, view.width * this.host.clientWidth), height: Math.max(1, view.height * this.host.clientHeight) };
  }

  private free(): { x: number; y: number } {
    const { top, right, bottom, left } = this.insets;
    const { width, height } = this.viewSize();
    return { x: Math.max(0.2, 1 - (left + right) / width), y: Math.max(0.2, 1 - (top + bottom) / height) };
  }

  private fitCanvas(): void {
    this.renderer.setPixelRatio(this.detail.ratio);
    this.renderer.setSize(Math.max(1, this.host.clientWidth), Math.max(1, this.host.clientHeight), false);
  }

  private resize(): void {
    this.fitCanvas();
    this.aim(null);
    if (this.framed && this.seen) this.frame(this.seen, { smooth: false });
    this.invalidate();
  }

  /// The camera's picture is all of a pane's view, or one pixel of it.
  private aim(pixel: Vector2 | null): void {
    const { width, height } = this.viewSize();
    const { top, right, bottom, left } = this.insets;
    const x = (right - left) / 2, y = (bottom - top) / 2;
    this.camera.aspect = width / height;
    if (pixel) this.camera.setViewOffset(width, height, x + pixel.x, y + pixel.y, 1, 1);
    else this.camera.setViewOffset(width, height, x, y, width, height);
  }
}
