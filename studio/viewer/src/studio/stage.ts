// The viewport of the studio, fed by the server's frames: the artist's pose and the soft one, under one camera.

import { Camera, Group, Object3D, Vector3 } from 'three';
import { kSideThreeQuarter } from '../framing';
import { Split } from '../soft/split';
import { kLight, Theme } from '../theme';
import { Extent } from '../vertices';
import { Pane, Viewport } from '../viewport';
import { Connection } from './connection';
import { Frame, revisionOf } from './frames';
import { Model } from './model';
import { Onion } from './onion';
import { assignColors, paintParts } from './part_colors';
import { Pointer } from './pointer';
import { ArrayPose } from './pose_driver';
import { fetchShares, Shares } from './shares';
import { FileSlice } from './slices';
import { Outfit, Picked, PointerHandler, StageApi } from './stage_types';
import { Selection, Store } from './store';
import { PointColor } from './tint';

const kCovered = { top: 34, right: 0, bottom: 40, left: 0 };  // pixels: labels above, legend below

export class Stage implements StageApi {
  readonly viewport: Viewport;
  readonly split: Split;
  readonly onion: Onion;
  readonly frame = new Frame();
  model: Model | null = null;
  shares: Shares | null = null;
  private readonly overlays = new Group();
  private readonly pointer: Pointer;
  private readonly frameListeners: ((time: number) => void)[] = [];
  private readonly drawn: number[] = [];  ///< ms, of the last two seconds
  private latest: ArrayBuffer | null = null;  ///< not read yet
  private on: ArrayPose | null = null;  ///< the pose that the character stands in
  private theme = kLight;
  private hovered_: number | null = null;
  private colored = true;
  private over: PointColor | null = null;
  private outfit: Outfit | null = null;
  private painted = '';  ///< what the colours on the body were made of
  private shows = { skeleton: false, wireframe: false };
  private extent: Extent | null = null;
  private clip: string | null = null;  ///< that `extent` is of
  private loading = 0;
  private readonly after = () => this.putSoft();

  constructor(readonly host: HTMLElement, connection: Connection, private readonly store: Store,
              private readonly selection: Selection, private readonly failed: (sentence: string) => void) {
    this.viewport = new Viewport(host);
    this.viewport.add(this.overlays);
    this.viewport.onDrawn(() => this.drawn.push(performance.now()));
    this.onion = new Onion(connection, store, (pose) => this.putPlain(pose), () => this.split.change());
    this.split = new Split(host, this.viewport, {
      before: () => this.putBefore(), after: this.after,
      ends: () => ({ pictures: [], sentence: '' }), over: () => this.onion.ghosts(),
    }, { before: 'Before', after: 'After' }, () => undefined, ['side', 'wipe', 'overlay', 'single']);
    this.viewport.cover(kCovered);
    this.pointer = new Pointer(host, (event) => event.target === this.viewport.canvas);
    store.on('file', (file) => void this.open(file));
    store.on('parts', ({ chosen }) => {
      assignColors(store.get('file')?.path ?? '', chosen);
      this.paintParts();
      this.onion.update();
    });
    store.on('play', (play) => { this.reframe(play.clip); this.onion.update(); });
    selection.on(() => this.paintParts());
  }

  get camera(): Camera { return this.viewport.camera; }

  /// A frame has come. Of several between two pictures the last one is shown.
  receive(bytes: ArrayBuffer): void { this.latest = bytes; }

  /// Once a display frame.
  tick(seconds: number): void {
    if (!this.viewport.busy) this.pointer.tick();  // what is hovered is read from the picture
    this.takeFrame();
    this.viewport.tick(seconds);
  }

  drawnPerSecond(): number {
    const now = performance.now();
    while (this.drawn.length > 0 && now - this.drawn[0] > 2000) this.drawn.shift();
    return this.drawn.length / 2;
  }

  pick({ clientX, clientY }: { clientX: number; clientY: number }): Picked | null {
    const { left, top } = this.host.getBoundingClientRect();
    const x = clientX - left, y = clientY - top, pane = this.viewport.paneAt(x, y);
    const point = this.model && pane ? this.model.picker(this.viewport).pointAt(x, y, pane) : null;
    if (point === null) return null;
    const position = this.model!.positionOf(point) ?? new Vector3();  // the pane's pose is still on
    return { point, position, node: this.model!.nodeAt(point), candidate: this.shares?.candidateAt(point) ?? -1 };
  }

  screenOf(position: Vector3): { x: number; y: number } | null {
    const place = this.viewport.placeOf(position, this.softPane());
    const { left, top } = this.host.getBoundingClientRect();
    return place && { x: left + place.x, y: top + place.y };
  }

  dragged(position: Vector3, event: { clientX: number; clientY: number }): Vector3 {
    const { left, top } = this.host.getBoundingClientRect();
    const x = event.clientX - left, y = event.clientY - top;
    return this.viewport.pointAt(x, y, this.viewport.paneAt(x, y) ?? this.softPane(), position);
  }

  worldOf(node: string): Vector3 | null {
    const found = this.model?.character.nodes.get(node);
    if (!found) return null;
    this.putSoft();
    return new Vector3().setFromMatrixPosition(found.matrixWorld);
  }

  /// A joint and all joints below it, by name.
  jointsFrom(node: string): string[] {
    const { model } = this, root = model?.character.nodes.get(node), names: string[] = [];
    const joints = new Set(model?.character.joints);
    root?.traverse((object) => { if (joints.has(object)) names.push(model!.nameOf(object)); });
    return names.length > 0 ? names : [node];
  }

  positionOf(point: number): Vector3 | null {
    this.putSoft();
    return this.model?.positionOf(point) ?? null;
  }

  addOverlay(object: Object3D): () => void {
    this.overlays.add(object);
    this.invalidate();
    return () => { object.removeFromParent(); this.invalidate(); };
  }

  onPointer(handler: PointerHandler, priority: number): () => void { return this.pointer.add(handler, priority); }
  invalidate(): void { this.viewport.invalidate(); }

  onFrame(listener: (time: number) => void): () => void {
    this.frameListeners.push(listener);
    return () => { this.frameListeners.splice(this.frameListeners.indexOf(listener), 1); };
  }

  /// The candidate that is pointed at, on the body or in a list.
  get hovered(): number | null { return this.hovered_; }
  set hovered(candidate: number | null) {
    if (candidate === this.hovered_) return;
    this.hovered_ = candidate;
    this.paintParts();
  }

  set colors(on: boolean) { this.colored = on; this.invalidate(); }
  set skeletonVisible(on: boolean) { this.viewport.skeletonVisible = this.shows.skeleton = on; }
  set wireframeVisible(on: boolean) { this.viewport.wireframeVisible = this.shows.wireframe = on; }

  paint(theme: Theme): void {
    this.theme = theme;
    this.viewport.paint(theme);
    this.paintParts();
  }

  /// Moves the camera to where all of the clip is seen, or what is there now.
  reframeNow(now: boolean): void {
    if (!this.model) return;
    if (now) this.putSoft();
    const extent = now ? this.model.character.extentNow() : this.extent;
    if (extent) this.viewport.frame(extent);
  }

  softPositions(): Float64Array { this.putSoft(); return this.model?.character.positions() ?? new Float64Array(); }
  artistPositions(): Float64Array { this.putBefore(); return this.model?.character.positions() ?? new Float64Array(); }

  /// Colours of points in place of those of parts; null: those of parts again. `flat`: see Tint.
  tintOver(color: PointColor | null, flat = false): void {
    this.over = color;
    this.painted = '';
    if (this.model) this.model.tint.flat = flat && color !== null;
    if (color) this.model?.tint.paint(color);
    this.paintParts();
    this.invalidate();
  }

  /// Dresses the character for a draft; null: as it is. Forgotten when another model is shown.
  dress(outfit: Outfit | null): void {
    this.outfit?.before();
    this.outfit = outfit;
    this.invalidate();
  }

  private softPane(): Pane {
    return this.viewport.shown.find(({ pose, ghost }) => !ghost && pose === this.after) ?? this.viewport.shown[0];
  }

  private putSoft(): void {
    this.put(this.outfit ? this.frame.artist : this.frame.soft);
    this.outfit?.after();
    this.overlays.visible = true;
    this.model?.tint.wearBefore(false);
    if (this.model) this.model.tint.strength = this.colored ? 1 : this.hovered_ === null ? 0 : 1;
  }

  /// Puts the character into the pose that is seen, without overlays: for further views.
  poseSoft(): void {
    this.putSoft();
    this.overlays.visible = false;
  }

  private putPlain(pose: ArrayPose): void {
    this.put(pose);
    this.outfit?.after();
    this.overlays.visible = false;
    if (this.model) this.model.tint.strength = 0;
  }

  private putBefore(): void {
    this.putPlain(this.frame.artist);
    this.outfit?.before();
    if (this.model) this.model.tint.strength = this.model.tint.wearBefore(true) && this.colored ? 1 : 0;
  }

  private put(pose: ArrayPose): void {
    if (pose === this.on || pose.length === 0 || this.frame.revision !== this.model?.revision) return;
    this.model.driver.apply(pose);
    this.on = pose;
  }

  /// Whether there was one.
  private takeFrame(): boolean {
    const { latest, model } = this;
    if (!latest || !model || revisionOf(latest) !== model.revision) return false;
    this.latest = null;
    if (!this.frame.read(latest)) return false;
    this.on = null;
    this.invalidate();
    for (const listener of this.frameListeners) listener(this.frame.time);
    return true;
  }

  private async open(file: FileSlice | null): Promise<void> {
    if (file && file.revision === this.model?.revision) return;
    const turn = ++this.loading;
    try {
      const model = file && await Model.load(file);
      if (turn === this.loading) this.show(model);
      if (!model) return;
      const shares = await fetchShares(model.revision, model.file.points);
      if (turn !== this.loading) return;
      this.shares = shares;
      this.paintParts();
    } catch (error) {
      if (turn === this.loading) this.failed(error instanceof Error ? error.message : String(error));
    }
  }

  private show(model: Model | null): void {
    const same = model?.file.path === this.model?.file.path;
    this.viewport.hide();
    this.model = model;
    this.shares = this.on = null;
    this.painted = '';
    this.over = this.outfit = null;  // of the points of another model
    if (!model) return;
    this.clip = this.store.get('play')?.clip ?? null;
    this.extent = model.extentOf(this.clip);
    this.viewport.show(model.character, this.extent);
    Object.assign(this.viewport, { skeletonVisible: this.shows.skeleton, wireframeVisible: this.shows.wireframe });
    this.paint(this.theme);
    this.takeFrame();
    this.fit();
    this.split.change();
    if (!same) this.viewport.frame(this.extent, { from: kSideThreeQuarter, smooth: false });
  }

  private reframe(clip: string | null): void {
    if (!this.model || clip === this.clip) return;
    this.clip = clip;
    this.extent = this.model.extentOf(clip);
    this.on = null;
    this.viewport.illuminate(this.extent);
    this.fit();
    if (this.viewport.framed) this.viewport.frame(this.extent);
  }

  private fit(): void {
    const size = this.extent!.box.isEmpty() ? new Vector3(1, 1, 1) : this.extent!.box.getSize(new Vector3());
    this.split.fit(Math.hypot(size.x, size.z) / (size.y || 1));
  }

  private paintParts(): void {
    const parts = this.store.get('parts');
    if (!this.model || !parts || this.over) return;
    const { hovered_: hovered, shares, theme, selection: { candidate, part } } = this;
    const painted = JSON.stringify([this.model.revision, shares?.candidates, theme.name, hovered, candidate, part,
                                    parts.chosen.map((chosen) => [chosen.name, chosen.candidate, chosen.nodes])]);
    if (painted === this.painted) return;
    this.painted = painted;
    paintParts(this.model, shares, parts, { hovered, candidate, part }, theme);
    this.invalidate();
  }
}
