// Panels at one side of the stage: a strip of tabs, and the panel whose tab is pressed. Pressed again, it closes.

import { element, iconButton } from '../ui/dom';
import { icons } from '../ui/icons';
import { Panel } from './panel';

export class Dock {
  readonly tabs: HTMLElement;
  readonly body: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private open_: Panel | null = null;

  constructor(readonly place: Panel['place'], readonly panels: readonly Panel[], private readonly changed: () => void) {
    this.buttons = panels.map((panel) => this.tabOf(panel));
    this.tabs = element('div', { class: `tabs ${place}`, role: 'tablist', 'aria-label': `Panels, ${place}`,
                                 'aria-orientation': place === 'bottom' ? 'horizontal' : 'vertical' }, ...this.buttons);
    this.body = element('section', { class: `dock ${place}`, hidden: true });
    this.tabs.hidden = panels.length === 0;
    this.roam(0);
  }

  get opened(): string | null { return this.open_?.id ?? null; }

  toggle(id: string): void { this.open(this.opened === id ? null : id); }

  open(id: string | null): void {
    const panel = this.panels.find((candidate) => candidate.id === id) ?? null;
    if (panel === this.open_) return;
    const before = this.open_;
    this.open_ = panel;
    before?.shown?.(false);
    this.buttons.forEach((button, i) => button.setAttribute('aria-selected', String(this.panels[i] === panel)));
    this.body.hidden = panel === null;
    this.body.replaceChildren(...(panel ? this.framed(panel) : []));
    panel?.shown?.(true);
    this.changed();
  }

  private framed(panel: Panel): HTMLElement[] {
    this.body.setAttribute('role', 'tabpanel');
    this.body.setAttribute('aria-label', panel.title);
    const close = iconButton(icons.close, `Close ${panel.title}`, () => this.open(null));
    const head = element('header', { class: 'dock-head' }, element('h2', {}, panel.title), close);
    panel.root.classList.add('panel');
    return [head, panel.root];
  }

  private tabOf(panel: Panel): HTMLButtonElement {
    const button = element('button', { type: 'button', class: 'tab', role: 'tab', 'aria-selected': 'false', title: panel.title,
      onclick: (event) => {
        if ((event as MouseEvent).detail > 0) button.blur();
        this.toggle(panel.id);
      }, onkeydown: (event) => this.pressed(event as KeyboardEvent) });
    button.innerHTML = panel.icon;
    button.append(element('span', {}, panel.title));
    return button;
  }

  private pressed(event: KeyboardEvent): void {
    const keys: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    const at = this.buttons.indexOf(event.currentTarget as HTMLButtonElement), count = this.buttons.length;
    const beside = event.key in keys ? (at + keys[event.key] + count) % count : -1;
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? count - 1 : beside;
    if (to < 0) return;
    event.preventDefault();
    this.roam(to);
    this.buttons[to].focus();
  }

  /// One tab is reached by the tab key, the others by arrows.
  private roam(to: number): void { this.buttons.forEach((button, i) => { button.tabIndex = i === to ? 0 : -1; }); }
}
