// One table of keys: it acts, and the help lists it.

import { element, iconButton } from './dom';
import { icons } from './icons';
import { Toolbar } from './toolbar';

export interface Shortcut {
  keys: string[];   ///< as KeyboardEvent.key says, letters in lower case; "Shift+" before where it matters; "Ctrl+" (or ⌘)
  shown: string[];  ///< as the help writes them
  does: string;     ///< empty: not listed, since a neighbour speaks for it
  act: () => void;
}

export function listenToKeys(shortcuts: readonly Shortcut[]): void {
  addEventListener('keydown', (event) => {
    if (event.altKey || event.defaultPrevented || keepsItsKeys(event)) return;
    const command = event.ctrlKey || event.metaKey;
    const plain = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shift = event.shiftKey && (command || event.key.length > 1) ? 'Shift+' : '';
    const key = `${command ? 'Ctrl+' : ''}${shift}${plain}`;
    const shortcut = shortcuts.find((candidate) => candidate.keys.includes(key));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.act();
  });
}

/// A key for a button of the toolbar, by the name that it was added under.
export function toolShortcut(toolbar: Toolbar, key: string, name: string, does: string): Shortcut {
  return { keys: [key], shown: [key.toUpperCase()], does, act: () => toolbar.press(name) };
}

// A text field keeps all, a focused button the keys that press it, a list, a slider and a divider their arrows.
function keepsItsKeys(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.key === 'Escape') return false;
  if (target.matches('input[type=search], input[type=text], input[type=number], textarea')) return true;
  if (target.matches('button, summary') && (event.key === ' ' || event.key === 'Enter')) return true;
  if (target.matches('select')) return event.key !== 'Escape';
  return target.matches('input[type=range], [role=separator], [role=tab], [role=radio], [role=option]') &&
         /^(Arrow|Home|End)/.test(event.key);
}

export class Help {
  private readonly dialog = element('dialog', { class: 'help', 'aria-label': 'Keys' });

  listing(shortcuts: readonly Shortcut[]): HTMLElement {
    const close = iconButton(icons.close, 'Close', () => this.dialog.close());
    const rows = shortcuts.filter((shortcut) => shortcut.does).map((shortcut) =>
      element('tr', {}, element('th', { scope: 'row' }, ...shortcut.shown.map((key) => element('kbd', {}, key))),
              element('td', {}, shortcut.does)));
    this.dialog.replaceChildren(
      element('header', {}, element('h2', {}, 'Keys'), close), element('table', {}, element('tbody', {}, ...rows)),
      element('p', {}, 'Drag to orbit, right-drag or two fingers to pan, wheel or pinch to zoom.'));
    this.dialog.addEventListener('click', (event) => { if (event.target === this.dialog) this.dialog.close(); });
    return this.dialog;
  }

  toggle(): void { this.dialog.open ? this.dialog.close() : this.dialog.showModal(); }
}
