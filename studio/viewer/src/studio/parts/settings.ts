// What the selected part is like: its preset, and its sliders for the whole clip or a stretch of it.

import { element } from '../../ui/dom';
import { fieldWords, kFirstFields } from '../fields';
import { Studio } from '../panel';
import { Field, Part } from '../slices';
import { TimeRange } from '../store';
import { Choice } from '../widgets/choice';
import { ValueSlider } from '../widgets/value_slider';

export type Scope = 'all' | 'clip' | 'range';

const kScopes: { value: Scope; label: string; title: string }[] = [
  { value: 'all', label: 'All clips', title: 'What you set holds for every clip' },
  { value: 'clip', label: 'This clip', title: 'What you set holds for the present clip alone' },
  { value: 'range', label: 'Range',
    title: 'What you set holds for the selected frames (shift-drag on the time line), with blended ends' },
];

export class PartSettings {
  readonly root: HTMLElement;
  private readonly scopes: Choice<Scope>;
  private readonly first = element('div', { class: 'fields' });
  private readonly rest = element('div', { class: 'fields' });
  private readonly more: HTMLDetailsElement;
  private sliders: { field: Field; slider: ValueSlider }[] = [];
  private listed = '';
  private part: Part | null = null;
  private scope: Scope = 'all';

  constructor(private readonly studio: Studio) {
    this.scopes = new Choice('Holds for', kScopes, (scope) => { this.scope = scope; this.update(); });
    this.more = element('details', { class: 'more' }, element('summary', {}, 'More'), this.rest);
    this.root = element('div', { class: 'settings' },
      element('div', { class: 'scope' }, element('span', { class: 'quiet' }, 'Set for'), this.scopes.root), this.first, this.more);
    studio.selection.on(() => this.update());
  }

  show(part: Part, fields: readonly Field[]): void {
    this.part = part;
    const listed = JSON.stringify([part.name, fields]);
    if (listed !== this.listed) this.list(fields);
    this.listed = listed;
    this.update();
  }

  private list(fields: readonly Field[]): void {
    const order = (name: string) => (kFirstFields.indexOf(name) + 1 || 100);
    this.sliders = [...fields].sort((a, b) => order(a.name) - order(b.name))
      .map((field) => ({ field, slider: this.sliderOf(field) }));
    const place = (chosen: boolean) => this.sliders
      .filter(({ field }) => kFirstFields.includes(field.name) === chosen).map(({ slider }) => slider.root);
    this.first.replaceChildren(...place(true));
    this.rest.replaceChildren(...place(false));
    this.more.hidden = this.rest.children.length === 0;
  }

  private sliderOf(field: Field): ValueSlider {
    const { name } = field, part = this.part!.name;
    const set = (value: number | null, done: boolean) => {
      const args = { part, field: name, value, ...this.stretch() };
      if (done) void this.studio.act('parts.set', args);
      else this.studio.stream(`parts.set ${part} ${name}`, 'parts.set', args);
    };
    const words = fieldWords(field);
    return new ValueSlider({ ...words, min: field.min, max: field.max, low: Math.max(field.min, words.low ?? field.min),
                             high: Math.min(field.max, words.high ?? field.max) }, {
      change: (value, done) => set(value, done), reset: () => set(null, true) });
  }

  private stretch(): object {
    const { range } = this.studio.selection;
    return this.scope === 'range' && range ? { from: range.from, to: range.to } : this.scope === 'clip' ? { clip: true } : {};
  }

  private update(): void {
    const { part } = this, play = this.studio.store.get('play'), { range } = this.studio.selection;
    if (this.scope === 'range' && !range || this.scope === 'clip' && !play?.clip) this.scope = 'all';
    this.scopes.show(this.scope, (scope) => scope === 'all' || (scope === 'clip' ? !!play?.clip : !!range));
    this.scopes.label('range', range ? this.rangeWords(range) : 'Range');
    if (!part) return;
    for (const { field, slider } of this.sliders) {
      const { name } = field, now = part.settings[name], set = part.set[name] !== undefined;
      const used = (part.used as Record<string, number | undefined>)[name];
      const auto = !!fieldWords(field).auto && !now && !set;
      slider.show(auto ? used : now ?? used, { set, auto, enabled: this.scope !== 'range' || field.keyed });
    }
  }

  private rangeWords({ from, to }: TimeRange): string {
    const clip = this.studio.store.get('file')?.clips.find(({ name }) => name === this.studio.store.get('play')?.clip);
    const frame = (time: number) => Math.round(time * (clip?.rate ?? 24));
    return `${frame(from)}–${frame(to)}`;
  }
}
