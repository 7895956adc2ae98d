// The master slider: how much of all parts' deviation the right side shows, from none to twice.

import { element } from '../ui/dom';
import { kMostAmount } from './desk';

const kMarks = [0, 1, 2];
const kSnap = 0.06;  // to a mark, while a hand moves the slider

export class AmountSlider {
  readonly root: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly reading = element('output', { class: 'reading' });
  private readonly marks: HTMLButtonElement[];

  constructor(after: string, choose: (amount: number) => void) {
    this.slider = element('input', { type: 'range', min: 0, max: kMostAmount, step: 0.01, 'aria-label': 'Amount',
      title: `How much of the difference “${after}” shows (0, 1, 2); double click for ×1`,
      oninput: () => choose(snapped(Number(this.slider.value))), onpointerup: () => this.slider.blur(),
      ondblclick: () => choose(1) });
    this.marks = kMarks.map((mark) =>
      element('button', { type: 'button', class: 'mark', title: `Amount ×${mark} (${mark})`,
                          onclick: (event) => { (event.currentTarget as HTMLElement).blur(); choose(mark); } }, `×${mark}`));
    this.root = element('div', { class: 'amount', role: 'group', 'aria-label': 'Amount' },
                        element('span', { class: 'quiet' }, 'Amount'),
                        element('div', { class: 'track' }, this.slider, element('div', { class: 'marks' }, ...this.marks)),
                        this.reading);
  }

  show(amount: number): void {
    this.slider.value = String(amount);
    this.slider.style.setProperty('--done', `${(100 * amount) / kMostAmount}%`);
    this.reading.textContent = `×${amount.toFixed(2)}`;
    this.slider.setAttribute('aria-valuetext', this.reading.textContent);
    this.marks.forEach((button, i) => button.setAttribute('aria-pressed', String(amount === kMarks[i])));
  }
}

/// To a mark, if it is near one.
export function snapped(amount: number): number {
  return kMarks.find((mark) => Math.abs(mark - amount) < kSnap) ?? amount;
}
