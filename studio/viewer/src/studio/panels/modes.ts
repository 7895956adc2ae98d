// Principal modes of the baked motion as sliders of their own (RSP figure 9): more or less of each.

import { element } from '../../ui/dom';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { ModesSlice } from '../slices';
import { ValueSlider } from '../widgets/value_slider';

const kCounts = [3, 6, 12], kMostFactor = 3;

type Mode = ModesSlice['modes'][number];

export function modesPanel(studio: Studio): Panel {
  const modes = new Modes(studio);
  return { id: 'modes', title: 'Modes', icon: panelIcons.modes, place: 'right', root: modes.root };
}

class Modes {
  readonly root: HTMLElement;
  private readonly count = element('select', { 'aria-label': 'How many modes', title: 'How many modes to find, the largest first' },
                                   ...kCounts.map((count) => element('option', { value: count, selected: count === 6 }, String(count))));
  private readonly find = element('button', { type: 'button', class: 'primary', onclick: () => void this.search() }, 'Find modes');
  private readonly reset = element('button', { type: 'button', class: 'text', title: 'Every mode as it was simulated', onclick: () => this.resetAll() }, 'Reset');
  private readonly list = element('div', { class: 'modes-list' });
  private rows: ModeRow[] = [];

  constructor(private readonly studio: Studio) {
    this.root = element('section', { class: 'modes-panel', 'aria-label': 'Modes' },
                        element('div', { class: 'line' }, this.count, this.find, element('span', { class: 'spring' }), this.reset), this.list);
    for (const slice of ['modes', 'bake', 'file'] as const) studio.store.on(slice, () => this.update());
  }

  private update(): void {
    const { store } = this.studio, modes = store.get('modes')?.modes ?? [], ready = store.get('bake')?.state === 'ready';
    this.find.disabled = !ready;
    this.find.title = ready ? 'Finds the few shapes of motion that the simulated clip is made of' : 'The clip is being simulated; its modes can be found afterwards';
    this.reset.hidden = modes.every(({ factor }) => factor === 1);
    if (modes.length === 0) {
      this.rows = [];
      return this.list.replaceChildren(element('p', { class: 'empty quiet' }, store.get('file')
        ? 'The simulated motion is a sum of a few shapes: find them, then turn each up or down.'
        : 'Open a character: the shapes that its motion is made of are found here.'));
    }
    if (this.rows.map(({ name }) => name).join('\n') !== modes.map(({ name }) => name).join('\n')) {
      this.rows = modes.map((mode, i) => new ModeRow(mode, i, (factor) =>
        this.studio.stream(`mode ${i}`, 'modes.set', { mode: i, factor })));
      this.list.replaceChildren(...this.rows.map(({ root }) => root));
    }
    this.rows.forEach((row, i) => row.show(modes[i]));
  }

  private async search(): Promise<void> {
    this.find.disabled = true;
    this.find.textContent = 'Finding…';
    await this.studio.act('modes.find', { count: Number(this.count.value) });
    this.find.textContent = 'Find modes';
    this.update();
  }

  private resetAll(): void {
    for (const [mode, { factor }] of (this.studio.store.get('modes')?.modes ?? []).entries())
      if (factor !== 1) void this.studio.act('modes.set', { mode, factor: 1 });
  }
}

class ModeRow {
  readonly root: HTMLElement;
  readonly name: string;
  private readonly slider: ValueSlider;
  private readonly share = element('span', { class: 'quiet share' });
  private readonly bar = element('i', { class: 'bar' });

  constructor({ name }: Mode, i: number, changed: (factor: number) => void) {
    this.name = name;
    this.slider = new ValueSlider({ label: name || `Mode ${i + 1}`, min: 0, max: kMostFactor, unit: '×',
      about: 'How much of this shape: 1 as simulated, 0 none.' }, { change: (factor) => changed(snapped(factor)), reset: () => changed(1) });
    this.root = element('div', { class: 'mode-row' }, this.slider.root, element('div', { class: 'share-track' }, this.bar), this.share);
  }

  show({ share, factor, min, max }: Mode): void {
    this.share.textContent = `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
    this.share.title = `${(100 * share).toFixed(1)} % of the motion; its amplitude goes from ${min.toPrecision(3)} to ${max.toPrecision(3)}`;
    this.bar.style.width = `${100 * share}%`;
    this.slider.show(factor, { set: factor !== 1 });
  }
}

const snapped = (factor: number) => (Math.abs(factor - 1) < 0.04 ? 1 : factor);
