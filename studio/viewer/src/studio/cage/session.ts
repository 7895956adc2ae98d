// The cage as this page shows it while the panel Cage is open: the skin that follows it, in the pictures of "after".

import { BufferAttribute, BufferGeometry } from 'three';
import { Model } from '../model';
import { Studio } from '../panel';
import { seamsOf, shade } from '../pose_driver';
import { CageSlice } from '../slices';
import { Outfit } from '../stage_types';

interface Mesh {
  geometry: BufferGeometry;
  first: number;  ///< number of its first point
  seams: Int32Array;
  own: { position: BufferAttribute; normal: BufferAttribute | undefined };
  draft: { position: BufferAttribute; normal: BufferAttribute | undefined };
}

/// Other places of all points at bind, which the skeleton then carries.
class ShapeOutfit implements Outfit {
  private readonly meshes: Mesh[];
  private worn: 'own' | 'draft' = 'own';

  constructor(readonly model: Model) {
    let first = 0;
    this.meshes = model.character.meshes.map(({ geometry }) => {
      const { position, normal } = geometry.attributes as Record<string, BufferAttribute | undefined>;
      const copy = (attribute: BufferAttribute | undefined) => attribute &&
        new BufferAttribute(Float32Array.from({ length: 3 * attribute.count }, (_, at) => attribute.getComponent(Math.floor(at / 3), at % 3)), 3);
      const mesh = { geometry, first, seams: seamsOf({ geometry }), own: { position: position!, normal }, draft: { position: copy(position)!, normal: copy(normal) } };
      first += position!.count;
      return mesh;
    });
  }

  /// x y z of all points.
  update(places: Float32Array): void {
    for (const { first, draft, geometry, seams } of this.meshes) {
      (draft.position.array as Float32Array).set(places.subarray(3 * first, 3 * (first + draft.position.count)));
      draft.position.needsUpdate = true;
      if (draft.normal) shade(draft.position, draft.normal, geometry.index, seams);
    }
  }

  before(): void { this.wear('own'); }
  after(): void { this.wear('draft'); }

  private wear(which: 'own' | 'draft'): void {
    if (which === this.worn) return;
    this.worn = which;
    for (const mesh of this.meshes) {
      const { position, normal } = mesh[which];
      mesh.geometry.setAttribute('position', position);
      if (normal) mesh.geometry.setAttribute('normal', normal);
    }
  }
}

export class CageSession {
  radius = 0.15;  ///< share of the cage's size: how far around a dragged point others go along
  private on = false;
  private outfit: ShapeOutfit | null = null;
  private version = -1;   ///< of the shape that is on
  private fetching = false;
  private stopFrames: (() => void) | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly studio: Studio) {
    studio.store.on('cage', () => void this.follow());
    studio.store.on('file', () => void this.follow());
  }

  get slice(): CageSlice | undefined { return this.studio.store.get('cage'); }
  onChange(listener: () => void): void { this.listeners.push(listener); }

  setRadius(radius: number): void {
    this.radius = radius;
    for (const listener of this.listeners) listener();
  }

  show(on: boolean): void {
    this.on = on;
    this.stopFrames?.();
    this.stopFrames = on ? this.studio.stage.onFrame(() => { if (this.outfit?.model !== this.studio.stage.model) void this.follow(); }) : null;
    void this.follow();
  }

  private get wanted(): boolean {
    const { slice } = this, file = this.studio.store.get('file');
    return this.on && file?.kind === 'nodes' && !!slice && (slice.state === 'draft' || slice.state === 'making') && slice.moved > 0;
  }

  private async follow(): Promise<void> {
    const { stage } = this.studio, { model } = stage;
    if (!this.wanted || !model || model.revision !== this.studio.store.get('file')?.revision) return this.undress();
    if (this.outfit?.model !== model) {
      this.outfit = new ShapeOutfit(model);
      this.version = -1;
    }
    if (this.fetching || this.version === this.slice!.version) return;
    this.fetching = true;
    const outfit = this.outfit;
    try {
      const answer = await fetch(`/cage/shape.bin${location.search}`);
      if (!answer.ok) return;
      const bytes = await answer.arrayBuffer(), [version, points] = new Uint32Array(bytes, 0, 2);
      if (points !== model.file.points || outfit !== this.outfit) return;
      this.version = version;
      outfit.update(new Float32Array(bytes, 8, 3 * points));
      stage.dress(outfit);
    } finally {
      this.fetching = false;
    }
    if (this.version < this.slice!.version) void this.follow();
  }

  private undress(): void {
    if (!this.outfit) return;
    if (this.studio.stage.model === this.outfit.model) this.studio.stage.dress(null);
    this.outfit = null;
  }
}

const sessions = new WeakMap<Studio, CageSession>();

/// Shared by the panel and the tool.
export function cageOf(studio: Studio): CageSession {
  const session = sessions.get(studio) ?? new CageSession(studio);
  sessions.set(studio, session);
  return session;
}
