// The page of `rigspace simulate` and of `rigspace view --over`: two clips, the artist's and the soft one for example,
// under one camera and one clock.

import { Vector3 } from 'three';
import { Character } from './character';
import { embeddedOptions } from './embedded';
import { kSideThreeQuarter } from './framing';
import { askedFor, openPage, run } from './opening';
import { Playable, Player } from './player';
import { AmountSlider } from './soft/amount';
import { apiOf, SoftPageApi } from './soft/api';
import { Chart } from './soft/chart';
import { ClipLine } from './soft/clip_line';
import { CommandBar } from './soft/command_bar';
import { Comparison, Pair, pairsOf, shortNames, strongestOf } from './soft/comparison';
import { Desk } from './soft/desk';
import { Deviation, deviationOf, Measure, peakOf, reading, valueAtTime } from './soft/deviation';
import { SoftOptions } from './soft/options';
import { PartList } from './soft/part_list';
import { Recorder } from './soft/recorder';
import { rerunCommand } from './soft/rerun';
import { Seam, seamOf } from './soft/seam';
import { seamSentence } from './soft/seam_words';
import { Split } from './soft/split';
import { kDark, kLight, preferredTheme } from './theme';
import { brand } from './ui/brand';
import { element } from './ui/dom';
import { warningsOf } from './ui/heading';
import { icons } from './ui/icons';
import { Help, listenToKeys, Shortcut, toolShortcut } from './ui/shortcuts';
import { Toolbar } from './ui/toolbar';
import { Transport } from './ui/transport';
import { Extent } from './vertices';
import { Viewport } from './viewport';

const kMeasures: { measure: Measure | 'main'; name: string; title: string }[] = [
  { measure: 'main', name: 'Main', title: 'The component that moves most' },
  { measure: 'x', name: 'X', title: 'About or along the joint’s x axis' },
  { measure: 'y', name: 'Y', title: 'About or along the joint’s y axis' },
  { measure: 'z', name: 'Z', title: 'About or along the joint’s z axis' },
  { measure: 'size', name: 'Size', title: 'The whole angle or distance' },
];

export class SoftPage {
  readonly player = new Player();
  readonly pairs: Pair[];
  readonly chart: Chart;
  pair: Pair;
  readonly desk = new Desk();
  deviation: Deviation;
  command = '';
  readonly comparison: Comparison;
  private readonly viewport: Viewport;
  readonly split: Split;
  private readonly slider: AmountSlider;
  private readonly parts: PartList;
  private readonly line: ClipLine;
  private readonly bar = new CommandBar(() => this.reset());
  private readonly recorder: Recorder;
  private readonly transport: Transport;
  private readonly tools = new Toolbar();
  private readonly caption = element('p', { class: 'compact-clip' });
  private readonly help = new Help();
  private readonly measures: HTMLButtonElement[];
  private readonly deviations = new Map<Pair, Deviation>();
  private readonly seams = new Map<Pair, Seam>();  ///< as they were simulated
  private readonly shown = new Set<number>();
  private readonly size: number;  ///< of the character at rest: its longest side
  private measure: Measure | 'main' = 'main';
  private theme = preferredTheme();
  private extent: Extent;

  constructor(stage: HTMLElement, readonly character: Character, private readonly options: Partial<SoftOptions>) {
    this.pairs = pairsOf(character, options.pairs ?? []);
    if (this.pairs.length === 0) throw new Error('The page holds no two clips to compare; write it again.');
    const labels = options.labels ?? { before: 'before', after: 'after' };
    this.pair = strongestOf(this.pairs);
    const rest = character.extentNow().box.getSize(new Vector3());
    this.size = Math.max(rest.x, rest.y, rest.z) || 1;
    this.comparison = new Comparison(character);
    this.deviation = this.deviationNow();
    this.extent = this.comparison.extentOf(this.pair);
    this.viewport = new Viewport(stage);
    this.viewport.show(character, this.extent);
    this.split = new Split(stage, this.viewport, {
      before: () => this.comparison.showBefore(), after: () => this.comparison.showAfter(),
      ends: () => {
        const seam = this.seamNow();
        return { pictures: seam.pictures, sentence: seamSentence(seam) };
      } }, labels, (mode) => { if (mode === 'seam') this.player.pause(); });
    this.slider = new AmountSlider(labels.after, (amount) => this.setAmount(amount));
    this.chart = new Chart(this.theme, (time) => { this.player.playing = false; this.player.seek(time); });
    this.parts = new PartList(options.notes ?? [], {
      toggle: (part, alone) => this.toggle(part, alone),
      set: (part, factor) => { this.desk.set(part, factor); this.desk.mute(part, false); this.mix(); },
      mute: (part, on) => { this.desk.mute(part, on); this.mix(); } });
    this.line = new ClipLine(() => this.split.choose('seam'), (time) => this.seek(time));
    this.recorder = new Recorder(stage, this.viewport, this.player, options.title ?? 'rigspace');
    const names = shortNames(this.pairs);
    this.transport = new Transport(this.player, this.pairs, (pair) => this.choose(pair), { between: [this.slider.root],
      label: (pair) => `${names[this.pairs.indexOf(pair as Pair)]} · ${(pair as Pair).options.loop ? 'loop' : 'once'}` });
    this.measures = kMeasures.map(({ measure, name, title }) => element('button', { type: 'button', title,
      onclick: (event) => { (event.currentTarget as HTMLElement).blur(); this.setMeasure(measure); } }, name));
    this.assemble(stage, options.title ?? '');
    this.player.onChange(() => this.pose());
    this.choose(this.named(askedFor().clip) ?? this.pair);
    addEventListener('hashchange', () => {
      const pair = this.named(askedFor().clip);
      if (pair) this.choose(pair);
    });
    this.paint();
    this.viewport.frame(this.extent, { from: kSideThreeQuarter, smooth: false });
    run(this.player, this.viewport);
    // A view that stands still shows the moment that differs most: many clips begin in the artist's pose.
    if (askedFor().compact && !this.player.playing) this.player.seek(this.pair.options.largest?.at ?? 0);
  }

  choose(pair: Playable | null): void {
    this.pair = pair as Pair;
    this.deviation = this.deviationNow();
    this.extent = this.comparison.extentOf(this.pair);
    const { x, y, z } = this.extent.box.getSize(new Vector3());
    this.split.fit(Math.hypot(x, z) / (y || 1));
    this.viewport.illuminate(this.extent);
    this.showLiveliest();
    this.parts.show(this.pair.options.parts, this.theme);
    this.line.show(this.pair, this.simulatedSeam());
    this.caption.textContent = shortNames(this.pairs)[this.pairs.indexOf(this.pair)];
    this.player.show(this.pair);
    this.mix();
    if (this.viewport.framed) this.frame();
  }

  setAmount(amount: number): void {
    this.desk.master = amount;
    this.mix();
  }

  /// Stops, and goes to a time, where the split view shows it.
  seek(time: number): void {
    this.player.playing = false;
    if (this.split.mode === 'seam') this.split.choose('side');
    this.player.seek(time);
  }

  /// The ends of the clip with what is set at the desk.
  seamNow(): Seam {
    const seam = seamOf(this.comparison, this.pair, this.comparison.mixing);
    this.comparison.set(this.pair, this.player.time);
    return seam;
  }

  private simulatedSeam(): Seam {
    const seam = this.seams.get(this.pair) ?? seamOf(this.comparison, this.pair);
    this.seams.set(this.pair, seam);
    return seam;
  }

  private named(name: string | null): Pair | undefined { return this.pairs.find((pair) => pair.name === name); }

  private reset(): void {
    this.desk.reset();
    this.mix();
  }

  /// What is set at the desk, to the pictures, the curves and the command.
  private mix(): void {
    const { parts } = this.pair.options;
    this.comparison.mixing = this.desk.mixing(this.character, parts);
    this.command = rerunCommand(this.options.rerun ?? '', this.desk, this.pair.options, this.pairs.map(({ options }) => options));
    this.bar.show(this.command, parts.some(({ name }) => this.desk.amount(name) > 1));
    this.slider.show(this.desk.master);
    this.split.label(this.desk.master, parts.some(({ name }) => this.desk.amount(name) !== this.desk.master));
    this.split.change();
    this.update();
    this.viewport.invalidate();
  }

  private pose(): void {
    if (this.split.mode === 'seam' && this.player.playing) this.split.choose('side');
    this.comparison.set(this.pair, this.player.time);
    this.chart.at(this.player.time);
    this.read();
    this.viewport.invalidate();
  }

  /// The curves of the present pair, sampled once.
  private deviationNow(): Deviation {
    const known = this.deviations.get(this.pair);
    if (known) return known;
    const sampled = deviationOf(this.comparison, this.pair, this.size);
    this.deviations.set(this.pair, sampled);
    return sampled;
  }

  private toggle(part: number, alone: boolean): void {
    if (alone) this.shown.clear();
    if (!this.shown.delete(part)) this.shown.add(part);
    this.update();
  }

  /// Of many parts the one that moves most; of a few, all.
  private showLiveliest(): void {
    const kFew = 3;
    const { parts } = this.pair.options;
    this.shown.clear();
    if (parts.length <= kFew) return parts.forEach((_, i) => this.shown.add(i));
    const turns = this.deviation.curves.filter((curve) => curve.quantity === 'turn');
    const curves = turns.length > 0 ? turns : this.deviation.curves;
    const most = curves.reduce((best, curve) => Math.max(best, peakOf(curve)), 0);
    this.shown.add(curves.find((curve) => peakOf(curve) === most)?.part ?? 0);
  }

  private setMeasure(measure: Measure | 'main'): void {
    this.measure = measure;
    this.update();
  }

  /// The curves and their list, after any choice.
  private update(): void {
    this.measures.forEach((button, i) =>
      button.setAttribute('aria-pressed', String(kMeasures[i].measure === this.measure)));
    this.parts.mark(this.shown);
    this.chart.show({ deviation: this.deviation, duration: this.pair.duration, loop: this.pair.options.loop,
                      shown: this.shown, partNames: this.pair.options.parts.map((part) => part.name),
                      measure: this.measure,
                      amount: (part) => this.desk.amount(this.pair.options.parts[part].name) });
    this.parts.set(this.desk);
    this.read();
  }

  private read(): void {
    this.parts.read(this.pair.options.parts.map(({ name }, part) => {
      const own = this.deviation.curves.filter((curve) => curve.part === part);
      const largest = (curves: typeof own) => Math.max(...curves.map((curve) =>
        this.desk.amount(name) * valueAtTime(this.deviation, curve, 'size', this.player.time)));
      const quantity = (['turn', 'shift', 'distance', 'weight'] as const)
        .find((kind) => own.some((c) => c.quantity === kind));
      if (!quantity) return 'still';
      return reading(largest(own.filter((c) => c.quantity === quantity)), quantity);
    }));
  }

  private assemble(stage: HTMLElement, title: string): void {
    const { joints } = this.character.counts;
    const { tools, viewport } = this;
    tools.addToggle('skeleton', icons.skeleton, joints ? 'Skeleton (S)' : 'This file has no skeleton',
                    (on) => { viewport.skeletonVisible = on; }, { available: joints > 0 });
    tools.addToggle('wireframe', icons.wireframe, 'Wireframe (W)', (on) => { viewport.wireframeVisible = on; });
    tools.addToggle('grid', icons.grid, 'Grid (G)', (on) => { viewport.gridVisible = on; }, { on: true });
    tools.addToggle('follow', icons.follow, joints ? 'Follow the character (C)' : 'Nothing to follow',
                    (on) => { viewport.following = on; this.frame(); }, { available: joints > 0 });
    tools.add('frame', icons.frame, 'Frame the motion (F)', () => this.frame());
    tools.add('record', icons.record, 'Record a video of this clip (R)', () => void this.record());
    tools.add('theme', icons.theme, 'Light or dark (B)', () => this.changeTheme());
    tools.add('help', icons.help, 'Keys (?)', () => this.help.toggle());
    const shortcuts = this.shortcuts();
    document.body.classList.add('shell', 'soft');
    stage.append(this.caption);
    stage.before(element('header', { class: 'topbar' }, brand('rigspace'), element('h1', { title }, title),
                         element('span', { class: 'spring' }), this.split.chooser, tools.root));
    stage.append(...warningsOf(this.character.warnings));
    stage.after(
      element('section', { class: 'dock right aside', 'aria-label': 'Parts' }, element('header', {}, element('h2', {}, 'Parts'),
        element('div', { class: 'segments small', role: 'group', 'aria-label': 'Component' }, ...this.measures)), this.parts.root),
      this.transport.root,
      element('section', { class: 'dock bottom curves', 'aria-label': 'Curves' }, this.line.root, this.chart.root, this.bar.root),
      this.help.listing(shortcuts));
    listenToKeys(shortcuts);
  }

  private shortcuts(): Shortcut[] {
    const amount = (k: number, does: string, shown: string[]): Shortcut =>
      ({ keys: [String(k)], shown, does, act: () => this.setAmount(k) });
    return [
      amount(0, 'Amount ×0, ×1, ×2', ['0', '1', '2']), amount(1, '', []), amount(2, '', []),
      { keys: ['v'], shown: ['V'], does: 'Side by side, wipe, overlay, seam', act: () => this.split.chooseNext() },
      { keys: ['e'], shown: ['E'], does: 'The ends of the clip', act: () => this.split.choose('seam') },
      ...this.transport.shortcuts(),
      toolShortcut(this.tools, 's', 'skeleton', 'Skeleton'),
      toolShortcut(this.tools, 'w', 'wireframe', 'Wireframe'),
      toolShortcut(this.tools, 'g', 'grid', 'Grid'),
      toolShortcut(this.tools, 'f', 'frame', 'Frame the motion'),
      toolShortcut(this.tools, 'c', 'follow', 'Camera follows'),
      toolShortcut(this.tools, 'r', 'record', 'Record a video'),
      toolShortcut(this.tools, 'b', 'theme', 'Light or dark'),
      toolShortcut(this.tools, '?', 'help', 'These keys'),
    ];
  }

  private frame(): void {
    const following = this.tools.pressed('follow');
    if (following) this.comparison.showAfter();
    this.viewport.frame(following ? this.character.extentNow() : this.extent);
  }

  private async record(): Promise<void> {
    if (this.split.mode === 'seam') this.split.choose('side');
    await this.recorder.press(this.pair);
  }

  private changeTheme(): void {
    this.theme = this.theme === kDark ? kLight : kDark;
    this.paint();
  }

  private paint(): void {
    document.documentElement.dataset.theme = this.theme.name;
    this.viewport.paint(this.theme);
    this.chart.paint(this.theme);
    this.transport.repaint();
    this.parts.show(this.pair.options.parts, this.theme);
    this.update();
  }
}

export function openSoft(): void {
  const { ready, page } = openPage((stage, character) => new SoftPage(stage, character, embeddedOptions<SoftOptions>()));
  (window as { rigspace?: SoftPageApi }).rigspace = apiOf(ready, page);
}
