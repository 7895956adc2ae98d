// Which controls have curves here: those of the selected part, simulated ones first.

import { element } from '../../ui/dom';
import { Control } from '../slices';
import { Studio } from '../panel';
import { numberText, suffixOf } from '../units';
import { Survey } from './survey';

const kMostRows = 200;

/// The controls to list: of the part's nodes, or of all parts where none is selected; what `text` says is searched
/// among all controls. Simulated ones come first (free, or where the rig frees none all of the parts' nodes), else the
/// rig's order stays.
export function listedControls(controls: readonly Control[], partNodes: readonly string[] | null, allNodes: readonly string[],
                               text: string): { control: Control; simulated: boolean }[] {
  const wanted = text.trim().toLowerCase(), own = new Set(partNodes ?? allNodes);
  const moving = new Set(controls.some(({ free }) => free) ? [] : allNodes);
  const listed = controls.filter((control) => wanted ? control.name.toLowerCase().includes(wanted)
    : own.has(control.node) || (partNodes === null && control.free));
  const rows = listed.map((control) => ({ control, simulated: control.free || moving.has(control.node) }));
  return [...rows.filter(({ simulated }) => simulated), ...rows.filter(({ simulated }) => !simulated)];
}

export class ControlList {
  readonly root: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly list = element('div', { class: 'rows', role: 'listbox', 'aria-label': 'Controls', 'aria-multiselectable': true });
  private readonly title = element('h3', {});
  readonly head = element('div', { class: 'head' }, this.title);
  private names: string[] = [];
  private chosen: string[] = [];
  private context = '';
  private touched = false;  ///< somebody chose; else what moves most is shown
  readonly survey: Survey;

  constructor(private readonly studio: Studio, private readonly choose: (names: string[]) => void) {
    this.search = element('input', { type: 'search', placeholder: 'Search all controls', 'aria-label': 'Search curves',
      title: 'Finds controls of the whole rig by name; empty: those of the selected part', oninput: () => this.update() });
    this.root = element('div', { class: 'curve-list' }, this.head, this.search, this.list);
    this.survey = new Survey(studio, () => this.update());
    const { store, selection } = studio;
    selection.on(() => this.update());
    for (const slice of ['parts', 'controls', 'curves', 'play', 'file'] as const) store.on(slice, () => this.update());
    this.list.addEventListener('keydown', (event) => this.step(event));
  }

  private update(): void {
    const { store, selection } = this.studio;
    const parts = store.get('parts')?.chosen ?? [], part = parts.find(({ name }) => name === selection.part);
    const edited = new Set(store.get('curves')?.edited[store.get('play')?.clip ?? ''] ?? []);
    const rows = listedControls(store.get('controls')?.controls ?? [], part?.nodes ?? null, parts.flatMap(({ nodes }) => nodes), this.search.value);
    const key = JSON.stringify([part?.name, this.search.value, rows.map(({ control, simulated }) => [control.name, simulated, edited.has(control.name), this.survey.size(control.name)])]);
    if (key === this.context) return;
    this.context = key;
    this.title.textContent = this.search.value.trim() ? `${rows.length} found` : part ? part.name : 'All parts';
    const names = rows.map(({ control }) => control.name), others = names.join('\n') !== this.names.join('\n');
    this.names = names;
    if (others) this.touched = false;
    this.survey.of(rows.filter(({ simulated }) => simulated).map(({ control }) => control.name));
    const shown = rows.slice(0, kMostRows).map(({ control, simulated }) => this.row(control, simulated, edited.has(control.name)));
    if (rows.length > kMostRows) shown.push(element('p', { class: 'quiet' }, `${rows.length - kMostRows} more: search for their names.`));
    if (rows.length === 0) shown.push(element('p', { class: 'quiet' }, this.search.value.trim() ? 'No control has this in its name.'
      : 'Parts that move have their controls here; make one soft first.'));
    this.list.replaceChildren(...shown);
    if (!this.touched) this.take(this.first(part?.kind === 'flesh')); else this.mark();
  }

  private row(control: Control, simulated: boolean, edited: boolean): HTMLElement {
    const about = [simulated ? 'simulated' : 'as the artist keyed it', edited ? 'edited by hand in this clip' : ''].filter(Boolean).join(', ');
    return element('div', { class: `row${simulated ? ' simulated' : ''}`, role: 'option', tabindex: -1, 'data-name': control.name,
      title: `${control.name}: ${about}. Ctrl-click shows it behind the others.`,
      onclick: (event) => this.click(control.name, event as MouseEvent) },
      element('i', {}), element('span', {}, control.name), ...this.reading(control.name), ...(edited ? [element('b', { title: 'Edited by hand' }, '✎')] : []));
  }

  private reading(name: string): HTMLElement[] {
    const size = this.survey.size(name);
    return size === undefined ? [] : [element('small', { title: 'How far the simulation moves it at most in this clip' },
      `${numberText(size)}${suffixOf(this.survey.unit(name), this.studio.store.get('file')?.unit)}`)];
  }

  // What moves most; until that is known a turn, or of flesh a shift.
  private first(flesh: boolean): string[] {
    const turns = this.names.filter((name) => /\.r[xyz]$/.test(name) !== flesh), among = turns.length > 0 ? turns : this.names;
    const size = (name: string) => this.survey.size(name) ?? 0;
    return among.slice(0, 1).map((start) => among.reduce((most, name) => (size(name) > size(most) ? name : most), start));
  }

  private click(name: string, event: MouseEvent): void {
    this.touched = true;
    if (!event.ctrlKey && !event.metaKey) return this.take([name]);
    const others = this.chosen.filter((chosen) => chosen !== name);
    this.take(this.chosen.includes(name) && others.length > 0 ? others : [...this.chosen, name]);
  }

  // Arrow keys go through the list; the list has one place in the order of Tab.
  private step(event: KeyboardEvent): void {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.names.indexOf(this.chosen[0]) + by;
    if (this.names[at] === undefined || at >= kMostRows) return;
    this.touched = true;
    this.take([this.names[at]]);
    this.list.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
  }

  private take(names: string[]): void {
    this.chosen = names;
    this.mark();
    this.choose(names);
  }

  private mark(): void {
    for (const row of this.list.querySelectorAll<HTMLElement>('.row')) {
      const at = this.chosen.indexOf(row.dataset.name!);
      row.setAttribute('aria-selected', String(at >= 0));
      row.classList.toggle('active', at === 0);
      row.tabIndex = at === 0 ? 0 : -1;
    }
    if (!this.list.matches(':hover')) this.list.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }
}
