// Above the graph: the selected key in numbers, its tangents; the layer, its tolerance, its edits.

import { element } from '../../ui/dom';
import { Studio } from '../panel';
import { numberOf, numberText, suffixOf } from '../units';
import { Choice, Option } from '../widgets/choice';
import { CurveCanvas } from './canvas';
import { setKey } from './edits';
import { TangentMode } from './hermite';
import { CurveSession } from './session';

const kTangents: Option<TangentMode>[] = [
  { value: 'flat', label: 'flat', title: 'Level at the key (1)' },
  { value: 'auto', label: 'auto', title: 'Through the neighbours, never beyond them (2)' },
  { value: 'free', label: 'free', title: 'As it is dragged; Alt turns one side alone (3)' },
];
const kMergeWords = 'The simulated layer and your edits become one layer of keys, with the keys that are shown; the ' +
                    'simulation is muted from then on. Undo takes them apart again. Export writes one clip in any case.';
// Of the height, within what the server takes; the slider goes evenly through their logarithm.
const kLeastTolerance = 1e-5, kMostTolerance = 3e-2;

export const toleranceAt = (position: number) =>
  kLeastTolerance * (kMostTolerance / kLeastTolerance) ** position;
export const positionOfTolerance = (value: number) =>
  value <= kLeastTolerance ? 0 : Math.min(1, Math.log(value / kLeastTolerance) / Math.log(kMostTolerance / kLeastTolerance));

export class CurveBar {
  readonly root: HTMLElement;
  private readonly time = this.field('Time', 'Time of the selected key, s', (time) => ({ time }));
  private readonly value = this.field('Value', 'Value of the selected key', (value) => ({ value }));
  private readonly tangents = new Choice<TangentMode>('Tangents', kTangents, (mode) => this.canvas.setMode(mode));
  private readonly mute = element('button', { type: 'button', class: 'switch', title: 'Mute the simulated layer: the artist’s curves alone',
    onclick: () => void this.studio.act('curves.layer', { ...this.layer, mute: !this.layer.mute }) }, 'Mute');
  private readonly influence = element('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': 'Influence of the simulated layer',
    title: 'Influence of the simulated layer: 0 the artist’s curves, 1 all of it', oninput: () => this.sendInfluence() });
  private readonly tolerance = element('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': 'Tolerance',
    title: 'How far the curve may leave the simulation, in parts of the character’s height: more takes keys away', oninput: () => this.sendTolerance() });
  private readonly count = element('output', { class: 'count' });
  private readonly share = element('output', {});
  private readonly clearOne = element('button', { type: 'button', class: 'text', onclick: () => this.clear(this.session.active?.control) }, 'Clear');
  private readonly clearAll = element('button', { type: 'button', class: 'text', title: 'Takes away all edits of this clip', onclick: () => this.clear() }, 'Clear all');

  constructor(private readonly studio: Studio, private readonly session: CurveSession, private readonly canvas: CurveCanvas) {
    const merge = element('button', { type: 'button', class: 'text', title: kMergeWords,
      onclick: () => void studio.act('curves.merge') }, 'Merge');
    this.root = element('div', { class: 'curve-bar' },
      element('div', { class: 'set', role: 'group', 'aria-label': 'Selected key' }, labelled('Time', this.time), labelled('Value', this.value)),
      this.tangents.root,
      element('span', { class: 'spring' }),
      element('div', { class: 'set layer' }, labelled('Tolerance', this.tolerance), this.count),
      element('div', { class: 'set layer' }, labelled('Influence', this.influence), this.share, this.mute),
      element('div', { class: 'set tight' }, this.clearOne, this.clearAll, merge));
    session.onChange(() => this.update());
    studio.store.on('curves', () => this.update());
  }

  private get layer() { return this.studio.store.get('curves')?.layer ?? { mute: false, influence: 1 }; }

  private field(name: string, title: string, change: (value: number) => { time?: number; value?: number }): HTMLInputElement {
    const input = element('input', { type: 'text', inputmode: 'decimal', class: 'number', 'aria-label': `${name} of the key`, title });
    const take = () => {
      const { session } = this, value = numberOf(input.value), [index] = session.selected;
      if (value !== null && session.active && session.selected.size === 1)
        session.edit(setKey(session.active.keys, index, change(value), session.duration));
      this.update();
    };
    input.addEventListener('change', take);
    input.addEventListener('blur', () => this.update());
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') input.value = '';
      if (event.key === 'Escape' || event.key === 'Enter') this.canvas.focus();  // back to the keys
    });
    return input;
  }

  private update(): void {
    const { session } = this, { active, selected } = session;
    const keys = [...selected].map((i) => active?.keys[i]).filter((key) => !!key);
    const one = keys.length === 1 ? keys[0] : null;
    const suffix = active ? suffixOf(active.unit, this.studio.store.get('file')?.unit) : '';
    this.write(this.time, one ? `${one.time.toFixed(3)} s` : '', keys.length);
    this.write(this.value, one ? `${numberText(one.value)}${suffix}` : '', keys.length);
    const mode = keys.length > 0 && keys.every((key) => key.mode === keys[0].mode) ? keys[0].mode : null;
    this.tangents.show(mode, () => keys.length > 0);
    this.count.textContent = active?.keys.length ? `${session.times.length} keys → ${active.keys.length}` : '';
    this.updateLayer();
    const edited = this.studio.store.get('curves')?.edited[this.studio.store.get('play')?.clip ?? ''] ?? [];
    this.clearOne.disabled = !active || !edited.includes(active.control);
    this.clearOne.title = active ? `Takes away the edits of ${active.control} in this clip` : '';
    this.clearAll.disabled = edited.length === 0;
  }

  private updateLayer(): void {
    const { mute, influence } = this.layer, tolerance = this.studio.store.get('curves')?.tolerance ?? 0;
    this.mute.setAttribute('aria-pressed', String(mute));
    const at = positionOfTolerance(tolerance);
    slide(this.influence, influence);
    slide(this.tolerance, at);
    this.tolerance.setAttribute('aria-valuetext', `${numberText(100 * tolerance)} % of the height`);
    this.count.title = `Tolerance ${(100 * tolerance).toPrecision(2)} % of the height`;
    this.share.textContent = `${Math.round(100 * influence)} %`;
  }

  // What is being typed or dragged is left alone.
  private write(input: HTMLInputElement, text: string, count: number): void {
    input.disabled = count !== 1;
    input.placeholder = count > 1 ? `${count} keys` : '–';
    if (document.activeElement !== input) input.value = text;
  }

  private sendInfluence(): void {
    this.studio.stream('influence', 'curves.layer', { ...this.layer, influence: Number(this.influence.value) });
    this.share.textContent = `${Math.round(100 * Number(this.influence.value))} %`;
    this.influence.style.setProperty('--done', `${100 * Number(this.influence.value)}%`);
  }

  private sendTolerance(): void {
    const at = Number(this.tolerance.value);
    this.tolerance.style.setProperty('--done', `${100 * at}%`);
    this.studio.stream('tolerance', 'curves.tolerance', { value: toleranceAt(at) });
  }

  private clear(control?: string): void { void this.studio.act('curves.clear', control ? { control } : {}); }
}

/// A slider that nobody drags goes to a value between 0 and 1.
function slide(input: HTMLInputElement, value: number): void {
  if (document.activeElement === input && input.matches(':active')) return;
  input.value = String(value);
  input.style.setProperty('--done', `${100 * value}%`);
}

function labelled(name: string, input: HTMLElement): HTMLElement {
  return element('label', {}, element('span', { class: 'quiet' }, name), input);
}
