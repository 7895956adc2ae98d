// One control of the list: its slider, its marks, its stiffness.

import { element } from '../../ui/dom';
import { Control } from '../slices';
import { Studio } from '../panel';
import { Throttle } from '../throttle';
import { numberText, sliderRange, suffixOf } from '../units';
import { presentValue } from './present';
import { StiffnessChip } from './stiffness';

const kHoldsPerSecond = 60;

export class ControlRow {
  readonly root: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly value: HTMLButtonElement;
  private readonly free: HTMLButtonElement;
  private readonly stiffness: StiffnessChip;
  private readonly sending: Throttle<number>;
  private dragging = false;

  constructor(private readonly studio: Studio, private control: Control, label: string, depth: number) {
    const { name } = control;
    this.sending = new Throttle(kHoldsPerSecond, (value) => studio.stream(`hold ${name}`, 'controls.hold', { values: { [name]: value } }));
    this.slider = element('input', { type: 'range', step: 'any', 'aria-label': name, oninput: () => this.drag(),
      onpointerdown: () => { this.dragging = true; }, onpointerup: () => this.drop(), onpointercancel: () => this.drop(),
      title: `${name}: drag to hold it there; double click lets go`, ondblclick: () => this.release() });
    this.value = element('button', { type: 'button', class: 'now-value', onclick: () => this.release() });
    this.free = element('button', { type: 'button', class: 'free', onclick: () => this.toggle() });
    this.stiffness = new StiffnessChip(name, (value) => studio.stream(`stiffness ${name}`, 'controls.stiffness', { pattern: name, value }));
    this.root = element('div', { class: `control-row${label.length <= 3 ? ' short' : ''}`, style: `--depth: ${depth}` },
                        this.free, element('span', { class: 'name', title: this.about() }, label), this.slider, this.value, this.stiffness.root);
    this.update(control);
  }

  update(control: Control): void {
    this.control = control;
    const { rest, held, free, keyed, stiffness } = control;
    const value = held ?? this.present() ?? rest, { min, max } = sliderRange(control, value, this.studio.store.get('file')?.height ?? 0);
    if (!this.dragging) {
      this.slider.min = String(min);
      this.slider.max = String(max);
      this.write(value);
    }
    this.root.classList.toggle('held', held !== null);
    this.root.classList.toggle('keyed', keyed);
    this.value.disabled = held === null;
    this.value.title = held === null ? 'Its value now; drag the slider to hold the control' : 'Held: click to let go';
    this.free.setAttribute('aria-pressed', String(free));
    this.free.setAttribute('aria-label', `${control.name} is ${free ? 'simulated' : keyed ? 'keyed' : 'not simulated'}`);
    this.free.title = free ? 'Simulated: click to give it back to the artist' : keyed ? 'Keyed by the clip: click to simulate it' : 'Neither keyed nor simulated: click to simulate it';
    this.stiffness.root.classList.toggle('off', !free);
    this.stiffness.show(stiffness ?? 1);
  }

  private present(): number | null {
    const { store, stage } = this.studio, file = store.get('file');
    return file && file.revision === stage.frame.revision ? presentValue(file, stage.frame, this.control) : null;
  }

  private about(): string {
    const { name, unit, min, max, rest, group } = this.control;
    const limits = min !== null || max !== null ? `, ${numberText(min ?? -Infinity)} to ${numberText(max ?? Infinity)}` : '';
    return `${name}${group ? ` (${group})` : ''}: ${unit}, rests at ${numberText(rest)}${limits}`;
  }

  private write(value: number): void {
    const { min, max } = this.slider, span = Number(max) - Number(min);
    this.slider.value = String(value);
    this.slider.style.setProperty('--done', `${span > 0 ? (100 * (value - Number(min))) / span : 0}%`);
    this.value.textContent = `${numberText(value)}${suffixOf(this.control.unit, this.studio.store.get('file')?.unit)}`;
    this.slider.setAttribute('aria-valuetext', this.value.textContent);
  }

  private drag(): void {
    const value = Number(this.slider.value);
    this.write(value);
    this.root.classList.add('held');
    this.sending.push(value);
  }

  private drop(): void {
    this.dragging = false;
    this.sending.flush();
  }

  private release(): void {
    this.sending.drop();
    void this.studio.act('controls.hold', { values: { [this.control.name]: null } });
  }

  private toggle(): void { void this.studio.act('controls.free', { pattern: this.control.name, on: !this.control.free }); }
}
