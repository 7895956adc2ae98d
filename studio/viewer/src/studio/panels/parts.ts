// Parts: which of the character's move by themselves, why, and how.

import { Theme } from '../../theme';
import { element } from '../../ui/dom';
import { studioIcons } from '../icons';
import { Panel, PanelMaker, Studio } from '../panel';
import { chosenEntries, otherEntries } from '../parts/entries';
import { PresetGrid } from '../parts/presets';
import { Entry, RowList } from '../parts/rows';
import { PartSettings } from '../parts/settings';
import { Mode, PartsSlice } from '../slices';
import { sentence } from '../error_words';

const kOthersAtFirst = 4;

export const partsPanel: PanelMaker = (studio) => new PartsPanel(studio);

class PartsPanel implements Panel {
  readonly id = 'parts';
  readonly title = 'Parts';
  readonly icon = studioIcons.parts;
  readonly place = 'right';
  readonly root: HTMLElement;
  private readonly chosen: RowList;
  private readonly others: RowList;
  private readonly remark = element('p', { class: 'quiet' });
  private readonly moreOthers = element('button', { type: 'button', class: 'text', onclick: () => {
    this.all = !this.all;
    this.update();
  } });
  private readonly find = element('button', { type: 'button', class: 'text', title: 'Back to the parts that were found by themselves',
                                              onclick: () => void this.studio.act('parts.find') }, 'Find again');
  private readonly othersTitle = element('button', { type: 'button', class: 'others-title', title: 'What else could be soft',
                                                    onclick: () => this.others.root.scrollIntoView({ block: 'nearest' }) });
  private readonly othersHead = element('header', {}, this.othersTitle, this.moreOthers);
  private readonly editor = element('div', { class: 'editor' });
  private readonly editorTitle = element('h3');
  private readonly reasons = element('ul', { class: 'reasons' });
  private readonly hint = element('p', { class: 'quiet hint' });
  private readonly presets: PresetGrid;
  private readonly settings: PartSettings;
  private theme: Theme;
  private all = false;
  private file = '';

  constructor(private readonly studio: Studio) {
    this.theme = studio.theme;
    const actions = {
      select: ({ candidate, part }: Entry) => studio.selection.set({ candidate: candidate >= 0 ? candidate : null, part }),
      hover: (entry: Entry | null) => { studio.stage.hovered = entry && entry.candidate >= 0 ? entry.candidate : null; },
      mode: (entry: Entry, mode: Mode) => this.setMode(entry, mode),
    };
    this.chosen = new RowList(actions);
    this.others = new RowList(actions);
    this.presets = new PresetGrid((preset) => this.setPreset(preset));
    this.settings = new PartSettings(studio);
    this.editor.append(this.editorTitle, this.hint, this.reasons, this.presets.root, this.settings.root);
    this.root = element('div', { class: 'parts-panel' },
      element('div', { class: 'part-lists' },
        element('div', { class: 'found' }, this.remark, this.find), this.chosen.root,
        this.othersHead, this.others.root),
      this.editor);
    studio.store.on('parts', (parts) => { this.keepSelection(parts); this.update(); });
    studio.store.on('bake', () => this.update());
    studio.selection.on(() => { this.update(); this.reveal(); });
    studio.onTheme((theme) => { this.theme = theme; this.update(); });
  }

  private get parts(): PartsSlice | undefined { return this.studio.store.get('parts'); }

  private entries(): Entry[] { return this.parts ? [...this.chosenNow(this.parts), ...otherEntries(this.parts)] : []; }

  private chosenNow(parts: PartsSlice): Entry[] {
    const bake = this.studio.store.get('bake');
    return chosenEntries(parts, this.theme, bake?.clip === this.studio.store.get('play')?.clip ? bake : undefined);
  }

  private selected(entry: Entry): boolean {
    const { candidate, part } = this.studio.selection;
    return entry.part !== null ? entry.part === part : candidate !== null && entry.candidate === candidate;
  }

  private setMode(entry: Entry, mode: Mode): void {
    const which = entry.candidate >= 0 ? { candidate: entry.candidate } : { nodes: entry.nodes };
    void this.studio.act('parts.mode', { ...which, mode });
    if (entry.candidate >= 0) this.studio.selection.set({ candidate: entry.candidate, part: entry.part });
  }

  private setPreset(preset: string): void {
    const entry = this.entries().find((candidate) => this.selected(candidate)), { node } = this.studio.selection;
    if (entry?.part) void this.studio.act('parts.preset', { part: entry.part, preset });
    else if (entry) void this.studio.act('parts.mode', { candidate: entry.candidate, mode: 'soft', preset });
    else if (node) void this.softenNode(node, preset);
  }

  /// What nobody found: a chain is the joint and all that hang on it, flesh is around the joint alone.
  private async softenNode(node: string, preset: string): Promise<void> {
    const flesh = this.parts?.presets.find(({ name }) => name === preset)?.flesh ?? false;
    const nodes = flesh ? [node] : this.studio.stage.jointsFrom(node), before = new Set(this.parts?.chosen.map(({ name }) => name));
    if (!await this.studio.act('parts.mode', { nodes, mode: 'soft', preset })) return;
    const made = this.parts?.chosen.find(({ name }) => !before.has(name));
    if (made) this.studio.selection.set({ part: made.name, candidate: made.candidate >= 0 ? made.candidate : null });
  }

  /// The selected candidate's part, whatever it is called now; of a new file the first part, so that there is something to drag.
  private keepSelection(parts: PartsSlice): void {
    const { selection, store } = this.studio, path = store.get('file')?.path ?? '';
    const known = parts.chosen.find(({ candidate, name }) =>
      selection.candidate !== null ? candidate === selection.candidate : name === selection.part);
    const fresh = path !== this.file;
    this.file = path;
    if (fresh) this.all = false;
    const part = fresh ? parts.chosen[0] : known;
    const candidate = fresh || part ? part?.candidate ?? -1 : selection.candidate ?? -1;
    const there = candidate >= 0 && candidate < parts.candidates.length;
    selection.set({ part: part?.name ?? null, candidate: there ? candidate : null });
  }

  private reveal(): void {
    const entry = this.entries().find((candidate) => this.selected(candidate));
    this.chosen.reveal(entry);
    this.others.reveal(entry);
  }

  private update(): void {
    const { parts } = this;
    if (!parts || !this.settings) return;
    const others = otherEntries(parts), count = this.all ? others.length : kOthersAtFirst;
    const near = others.filter((entry, i) => i < count || this.selected(entry));
    this.chosen.show(this.chosenNow(parts), (entry) => this.selected(entry));
    this.others.show(near, (entry) => this.selected(entry));
    this.remark.textContent = this.remark.title = sentence(parts.remark) ||
      (!parts.found ? 'Changed by you.' : parts.chosen.length > 0 && parts.body ? `Found on ${parts.body}.` : '');
    this.find.hidden = parts.found;
    this.othersHead.hidden = others.length === 0;
    this.othersTitle.textContent = `Could move (${others.length})`;
    this.moreOthers.hidden = others.length <= kOthersAtFirst;
    this.moreOthers.textContent = this.all ? 'Show fewer' : `Show all ${others.length}`;
    this.edit(parts);
  }

  private edit(parts: PartsSlice): void {
    const entry = this.entries().find((candidate) => this.selected(candidate));
    const part = parts.chosen.find(({ name }) => name === entry?.part), candidate = parts.candidates[entry?.candidate ?? -1];
    const node = entry ? null : this.studio.selection.node;
    this.editorTitle.textContent = entry?.name ?? node ?? '';
    this.editor.style.setProperty('--part', entry?.color ?? 'var(--quiet)');
    this.editorTitle.hidden = this.presets.root.hidden = !entry && !node;
    this.settings.root.hidden = !part;
    this.reasons.hidden = !!part || !candidate;
    this.reasons.replaceChildren(...(part || !candidate ? [] : [
      ...candidate.for.map((reason) => element('li', { class: 'for' }, reason)),
      ...candidate.against.map((reason) => element('li', { class: 'against' }, reason))]));
    this.hint.hidden = !!part;
    this.hint.textContent = entry ? 'It follows your animation. Choose what it is like to make it soft:'
      : node ? 'It was not found to be soft. Choose what it is like to make it so:'
      : parts.chosen.length > 0 ? 'Click a part, in the list or on the body, to shape its motion.'
      : 'Nothing moves by itself yet. Click the body where it should, or a part of the list.';
    this.presets.show(parts.presets, part?.preset ?? null);
    if (part) this.settings.show(part, parts.fields);
  }
}
