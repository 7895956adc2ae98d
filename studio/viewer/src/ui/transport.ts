// The bar at the bottom: what plays, where it is, how fast.

import { kSpeeds, Playable, Player } from '../player';
import { element, iconButton } from './dom';
import { icons } from './icons';

export class Transport {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly scrubber: HTMLInputElement;
  private readonly time = element('output', { class: 'time', 'aria-label': 'Time' });
  private readonly clip: HTMLSelectElement;
  private readonly speed: HTMLSelectElement;

  /// Of what can be chosen, null is the rest pose.
  constructor(private readonly player: Player, private readonly choices: readonly (Playable | null)[],
              private readonly choose: (clip: Playable | null) => void,
              label: (clip: Playable | null) => string = (clip) => clip?.name ?? 'Rest pose') {
    this.play = iconButton(icons.play, 'Play (space)', () => player.toggle());
    this.play.classList.add('play');
    this.loop = iconButton(icons.loop, 'Loop (L)', () => player.set({ loop: !player.loop }));
    this.scrubber = element('input', { type: 'range', class: 'scrubber', min: 0, max: 1, step: 'any', value: 0,
                                       'aria-label': 'Time', oninput: () => this.scrub() });
    this.clip = element('select', { class: 'clip', 'aria-label': 'Clip', title: 'Clip ([ and ])',
                                    onchange: () => this.chooseListed() },
                        ...choices.map((clip, i) => element('option', { value: i }, label(clip))));
    this.speed = element('select', { class: 'speed', 'aria-label': 'Speed', title: 'Speed (− and +)',
                                     onchange: () => this.chooseSpeed() },
                         ...kSpeeds.map((speed) => element('option', { value: speed }, `${speed}×`)));
    this.root = element('footer', { class: 'transport' }, this.scrubber,
                        element('div', { class: 'controls' }, this.play, this.clip, element('span', { class: 'spring' }),
                                this.time, this.speed, this.loop));
    player.onChange(() => this.update());
    this.update();
  }

  /// Puts a control of the page's own between the clip and the time.
  insert(control: HTMLElement): void { this.root.querySelector('.spring')!.after(control); }

  /// The next or previous entry of the list, round and round.
  chooseBeside(direction: number): void {
    const count = this.choices.length;
    this.choose(this.choices[(this.choices.indexOf(this.player.clip) + direction + count) % count]);
  }

  private chooseListed(): void {
    this.choose(this.choices[Number(this.clip.value)]);
    this.clip.blur();
  }

  private chooseSpeed(): void {
    this.player.set({ speed: Number(this.speed.value) });
    this.speed.blur();
  }

  private scrub(): void {
    this.player.playing = false;
    this.player.seek(Number(this.scrubber.value));
  }

  private update(): void {
    const { player } = this;
    const still = player.duration === 0;
    setIcon(this.play, player.playing ? 'pause' : 'play', player.playing ? 'Pause (space)' : 'Play (space)');
    this.loop.setAttribute('aria-pressed', String(player.loop));
    this.clip.value = String(this.choices.indexOf(player.clip));
    this.speed.value = String(player.speed);
    for (const control of [this.play, this.loop, this.scrubber, this.speed]) control.disabled = still;
    this.scrubber.max = String(still ? 1 : player.duration);
    this.scrubber.value = String(player.time);
    this.scrubber.style.setProperty('--done', `${still ? 0 : (100 * player.time) / player.duration}%`);
    this.time.replaceChildren(...this.reading());
    this.scrubber.setAttribute('aria-valuetext', this.time.textContent ?? '');
  }

  private reading(): Node[] {
    const { clip, time, frame, duration } = this.player;
    if (!clip) return [element('span', { class: 'quiet' }, 'Rest pose')];
    if (duration === 0) return [element('span', { class: 'quiet' }, 'A single pose')];
    const frames = `${Math.floor(frame + 1e-6)} / ${Math.round(duration * clip.frameRate)}`;
    return [element('span', { class: 'seconds' }, `${time.toFixed(2)} / ${duration.toFixed(2)} s`),
            element('span', { class: 'quiet frames', title: `Frames at ${clip.frameRate} per second` }, `frame ${frames}`)];
  }
}

function setIcon(button: HTMLButtonElement, icon: 'play' | 'pause', label: string): void {
  if (button.dataset.icon === icon) return;
  button.dataset.icon = icon;
  button.innerHTML = icons[icon];
  button.title = label;
  button.setAttribute('aria-label', label);
}
