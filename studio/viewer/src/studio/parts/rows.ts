// The list of parts: those that move, then what else could. A row says why, and has its three states.

import { element } from '../../ui/dom';
import { studioIcons } from '../icons';
import { Mode } from '../slices';
import { Choice } from '../widgets/choice';

const kModes: { value: Mode; label: string; title: string; picture: string }[] = [
  { value: 'soft', label: 'Soft', title: 'Soft: moves by itself', picture: studioIcons.soft },
  { value: 'firm', label: 'Firm', title: 'Firm: follows your animation', picture: studioIcons.firm },
  { value: 'protected', label: 'Protected', title: 'Protected: never moves, whatever is around it', picture: studioIcons.protected },
];

/// One thing that is or could be soft.
export interface Entry {
  key: string;
  candidate: number;    ///< or -1
  part: string | null;  ///< the chosen part's name
  name: string;
  word: string;         ///< preset, or kind
  reason: string;
  reading: string;      ///< how far it moves in the present clip, where that is known
  nodes: string[];
  mode: Mode;
  color: string | null;
}

export interface RowActions {
  select: (entry: Entry) => void;
  hover: (entry: Entry | null) => void;
  mode: (entry: Entry, mode: Mode) => void;
}

export class PartRow {
  readonly root: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly name = element('b');
  private readonly word = element('span', { class: 'quiet' });
  private readonly reading = element('output', { class: 'row-reading', title: 'How far it swings in this clip' });
  private readonly reason = element('span', { class: 'quiet row-reason' });
  private readonly modes: Choice<Mode>;
  private entry: Entry;

  constructor(entry: Entry, private readonly actions: RowActions) {
    this.entry = entry;
    this.modes = new Choice(`State of ${entry.name}`, kModes, (mode) => this.actions.mode(this.entry, mode), 'modes');
    this.button = element('button', { type: 'button', class: 'row-main', onclick: (event) => {
      if ((event as MouseEvent).detail > 0) this.button.blur();
      this.actions.select(this.entry);
    } }, element('i', { class: 'swatch' }), element('span', { class: 'row-name' }, this.name, this.word, this.reading), this.reason);
    this.root = element('div', { class: 'row', role: 'listitem', onpointerenter: () => this.actions.hover(this.entry),
                                 onpointerleave: () => this.actions.hover(null) }, this.button, this.modes.root);
    this.button.addEventListener('focus', () => { if (this.button.matches(':focus-visible')) this.actions.hover(this.entry); });
    this.button.addEventListener('blur', () => this.actions.hover(null));
    this.show(entry, false);
  }

  show(entry: Entry, selected: boolean): void {
    this.entry = entry;
    this.name.textContent = entry.name;
    this.word.textContent = entry.word;
    this.reason.textContent = entry.reason;
    this.reading.textContent = entry.reading;
    this.button.title = entry.reason;
    this.button.setAttribute('aria-pressed', String(selected));
    this.root.classList.toggle('selected', selected);
    this.root.style.setProperty('--part', entry.color ?? 'transparent');
    this.root.dataset.mode = entry.mode;
    this.modes.show(entry.mode);
  }
}

/// Rows by key: kept while the list changes around them, so that the pointer and the focus stay where they are.
export class RowList {
  readonly root = element('div', { class: 'rows', role: 'list' });
  private readonly rows = new Map<string, PartRow>();

  constructor(private readonly actions: RowActions) {}

  show(entries: readonly Entry[], selected: (entry: Entry) => boolean): void {
    const keys = new Set(entries.map(({ key }) => key));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.root.remove();
      this.rows.delete(key);
    }
    entries.forEach((entry, i) => {
      const row = this.rows.get(entry.key) ?? new PartRow(entry, this.actions);
      this.rows.set(entry.key, row);
      row.show(entry, selected(entry));
      if (this.root.children[i] !== row.root) this.root.insertBefore(row.root, this.root.children[i] ?? null);
    });
  }

  reveal(entry: Entry | undefined): void {
    if (entry) this.rows.get(entry.key)?.root.scrollIntoView({ block: 'nearest' });
  }
}
