// Buttons with pictures: some act, some stay pressed.

import { element, iconButton } from './dom';

interface Tool {
  button: HTMLButtonElement;
  act: () => void;
}

export class Toolbar {
  readonly root = element('nav', { class: 'toolbar', 'aria-label': 'View' });
  private readonly tools = new Map<string, Tool>();

  /// A button that acts.
  add(name: string, icon: string, label: string, act: () => void): void {
    const button = iconButton(icon, label, () => this.press(name));
    this.tools.set(name, { button, act });
    this.root.append(button);
  }

  /// A button that stays pressed until it is pressed again.
  addToggle(name: string, icon: string, label: string, change: (on: boolean) => void,
            { on = false, available = true } = {}): void {
    this.add(name, icon, label, () => {
      button.setAttribute('aria-pressed', String(!this.pressed(name)));
      change(this.pressed(name));
    });
    const { button } = this.tools.get(name)!;
    button.setAttribute('aria-pressed', String(on));
    button.disabled = !available;
  }

  addRule(): void { this.root.append(element('hr')); }

  press(name: string): void {
    const tool = this.tools.get(name);
    if (tool && !tool.button.disabled) tool.act();
  }

  pressed(name: string): boolean { return this.tools.get(name)?.button.getAttribute('aria-pressed') === 'true'; }
}
