// The parts that move by themselves: which are drawn, and where each is now.

import { Theme } from '../theme';
import { element } from '../ui/dom';
import { partColor } from './colors';
import { PartOptions } from './options';

export class PartList {
  readonly root = element('div', { class: 'parts', role: 'group', 'aria-label': 'Parts' });
  private rows: { button: HTMLButtonElement; reading: HTMLElement }[] = [];

  /// `toggle` is told the part, and whether it is to be the only one.
  constructor(private readonly notes: readonly string[], private readonly toggle: (part: number, alone: boolean) => void) {}

  show(parts: readonly PartOptions[], theme: Theme): void {
    this.rows = parts.map((part, i) => {
      const reading = element('output', {});
      const count = part.nodes.length > 0 ? plural(part.nodes.length, 'joint') : plural(part.morphs.length, 'morph');
      const kind = [part.preset, part.curves ? '' : count].filter(Boolean).join(' · ');
      const title = `${part.name}: ${kind}. Click to show or hide its curves, double click for it alone.`;
      const button = element('button', { type: 'button', class: 'part', title,
        style: `--part: ${partColor(i, theme)}`,
        onclick: (event) => { (event.currentTarget as HTMLElement).blur(); this.toggle(i, false); },
        ondblclick: () => this.toggle(i, true) },
        element('i', {}), element('b', {}, part.name), reading,
        element('span', { class: 'quiet' }, part.summary || kind));
      return { button, reading };
    });
    this.root.replaceChildren(...this.rows.map(({ button }) => button),
                              ...this.notes.map((note) => element('p', { class: 'note quiet' }, note)));
  }

  mark(shown: ReadonlySet<number>): void {
    this.rows.forEach(({ button }, i) => button.setAttribute('aria-pressed', String(shown.has(i))));
  }

  /// How far each part is from the artist's pose now.
  read(readings: readonly string[]): void {
    this.rows.forEach(({ reading }, i) => { reading.textContent = readings[i] ?? ''; });
  }
}

function plural(count: number, noun: string): string { return `${count} ${noun}${count === 1 ? '' : 's'}`; }
