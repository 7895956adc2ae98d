// How stiff the simulated flesh is (RSP 5), on the body: stiffness.bin of the server as colours.

import { Color } from 'three';
import { Studio } from '../panel';
import { stiffnessColor } from './stiffness';

const kMiddle = 128, kPerDoubling = 32;

/// The factor that a byte of stiffness.bin stands for; 0: none.
export const factorOf = (byte: number) => (byte === 0 ? 0 : 2 ** ((byte - kMiddle) / kPerDoubling));

/// Shown while it is on, in place of the colours of parts.
export class StiffnessTint {
  private on = false;
  private asked = -1;  ///< revision

  constructor(private readonly studio: Studio) {
    studio.store.on('file', () => void this.update());
  }

  show(on: boolean): void {
    this.on = on;
    this.asked = -1;
    if (!on) this.studio.stage.tintOver(null);
    void this.update();
  }

  private async update(): Promise<void> {
    const file = this.studio.store.get('file');
    if (!this.on || !file || file.revision === this.asked) return;
    this.asked = file.revision;
    const answer = await fetch(`/file/${file.revision}/stiffness.bin${location.search}`);
    if (!answer.ok || !this.on || this.asked !== file.revision) return;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const colors = Array.from({ length: 256 }, (_, byte) => new Color(stiffnessColor(factorOf(byte))));
    this.studio.stage.tintOver((point, into, at) => {
      const byte = bytes[point], strength = byte === 0 ? 0 : 230;
      into[at] = strength * colors[byte].r;
      into[at + 1] = strength * colors[byte].g;
      into[at + 2] = strength * colors[byte].b;
      into[at + 3] = strength;
    });
  }
}
