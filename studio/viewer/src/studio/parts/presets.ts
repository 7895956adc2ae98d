// Presets as small pictures: what the part is like.

import { element } from '../../ui/dom';
import { presetPicture } from '../preset_pictures';
import { PartsSlice } from '../slices';

export class PresetGrid {
  readonly root = element('div', { class: 'presets', role: 'radiogroup', 'aria-label': 'Preset' });
  private listed = '';

  constructor(private readonly choose: (preset: string) => void) {
    this.root.addEventListener('keydown', (event) => this.pressed(event));
  }

  show(presets: PartsSlice['presets'], now: string | null): void {
    const listed = JSON.stringify(presets);
    if (listed !== this.listed) this.root.replaceChildren(...presets.map(({ name, flesh }) => this.buttonOf(name, flesh)));
    this.listed = listed;
    this.buttons.forEach((button, i) => {
      button.setAttribute('aria-checked', String(presets[i].name === now));
      button.tabIndex = presets[i].name === now || (now === null && i === 0) ? 0 : -1;
    });
  }

  private get buttons(): HTMLButtonElement[] { return [...this.root.children] as HTMLButtonElement[]; }

  private buttonOf(name: string, flesh: boolean): HTMLButtonElement {
    const button = element('button', { type: 'button', class: 'preset', role: 'radio',
      title: flesh ? `${name}: flesh without joints` : `${name}: a chain of joints`,
      onclick: (event) => {
        if ((event as MouseEvent).detail > 0) button.blur();
        this.choose(name);
      } });
    button.innerHTML = presetPicture(name);
    button.append(element('span', {}, name));
    return button;
  }

  private pressed(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const { buttons } = this, at = buttons.indexOf(event.target as HTMLButtonElement);
    if (!step || at < 0) return;
    event.preventDefault();
    buttons[(at + step + buttons.length) % buttons.length].focus();
  }
}
