// Sliders for the morph targets. One that a person moves is held there; the others follow the clip.

import { Morph } from '../morphs';
import { element } from './dom';

const kFilterFrom = 12;

export class MorphPanel {
  readonly root: HTMLElement;
  private readonly rows: Row[];
  private readonly release: HTMLButtonElement;

  constructor(morphs: readonly Morph[], private readonly changed: () => void) {
    this.rows = morphs.map((morph) => new Row(morph, () => this.touched()));
    this.release = element('button', { type: 'button', class: 'text', onclick: () => this.releaseAll() }, 'Reset');
    const search = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter morphs',
                                      oninput: () => this.filter(search.value) });
    search.hidden = morphs.length < kFilterFrom;
    this.root = element('aside', { class: 'dock right morphs', 'aria-label': 'Morphs' },
                        element('header', { class: 'dock-head' }, element('h2', {}, 'Morphs'), this.release), search,
                        element('div', { class: 'list' }, ...this.groups()));
    this.root.hidden = true;
    this.update();
  }

  get visible(): boolean { return !this.root.hidden; }
  set visible(visible: boolean) { this.root.hidden = !visible; this.update(); }

  /// To the present values.
  update(): void {
    if (!this.visible) return;
    for (const row of this.rows) row.update();
    this.release.disabled = this.rows.every((row) => row.morph.held === null);
  }

  private groups(): HTMLElement[] {
    const groups = new Map<string, Row[]>();
    for (const row of this.rows) groups.set(row.morph.group, [...(groups.get(row.morph.group) ?? []), row]);
    return [...groups].flatMap(([name, rows]) => [
      ...(groups.size > 1 ? [element('h3', {}, name)] : []), ...rows.map((row) => row.root)]);
  }

  private filter(text: string): void {
    for (const row of this.rows) row.root.hidden = !row.morph.name.toLowerCase().includes(text.trim().toLowerCase());
  }

  private touched(): void {
    this.changed();
    this.update();
  }

  private releaseAll(): void {
    for (const { morph } of this.rows) morph.release();
    this.touched();
  }
}

class Row {
  readonly root: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly value = element('output');

  constructor(readonly morph: Morph, changed: () => void) {
    this.slider = element('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': morph.name,
                                     oninput: () => { morph.hold(Number(this.slider.value)); changed(); } });
    this.root = element('label', { class: 'morph', title: `${morph.group}:${morph.name}` },
                        element('span', {}, morph.name), this.value, this.slider);
    this.root.addEventListener('dblclick', () => { morph.release(); changed(); });
  }

  update(): void {
    const { value, held } = this.morph;
    if (value < Number(this.slider.min)) this.slider.min = String(Math.floor(value));
    if (value > Number(this.slider.max)) this.slider.max = String(Math.ceil(value));
    this.slider.value = String(value);
    const low = Number(this.slider.min), high = Number(this.slider.max);
    this.slider.style.setProperty('--done', `${(100 * (value - low)) / (high - low)}%`);
    this.value.textContent = value.toFixed(2);
    this.root.classList.toggle('held', held !== null);
  }
}
