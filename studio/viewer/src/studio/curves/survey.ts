// How far the simulated layer moves each control in the present clip: asked for once a change, for the list.

import { Studio } from '../panel';
import { Throttle } from '../throttle';

const kMostControls = 120, kPerSecond = 2;

export class Survey {
  private sizes = new Map<string, number>();
  private units = new Map<string, string>();
  private wanted: string[] = [];
  private asked = '';
  private seen = false;
  private readonly asking = new Throttle<void>(kPerSecond, () => void this.ask());

  constructor(private readonly studio: Studio, private readonly changed: () => void) {
    for (const slice of ['bake', 'curves', 'play'] as const) studio.store.on(slice, () => this.asking.push());
  }

  set watching(on: boolean) {
    this.seen = on;
    if (on) this.asking.push();
  }

  of(controls: readonly string[]): void {
    this.wanted = controls.slice(0, kMostControls);
    this.asking.push();
  }

  /// The largest deviation from the artist's motion, in the control's unit; undefined where nobody has measured it.
  size(control: string): number | undefined { return this.sizes.get(control); }
  unit(control: string): string { return this.units.get(control) ?? ''; }

  private async ask(): Promise<void> {
    const { store, connection } = this.studio, bake = store.get('bake'), clip = store.get('play')?.clip;
    const question = JSON.stringify([clip, bake?.state === 'ready' && bake, store.get('curves')?.edited, this.wanted]);
    if (!this.seen || !clip || bake?.state !== 'ready' || this.wanted.length === 0 || question === this.asked) return;
    this.asked = question;
    try {
      const { curves } = await connection.send<{ curves: { control: string; unit: string; soft: number[] }[] }>('curves.get', { controls: this.wanted });
      if (question !== this.asked) return;
      this.sizes = new Map(curves.map(({ control, soft }) => [control, soft.reduce((most, value) => Math.max(most, Math.abs(value)), 0)]));
      this.units = new Map(curves.map(({ control, unit }) => [control, unit]));
      this.changed();
    } catch {
      this.asked = '';  // the list goes without
    }
  }
}
