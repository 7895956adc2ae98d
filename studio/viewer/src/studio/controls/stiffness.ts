// How stiff a control is (RSP 5), as a number with a colour: dragged sideways, or by arrow keys. 1 is as the material has it.

import { element } from '../../ui/dom';

const kLeast = 0.01, kMost = 100, kPerPixel = 0.025;  // of the natural logarithm

/// From blue, soft, over grey at 1 to red, stiff; evenly in the logarithm.
export function stiffnessColor(value: number): string {
  const at = Math.max(-1, Math.min(1, Math.log10(Math.max(value, kLeast)) / 2));
  const hue = at < 0 ? 222 : 14, strength = Math.round(78 * Math.min(1, Math.abs(at) * 1.6));
  return `hsl(${hue} ${strength}% 50%)`;
}

export const stiffnessText = (value: number) => (value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2));
const limited = (value: number) => Number(Math.min(kMost, Math.max(kLeast, value)).toPrecision(2));

export class StiffnessChip {
  readonly root: HTMLElement;
  private value = 1;
  private from: { x: number; value: number } | null = null;

  constructor(name: string, private readonly changed: (value: number) => void) {
    this.root = element('span', { class: 'stiffness', role: 'slider', tabindex: 0, 'aria-label': `Stiffness of ${name}`,
      'aria-valuemin': kLeast, 'aria-valuemax': kMost,
      title: `How stiff ${name} is, times the material’s own: drag sideways, arrow keys, double click for 1`,
      ondblclick: () => this.change(1), onkeydown: (event) => this.press(event as KeyboardEvent),
      onpointerdown: (event) => this.begin(event as PointerEvent), onpointermove: (event) => this.move(event as PointerEvent),
      onpointerup: () => { this.from = null; } });
  }

  show(value: number): void {
    if (this.from) return;
    this.value = value;
    this.paint();
  }

  private paint(): void {
    this.root.textContent = stiffnessText(this.value);
    this.root.style.setProperty('--stiff', stiffnessColor(this.value));
    this.root.setAttribute('aria-valuenow', String(this.value));
  }

  private change(value: number): void {
    if (limited(value) === this.value) return;
    this.value = limited(value);
    this.paint();
    this.changed(this.value);
  }

  private begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.from = { x: event.clientX, value: this.value };
    this.root.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (this.from) this.change(this.from.value * Math.exp(kPerPixel * (event.clientX - this.from.x)));
  }

  private press(event: KeyboardEvent): void {
    const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.change(this.value * Math.exp(0.2 * by));
  }
}
