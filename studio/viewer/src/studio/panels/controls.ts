// The rig's controls: searched, held by hand, given to the simulation or taken from it.

import { element } from '../../ui/dom';
import { ControlRow } from '../controls/row';
import { StiffnessChip } from '../controls/stiffness';
import { StiffnessTint } from '../controls/stiffness_tint';
import { heightOf, offsetsOf, patternOf, Row, rowsOf, seenRows, Show } from '../controls/tree';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { Control } from '../slices';
import { Throttle } from '../throttle';
import { Choice, Option } from '../widgets/choice';

const kShows: Option<Show>[] = [
  { value: 'all', label: 'All', title: 'Every control of the rig' },
  { value: 'free', label: 'Simulated', title: 'Controls that the simulation moves' },
  { value: 'keyed', label: 'Keyed', title: 'Controls that the clip moves' },
  { value: 'held', label: 'Held', title: 'Controls that a hand holds' },
];

const kReadingsPerSecond = 10;

type Branch = Exclude<Row, { kind: 'control' }>;

export function controlsPanel(studio: Studio): Panel {
  const list = new VirtualControls(studio);
  return { id: 'controls', title: 'Controls', icon: panelIcons.controls, place: 'right', root: list.root, shown: () => list.update() };
}

class VirtualControls {
  readonly root: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly choice = new Choice<Show>('Which controls', kShows, (show) => { this.show = show; this.update(); });
  private readonly pattern = element('div', { class: 'pattern', hidden: true });
  private readonly letGo: HTMLButtonElement;
  private readonly tint: StiffnessTint;
  private readonly tinted = element('button', { type: 'button', class: 'switch stiff', 'aria-pressed': 'false', onclick: () => this.toggleTint(),
    title: 'Colours the soft flesh by how stiff it is: blue is softer than its material, red stiffer' }, 'Stiffness on the body');
  private readonly scroller = element('div', { class: 'scroller' });
  private readonly inner = element('div', { class: 'inner' });
  private readonly empty = element('p', { class: 'empty quiet' });
  private rows: Row[] = [];
  private offsets: number[] = [0];
  private controls: Control[] = [];
  private show: Show = 'all';
  private readonly shut = new Set<string>();
  private readonly made = new Map<string, { root: HTMLElement; row: ControlRow | null }>();
  private patternShown = '';

  constructor(private readonly studio: Studio) {
    this.tint = new StiffnessTint(studio);
    this.search = element('input', { type: 'search', placeholder: 'Search, or a pattern: tail*.r?', 'aria-label': 'Search controls',
      title: 'A part of the name, or a pattern with * and ?', oninput: () => this.update() });
    this.letGo = element('button', { type: 'button', class: 'text', title: 'Lets go of every held control', onclick: () => this.releaseAll() }, 'Let go');
    this.root = element('section', { class: 'controls-panel', 'aria-label': 'Controls' }, this.search,
      element('div', { class: 'line' }, this.choice.root, this.letGo), element('div', { class: 'chips' }, this.tinted),
      this.pattern, this.scroller);
    this.scroller.append(this.inner, this.empty);
    this.scroller.addEventListener('scroll', () => this.fill(), { passive: true });
    new ResizeObserver(() => this.fill()).observe(this.scroller);
    studio.store.on('controls', ({ controls }) => { this.controls = controls; this.update(); });
    const follow = new Throttle<void>(kReadingsPerSecond, () => this.fill());
    studio.stage.onFrame(() => { if (this.scroller.clientHeight > 0) follow.push(); });
    let revision = -1;
    studio.store.on('file', (file) => { if (file?.revision !== revision) { revision = file?.revision ?? -1; this.clear(); } this.update(); });
  }

  private toggleTint(): void {
    const on = this.tinted.getAttribute('aria-pressed') !== 'true';
    this.tinted.setAttribute('aria-pressed', String(on));
    this.tint.show(on);
  }

  update(): void {
    this.rows = rowsOf(this.controls, this.search.value, this.show, this.shut);
    this.offsets = offsetsOf(this.rows);
    this.inner.style.height = `${this.offsets[this.rows.length]}px`;
    this.choice.show(this.show);
    const held = this.controls.filter((control) => control.held !== null).length;
    this.letGo.hidden = held === 0;
    this.letGo.textContent = `Let go of ${held}`;
    this.empty.hidden = this.rows.length > 0;
    this.empty.textContent = this.whyEmpty();
    this.offerPattern();
    this.fill();
  }

  private whyEmpty(): string {
    if (!this.studio.store.get('file')) return 'Open a character: the controls of its rig are listed here.';
    if (this.controls.length === 0) return 'This character has no controls.';
    if (this.search.value.trim() !== '') return 'No control has this in its name.';
    return this.show === 'held' ? 'Drag a slider of a control: it is held there until you let go.'
      : this.show === 'free' ? 'Click the dot before a control: the simulation moves it then.' : 'The clip moves none of these controls.';
  }

  // What is searched can be freed, bound, or made stiff at once.
  private offerPattern(): void {
    const text = this.search.value.trim(), { pattern, found } = patternOf(text, this.controls);
    this.pattern.hidden = text === '' || found === 0;
    const shown = `${pattern}\n${found}`;
    if (this.pattern.hidden || shown === this.patternShown) return;
    this.patternShown = shown;
    const act = (on: boolean) => () => void this.studio.act('controls.free', { pattern, on });
    const chip = new StiffnessChip(pattern, (value) => this.studio.stream(`stiffness ${pattern}`, 'controls.stiffness', { pattern, value }));
    chip.show(1);
    this.pattern.replaceChildren(element('code', { title: 'The pattern that the buttons act on; capitals count' }, pattern),
      element('span', { class: 'quiet', title: `${found} controls match` }, String(found)),
      element('button', { type: 'button', class: 'text', title: `The simulation moves all ${found}`, onclick: act(true) }, 'Free'),
      element('button', { type: 'button', class: 'text', title: `All ${found} go back to the artist`, onclick: act(false) }, 'Bind'), chip.root);
  }

  private fill(): void {
    const [first, end] = seenRows(this.offsets, this.scroller.scrollTop, this.scroller.clientHeight);
    const wanted = new Set<string>();
    for (let i = first; i < end; ++i) {
      const row = this.rows[i], key = row.kind === 'control' ? `control ${row.depth} ${row.label} ${row.control.name}` : `${row.key} ${row.depth}`;
      wanted.add(key);
      const made = this.made.get(key) ?? this.make(row, key);
      if (row.kind === 'control') made.row!.update(row.control); else describeBranch(made.root, row);
      made.root.style.transform = `translateY(${this.offsets[i]}px)`;
      made.root.style.height = `${heightOf(row)}px`;
    }
    for (const [key, { root }] of this.made) if (!wanted.has(key)) { root.remove(); this.made.delete(key); }
  }

  private make(row: Row, key: string): { root: HTMLElement; row: ControlRow | null } {
    const control = row.kind === 'control' ? new ControlRow(this.studio, row.control, row.label, row.depth) : null;
    const made = { root: control?.root ?? this.heading(row as Branch), row: control };
    this.made.set(key, made);
    this.inner.append(made.root);
    return made;
  }

  private heading({ key, label, kind, depth }: Branch): HTMLElement {
    return element('button', { type: 'button', class: `branch ${kind}`, style: `--depth: ${depth}`, onclick: () => {
        this.shut.has(key) ? this.shut.delete(key) : this.shut.add(key);
        this.update();
      } }, element('i', {}), element('span', {}, label), element('small', { class: 'quiet' }));
  }

  private clear(): void {
    for (const { root } of this.made.values()) root.remove();
    this.made.clear();
    this.shut.clear();
  }

  private releaseAll(): void {
    const held = this.controls.filter((control) => control.held !== null);
    void this.studio.act('controls.hold', { values: Object.fromEntries(held.map(({ name }) => [name, null])) });
  }
}

function describeBranch(root: HTMLElement, { label, count, open }: Branch): void {
  root.setAttribute('aria-expanded', String(open));
  root.title = `${label}: ${count} controls`;
  root.querySelector('small')!.textContent = String(count);
}
