// The clock bar of a page that plays by its own clock.

import { Playable, Player } from '../player';
import { ClockBar } from './clock_bar';
import { Shortcut } from './shortcuts';

export class Transport {
  private readonly bar: ClockBar;

  /// Of what can be chosen, null is the rest pose. `between`: what the page has of its own between the clip and the time.
  constructor(private readonly player: Player, private readonly choices: readonly (Playable | null)[],
              choose: (clip: Playable | null) => void, { label = nameOf, between = [] as HTMLElement[] } = {}) {
    this.bar = new ClockBar({ toggle: () => player.toggle(), choose: (key) => choose(choices[Number(key)]),
      seek: (time) => { player.playing = false; player.seek(time); }, set: (values) => player.set(values) }, { between });
    this.bar.list(choices.map((clip, i) => ({ key: String(i), label: label(clip) })));
    player.onChange(() => this.update());
    this.update();
  }

  get root(): HTMLElement { return this.bar.root; }

  shortcuts(): Shortcut[] { return this.bar.shortcuts(); }

  repaint(): void { this.bar.repaint(); }

  private update(): void {
    const { clip, duration, time, playing, speed, loop } = this.player;
    this.bar.show({ clip: String(this.choices.indexOf(clip)), duration, rate: clip?.frameRate ?? 24, time, playing, speed, loop,
                    still: clip ? 'A single pose' : 'Rest pose' });
  }
}

function nameOf(clip: Playable | null): string { return clip?.name ?? 'Rest pose'; }
