// The weights as this page shows them while the panel Weights is open: what the server has, on the body, in both pictures.

import { Vector3 } from 'three';
import { Model } from '../model';
import { Studio } from '../panel';
import { WeightsSlice } from '../slices';
import { WeightLists } from './lists';
import { weightColors } from './ramp';
import { SkinOutfit } from './skin_outfit';

export type BrushMode = 'look' | 'add' | 'subtract' | 'smooth';

/// Of this page: what the brush does.
export interface Brush {
  mode: BrushMode;
  radius: number;    ///< share of the character's size
  strength: number;
  mirrored: boolean;
}

interface Painted {
  from: number;
  version: number;
  points: number[];
  influences: number[][];  ///< joint, weight, joint, weight ..
}

export class WeightsSession {
  readonly brush: Brush = { mode: 'look', radius: 0.06, strength: 0.4, mirrored: false };
  file: WeightLists | null = null;
  draft: WeightLists | null = null;
  colored = true;
  size = 1;                     ///< of the character: the longest side of its box, scene units
  private on = false;
  private path = '';            ///< of the file that the lists are of
  private fetching = false;
  private dressed: { model: Model; outfit: SkinOutfit; lists: WeightLists } | null = null;
  private readonly listeners: (() => void)[] = [];
  private stopFrames: (() => void) | null = null;

  constructor(readonly studio: Studio) {
    studio.store.on('weights', () => void this.follow());
    studio.store.on('file', () => { if (this.on) this.begin(); });
    studio.selection.on(() => { if (this.on) this.color(); });
    studio.onTheme(() => { if (this.on) this.color(); });
  }

  get slice(): WeightsSlice | undefined { return this.studio.store.get('weights'); }
  get joint(): number { return this.slice?.joints.findIndex(({ name }) => name === this.studio.selection.joint) ?? -1; }

  /// Called after the lists, or the brush, have changed.
  onChange(listener: () => void): void { this.listeners.push(listener); }

  setBrush(changed: Partial<Brush>): void {
    Object.assign(this.brush, changed);
    this.tell();
  }

  setColored(on: boolean): void {
    this.colored = on;
    this.color();
    this.tell();
  }

  show(on: boolean): void {
    if (on === this.on) return;
    this.on = on;
    this.stopFrames?.();
    this.stopFrames = null;
    if (on) {
      this.stopFrames = this.studio.stage.onFrame(() => this.dress());  // another model may have come
      this.begin();
      void this.follow();
    } else {
      this.undress();
    }
  }

  /// What a stroke changed, as its answer says.
  take({ from, version, points, influences }: Painted): void {
    if (!this.draft || this.draft.version !== from) return void this.follow();  // fetched whole, once it is stored
    points.forEach((point, i) => this.draft!.set(point, influences[i]));
    this.draft.version = version;
    this.dressed?.outfit.update(points);
    this.color();
    this.tell();
  }

  private tell(): void { for (const listener of this.listeners) listener(); }

  private begin(): void {
    const file = this.studio.store.get('file');
    if (file && file.path !== this.path) {
      this.path = file.path;
      this.file = this.draft = null;
      this.undress();
    }
    if (file && this.slice?.state === 'none') void this.studio.act('weights.prepare');
  }

  private async follow(): Promise<void> {
    const { slice } = this;
    if (!this.on || this.fetching || !slice || slice.joints.length === 0) return this.tell();
    const stale = !this.file || !this.draft || slice.stored > this.draft.version || (slice.version < this.draft.version && slice.stored !== this.draft.version);
    if (!stale) return this.tell();
    this.fetching = true;
    try {
      const path = this.path;
      const [file, draft] = await Promise.all([this.file ?? WeightLists.fetch('file'), WeightLists.fetch('draft')]);
      if (path !== this.path) return;
      this.file = file;
      this.draft = draft;
      if (this.joint < 0) this.chooseLargest(slice);
    } catch (error) {
      this.studio.say('error', error instanceof Error ? error.message : String(error));
      return;
    } finally {
      this.fetching = false;
    }
    this.dress();
    this.color();
    this.tell();
    void this.follow();  // more may have come meanwhile
  }

  private chooseLargest({ joints }: WeightsSlice): void {
    const counts = this.draft!.counts(joints.length);
    this.studio.selection.set({ joint: joints[counts.indexOf(Math.max(...counts))].name });
  }

  private dress(): void {
    const { stage } = this.studio, { model } = stage, { slice, draft } = this;
    if (!this.on || !model || !draft || !slice || model.file.path !== this.path || model.file.points !== draft.points) return;
    if (this.dressed?.model === model && this.dressed.lists === draft) return;
    const outfit = new SkinOutfit(model, slice.joints.map(({ name }) => name), draft);
    this.dressed = { model, outfit, lists: draft };
    this.size = model.character.extentNow().box.getSize(new Vector3()).toArray().reduce((most, side) => Math.max(most, side), 1e-6);
    stage.dress(outfit);
    this.color();
  }

  private undress(): void {
    if (!this.dressed) return;
    const { stage } = this.studio;
    if (stage.model === this.dressed.model) {
      stage.dress(null);
      stage.model.tint.paintBefore(null);
      stage.tintOver(null);
    }
    this.dressed = null;
  }

  private color(): void {
    const { stage, theme } = this.studio, { joint, dressed } = this;
    if (!dressed || stage.model !== dressed.model || !this.file || !this.draft) return;
    const shown = this.colored && joint >= 0;
    stage.model.tint.paintBefore(shown ? weightColors(this.file, joint, theme.name) : null);
    stage.tintOver(shown ? weightColors(this.draft, joint, theme.name) : (_, into, at) => void into.fill(0, at, at + 4), shown);
  }
}

const sessions = new WeakMap<Studio, WeightsSession>();

/// Shared by the panel and the tool.
export function weightsOf(studio: Studio): WeightsSession {
  const session = sessions.get(studio) ?? new WeightsSession(studio);
  sessions.set(studio, session);
  return session;
}
