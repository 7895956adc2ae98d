// One of a few: buttons side by side, of which one is pressed. Arrows move within, tab goes past.

import { element } from '../../ui/dom';

export interface Option<T> {
  value: T;
  label: string;   ///< text, or the name of a picture
  title?: string;
  picture?: string;  ///< SVG in the label's place
}

export class Choice<T> {
  readonly root: HTMLElement;
  private readonly buttons: HTMLButtonElement[];

  constructor(label: string, private readonly options: readonly Option<T>[], private readonly choose: (value: T) => void,
              style = 'segments small') {
    this.buttons = options.map(({ label: name, title = name, picture }, i) => {
      const button = element('button', { type: 'button', role: 'radio', title, 'aria-label': name, 'aria-checked': 'false',
        tabindex: i === 0 ? 0 : -1, onclick: (event) => {
          if ((event as MouseEvent).detail > 0) button.blur();
          this.choose(options[i].value);
        }, onkeydown: (event) => this.pressed(event as KeyboardEvent, i) });
      picture ? (button.innerHTML = picture) : button.append(name);
      return button;
    });
    this.root = element('div', { class: style, role: 'radiogroup', 'aria-label': label }, ...this.buttons);
  }

  /// Null: none is pressed.
  show(value: T | null, enabled: (value: T) => boolean = () => true): void {
    const at = this.options.findIndex((option) => option.value === value);
    this.buttons.forEach((button, i) => {
      button.setAttribute('aria-checked', String(i === at));
      button.tabIndex = i === Math.max(0, at) ? 0 : -1;
      button.disabled = !enabled(this.options[i].value);
    });
  }

  /// Another text on a button.
  label(value: T, text: string): void {
    const at = this.options.findIndex((option) => option.value === value);
    if (this.buttons[at] && this.buttons[at].textContent !== text) this.buttons[at].textContent = text;
  }

  private pressed(event: KeyboardEvent, i: number): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const usable = this.buttons.filter((button) => !button.disabled);
    const next = usable[(usable.indexOf(this.buttons[i]) + step + usable.length) % usable.length];
    next?.focus();
    next?.click();
  }
}
