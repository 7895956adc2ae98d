// The tool 'Cage': its edges around the body, and its points, which are dragged; points around go along.

import { Box3, BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import { CageSession, cageOf } from '../cage/session';
import { Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { PointerKind } from '../stage_types';
import { Throttle } from '../throttle';
import { Tool } from '../tools';
import { DotOverlay } from './overlay';

const kReach = 13, kPriority = 20, kDragsPerSecond = 60, kBehind = 40;  // pixels; what lies one size farther counts as so much farther away

export class CageHand implements Tool {
  readonly id = 'cage';
  readonly title = 'Cage';
  readonly icon = panelIcons.cage;
  readonly key = 'e';
  readonly about = 'Drag a point of the cage: the skin follows, and points around go along.';
  private readonly session: CageSession;
  private readonly dots = new DotOverlay(7, 15);
  private readonly edges = [0.14, 0.75].map((opacity, k) => new LineSegments(new BufferGeometry(),
    new LineBasicMaterial({ transparent: true, opacity, depthTest: k === 1, depthWrite: false, toneMapped: false })));  ///< faint through the body
  private readonly sending: Throttle<{ point: number; target: Vector3; radius: number }>;
  private drag: { point: number; radius: number; from: Vector3; offset: Vector3; target: Vector3; moved: boolean } | null = null;
  private hovered = -1;
  private drawn = '';
  private stops: (() => void)[] = [];
  private colors = { point: new Color(), moved: new Color(), strong: new Color() };

  constructor(private readonly studio: Studio) {
    this.session = cageOf(studio);
    this.sending = new Throttle(kDragsPerSecond, ({ point, target, radius }) => studio.stream('cage', 'cage.drag', { point, target: target.toArray(), radius }));
    for (const edges of this.edges) { edges.frustumCulled = false; edges.renderOrder = 18; }
    studio.onTheme(({ name }) => {
      const dark = name === 'dark';
      this.colors = { point: new Color(dark ? '#9cc4ff' : '#2f6fd0'), moved: new Color(dark ? '#9cc4ff' : '#2f6fd0'), strong: new Color(dark ? '#ffb066' : '#e0661a') };
      for (const edges of this.edges) edges.material.color.copy(this.colors.point);
      this.draw();
    });
  }

  active(on: boolean): void {
    if (this.drag) this.end(false);
    for (const stop of this.stops) stop();
    this.stops = [];
    this.hovered = -1;
    const { stage, store } = this.studio;
    stage.host.classList.toggle('caging', on);
    this.session.show(on);
    if (!on) return stage.invalidate();
    this.studio.show('cage');
    this.stops = [...[this.dots, ...this.edges].map((overlay) => stage.addOverlay(overlay)), stage.onPointer((kind, event) => this.point(kind, event), kPriority),
                  store.on('cage_places', () => this.draw()), store.on('cage', () => this.draw())];
    this.draw();
  }

  private get count(): number { return (this.studio.store.get('cage_places')?.points.length ?? 0) / 3; }
  /// The longest side of the cage's box, scene units.
  private get size(): number {
    const box = new Box3().setFromArray(this.studio.store.get('cage_places')?.points ?? []);
    return box.isEmpty() ? 1 : Math.max(...box.getSize(new Vector3()).toArray());
  }
  private placeOf(point: number): Vector3 { return new Vector3().fromArray(this.studio.store.get('cage_places')!.points, 3 * point); }

  private point(kind: PointerKind, event: PointerEvent): boolean {
    const { drag } = this, { stage } = this.studio;
    if (kind === 'drag' && drag) {
      drag.target = stage.dragged(drag.from, event).add(drag.offset);
      drag.moved = true;
      this.sending.push(drag);
      this.draw();
      return true;
    }
    if (kind === 'up') { this.end(event.type === 'pointerup'); return true; }
    const near = kind === 'leave' ? -1 : this.nearest(event);
    if (kind === 'down' && near >= 0 && ['draft', 'ready'].includes(this.session.slice?.state ?? '')) {
      const from = this.placeOf(near);
      this.drag = { point: near, radius: this.session.radius * this.size, from, offset: from.clone().sub(stage.dragged(from, event)), target: from, moved: false };
      return true;
    }
    if (near !== this.hovered) {
      this.hovered = near;
      this.draw();
    }
    return kind !== 'leave' && near >= 0;
  }

  private end(keep: boolean): void {
    const { drag } = this;
    this.drag = null;
    if (!drag?.moved) return;
    this.sending.drop();
    this.studio.stream('cage', 'cage.end', { keep, point: drag.point, target: drag.target.toArray(), radius: drag.radius });
  }

  /// On the screen; of points over each other the one in front.
  private nearest({ clientX, clientY }: PointerEvent): number {
    const eye = new Vector3().setFromMatrixPosition(this.studio.stage.camera.matrixWorld), { size } = this;
    let found = -1, least = Infinity;
    for (let j = 0; j < this.count; ++j) {
      const at = this.placeOf(j), screen = this.studio.stage.screenOf(at);
      const pixels = screen ? Math.hypot(screen.x - clientX, screen.y - clientY) : Infinity;
      const far = pixels + (kBehind * at.distanceTo(eye)) / size;
      if (pixels < kReach && far < least) { least = far; found = j; }
    }
    return found;
  }

  private draw(): void {
    if (this.stops.length === 0) return;
    const { slice } = this.session, { colors, drag, count } = this, strong = drag?.point ?? this.hovered;
    const places = Array.from({ length: count }, (_, j) => this.placeOf(j));
    this.dots.show(places.map((at, j) => ({ at, strong: j === strong, color: j === strong ? colors.strong : colors.point })),
                   drag && places[drag.point] ? [{ from: places[drag.point], to: drag.target, color: colors.strong }] : []);
    this.drawEdges(slice?.triangles ?? [], count);
    this.studio.stage.invalidate();
  }

  private drawEdges(triangles: readonly number[], count: number): void {
    const shown = count > 0 && triangles.every((corner) => corner < count), key = shown ? triangles.join() : '';
    for (const { geometry } of this.edges) {
      if (key !== this.drawn) {
        const index = new Set<number>();
        for (let t = 0; t < triangles.length; t += 3)
          for (const [a, b] of [[t, t + 1], [t + 1, t + 2], [t + 2, t]]) {
            const [i, j] = [triangles[a], triangles[b]].sort((x, y) => x - y);
            index.add(i * 65536 + j);
          }
        geometry.setIndex([...index].flatMap((edge) => [Math.floor(edge / 65536), edge % 65536]));
      }
      geometry.setAttribute('position', new BufferAttribute(Float32Array.from(shown ? this.studio.store.get('cage_places')!.points : []), 3));
      geometry.setDrawRange(0, shown ? Infinity : 0);
    }
    this.drawn = key;
  }
}
