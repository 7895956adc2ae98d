// The parts that move by themselves, as channels of a desk: which are drawn, how much of each is shown, where it is now.

import { Theme } from '../theme';
import { element } from '../ui/dom';
import { snapped } from './amount';
import { partColor } from './colors';
import { Desk, kMostAmount } from './desk';
import { PartOptions } from './options';

/// What hands can do to a part.
export interface PartActions {
  toggle: (part: number, alone: boolean) => void;  ///< its curves; whether they are to be the only ones
  set: (part: string, factor: number) => void;
  mute: (part: string, on: boolean) => void;
}

interface Row {
  part: PartOptions;
  root: HTMLElement;
  button: HTMLButtonElement;
  reading: HTMLElement;
  channel: { slider: HTMLInputElement; factor: HTMLElement; mute: HTMLButtonElement } | null;
}

export class PartList {
  readonly root = element('div', { class: 'parts', role: 'group', 'aria-label': 'Parts' });
  private rows: Row[] = [];

  constructor(private readonly notes: readonly string[], private readonly actions: PartActions) {}

  show(parts: readonly PartOptions[], theme: Theme): void {
    this.rows = parts.map((part, i) => this.rowOf(part, i, theme));
    this.root.replaceChildren(...this.rows.map(({ root }) => root),
                              ...this.notes.map((note) => element('p', { class: 'note quiet' }, note)));
  }

  mark(shown: ReadonlySet<number>): void {
    this.rows.forEach(({ button }, i) => button.setAttribute('aria-pressed', String(shown.has(i))));
  }

  /// How far each part is from the artist's pose now.
  read(readings: readonly string[]): void {
    this.rows.forEach(({ reading }, i) => { reading.textContent = readings[i] ?? ''; });
  }

  /// What the desk says of each part.
  set(desk: Desk): void {
    for (const { part, root, channel } of this.rows) {
      if (!channel) continue;
      const factor = desk.factor(part.name), muted = desk.muted(part.name);
      channel.slider.value = String(factor);
      channel.slider.style.setProperty('--done', `${(100 * factor) / kMostAmount}%`);
      channel.factor.textContent = muted ? 'off' : `×${factor.toFixed(2)}`;
      channel.slider.setAttribute('aria-valuetext', channel.factor.textContent);
      channel.factor.classList.toggle('changed', muted || factor !== 1);
      channel.mute.setAttribute('aria-pressed', String(muted));
      root.classList.toggle('muted', muted);
    }
  }

  private rowOf(part: PartOptions, i: number, theme: Theme): Row {
    const reading = element('output', { class: 'now', title: 'How far it is from the artist’s pose now' });
    const count = part.nodes.length > 0 ? plural(part.nodes.length, 'joint') : plural(part.morphs.length, 'morph');
    const kind = [part.preset, part.curves ? '' : count].filter(Boolean).join(' · ');
    const button = element('button', { type: 'button', class: 'part',
      title: `${part.name}: ${kind}. Click to show or hide its curves, double click for it alone.`,
      onclick: (event) => { (event.currentTarget as HTMLElement).blur(); this.actions.toggle(i, false); },
      ondblclick: () => this.actions.toggle(i, true) }, element('i', {}), element('b', {}, part.name));
    const channel = part.amounts?.length ? this.channelOf(part) : null;
    const said = part.summary || kind;
    const root = element('div', { class: 'channel', style: `--part: ${partColor(i, theme)}` }, button,
                         ...(channel ? [channel.slider, channel.factor, channel.mute] : []), reading,
                         element('span', { class: 'quiet', title: said }, said));
    return { part, root, button, reading, channel };
  }

  private channelOf(part: PartOptions): Row['channel'] {
    const slider = element('input', { type: 'range', min: 0, max: kMostAmount, step: 0.01, 'aria-label': `Amount of ${part.name}`,
      title: `How much of ${part.name} is shown; double click for ×1`,
      oninput: () => this.actions.set(part.name, snapped(Number(slider.value))), onpointerup: () => slider.blur(),
      ondblclick: () => this.actions.set(part.name, 1) });
    const mute = element('button', { type: 'button', class: 'mute', 'aria-label': `Mute ${part.name}`, title: `Mute ${part.name}`,
      onclick: (event) => {
        if ((event as MouseEvent).detail > 0) mute.blur();
        this.actions.mute(part.name, mute.getAttribute('aria-pressed') !== 'true');
      } }, 'M');
    return { slider, factor: element('output', { class: 'factor' }), mute };
  }
}

function plural(count: number, noun: string): string { return `${count} ${noun}${count === 1 ? '' : 's'}`; }
