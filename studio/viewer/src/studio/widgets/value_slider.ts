// A value with its name, a slider, and a number that can be typed. Double click puts it back.

import { element } from '../../ui/dom';

const kSteps = 1000;  // of the slider

/// How the slider's way is spent: evenly, by equal factors (min above 0), or finer near min.
export type Scale = 'linear' | 'log' | 'square';

export interface ValueOptions {
  label: string;
  min: number;      ///< that may be typed
  max: number;
  low?: number;     ///< of the slider, where that is narrower
  high?: number;
  unit: string;
  digits?: number;  ///< after the point
  scale?: Scale;
  about?: string;   ///< what it means, for the title
}

export interface ValueActions {
  /// `done`: the hand has let go; before, values follow each other quickly.
  change: (value: number, done: boolean) => void;
  /// Back to what it is when nobody has set it. Without this there is no double click.
  reset?: () => void;
}

export class ValueSlider {
  readonly root: HTMLElement;
  private readonly range: HTMLInputElement;
  private readonly number: HTMLInputElement;
  private value = 0;
  private shown = '';  ///< in the number's field, unless somebody types
  private held = false;  ///< a hand is on it: what the server says meanwhile is not shown

  constructor(private readonly options: ValueOptions, private readonly actions: ValueActions) {
    const { label, unit, about = '' } = options;
    const title = about + (actions.reset ? ' Double click to reset.' : '');
    this.range = element('input', { type: 'range', min: 0, max: kSteps, step: 1, 'aria-label': label });
    this.number = element('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false',
                                     'aria-label': unit ? `${label}, ${unit}` : label });
    this.root = element('div', { class: 'value', title }, element('span', { class: 'value-name' }, label), this.range,
                        element('label', { class: 'value-number' }, this.number, element('span', { class: 'unit' }, unit)));
    this.listen();
  }

  /// `set`: somebody set it, so that there is something to reset. `auto`: nobody did, and the program finds it; without a
  /// value it is still to be found. Without a value, and not `auto`, it cannot be used.
  show(value: number | null | undefined, { set = false, enabled = true, auto = false } = {}): void {
    const known = typeof value === 'number' && Number.isFinite(value);
    this.root.classList.toggle('set', set);
    this.root.classList.toggle('auto', auto && !this.held);
    this.range.disabled = this.number.disabled = !enabled || !(known || auto);
    if (this.held || document.activeElement === this.number && this.number.value !== this.shown) return;
    if (known) this.write(value);
    else if (auto) this.writeAuto();
  }

  private listen(): void {
    const { range, number, root, actions } = this;
    range.addEventListener('input', () => {
      this.held = true;
      root.classList.remove('auto');
      this.write(rounded(this.valueAt(Number(range.value) / kSteps), this.digits));
      actions.change(this.value, false);
    });
    range.addEventListener('change', () => {
      this.held = false;
      actions.change(this.value, true);
    });
    range.addEventListener('pointerup', () => range.blur());
    number.addEventListener('focus', () => number.select());
    number.addEventListener('change', () => this.typed());
    number.addEventListener('keydown', (event) => this.pressed(event));
    if (actions.reset) root.addEventListener('dblclick', (event) => {
      if (event.target === number) return;
      this.held = false;
      actions.reset!();
    });
  }

  private typed(): void {
    const value = parseFloat(this.number.value.replace(',', '.'));
    if (!Number.isFinite(value)) return this.write(this.value);
    this.write(Math.min(Math.max(value, this.options.min), this.options.max));
    this.actions.change(this.value, true);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === 'Enter') this.number.blur();
    if (event.key === 'Escape') { this.write(this.value); this.number.blur(); event.stopPropagation(); }
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const step = 10 ** -this.digits * (event.shiftKey ? 10 : 1) * (event.key === 'ArrowUp' ? 1 : -1);
    this.number.value = String(this.value + step);
    this.typed();
  }

  private get digits(): number { return this.options.digits ?? 2; }
  private text(): string { return this.value.toFixed(this.digits); }

  private writeAuto(): void {
    this.write(this.valueAt(0.4));
    this.number.value = this.shown = 'auto';
    this.range.setAttribute('aria-valuetext', 'automatic');
  }

  private write(value: number): void {
    this.value = value;
    const way = Math.min(Math.max(this.wayTo(value), 0), 1);
    this.range.value = String(Math.round(kSteps * way));
    this.range.style.setProperty('--done', `${100 * way}%`);
    this.range.setAttribute('aria-valuetext', `${this.text()} ${this.options.unit}`);
    this.number.value = this.shown = this.text();
  }

  private get ends(): { low: number; high: number } {
    const { min, max, low = min, high = max } = this.options;
    return { low, high };
  }

  private valueAt(way: number): number {
    const { scale } = this.options, { low, high } = this.ends;
    if (scale === 'log' && low > 0) return low * (high / low) ** way;
    return low + (high - low) * (scale === 'square' ? way * way : way);
  }

  private wayTo(value: number): number {
    const { scale } = this.options, { low, high } = this.ends;
    if (scale === 'log' && low > 0) return Math.log(Math.max(value, low) / low) / Math.log(high / low);
    const way = (value - low) / (high - low || 1);
    return scale === 'square' ? Math.sqrt(Math.max(0, way)) : way;
  }
}

function rounded(value: number, digits: number): number { return Number(value.toFixed(digits)); }
