// How the stage is divided: side by side, wiped by a line that can be dragged, one over the other, the clip's ends, or
// not at all.

import { element } from '../ui/dom';
import { kWhole, Pane, Viewport } from '../viewport';
import { EndPicture } from './seam';
import { percentText } from './seam_words';

export type Mode = 'side' | 'wipe' | 'overlay' | 'seam' | 'single';

export interface Labels {
  before: string;
  after: string;
}

/// A pose to be drawn over another.
export type Over = Pick<Pane, 'pose' | 'ghost'>;

/// The ends of a clip, and a sentence about them.
export interface Ends {
  pictures: readonly EndPicture[];
  sentence: string;
}

const kModes: { mode: Mode; name: string; title: (labels: Labels) => string }[] = [
  { mode: 'side', name: 'Side by side', title: ({ before, after }) => `${before} and ${after}, each in its half (V)` },
  { mode: 'wipe', name: 'Wipe', title: () => 'One picture, divided by a line to drag (V)' },
  { mode: 'overlay', name: 'Overlay', title: ({ before, after }) => `${after}, with ${before} as a ghost over it (V)` },
  { mode: 'seam', name: 'Seam', title: () => 'The ends of the clip: where a loop meets itself, where a clip that plays ' +
                                             'once meets the artist’s pose (E)' },
  { mode: 'single', name: 'Single', title: ({ after }) => `${after} alone (V)` },
];
export const kComparisons: readonly Mode[] = ['side', 'wipe', 'overlay', 'seam'];
const kNarrow = 700;  // pixels: below, the halves are stacked where that shows more
const kMuchMore = 1.3;  // times larger: in wider windows, stacked where that shows so much more
const kLabelHeight = 34;

export class Split {
  readonly chooser: HTMLElement;
  mode: Mode = 'side';
  private at = 0.5;  ///< of the wipe, from the left
  private aspect = 1;
  private readonly buttons: HTMLButtonElement[];
  private readonly divider = element('div', { class: 'divider', role: 'separator', tabindex: 0,
                                              'aria-label': 'Wipe', 'aria-orientation': 'vertical' });
  private readonly before: HTMLElement;
  private readonly amount = element('span', { class: 'quiet' });
  private readonly after: HTMLElement;
  private readonly endLabels = [element('p', { class: 'side end' }), element('p', { class: 'side end second' })];
  private readonly marks = [0, 1].map(() => element('p', { class: 'seam-mark', hidden: true }));
  private readonly sentence = element('p', { class: 'seam-sentence', hidden: true });
  private ends: readonly EndPicture[] = [];
  private readonly modes: typeof kModes;

  /// `show.over`: what else is drawn over the picture of "after", in a pane of the same view.
  /// `show.ends` is called when the ends of the clip are to be seen, and again after every change().
  constructor(private readonly stage: HTMLElement, private readonly viewport: Viewport,
              private readonly show: { before: () => void; after: () => void; ends: () => Ends; over?: () => readonly Over[] },
              labels: Labels, private readonly chosen: (mode: Mode) => void, offered = kComparisons) {
    this.modes = offered.map((mode) => kModes.find((known) => known.mode === mode)!);
    this.mode = offered[0];
    this.before = element('p', { class: 'side' }, labels.before);
    this.after = element('p', { class: 'side after second' }, `${labels.after} `, this.amount);
    this.buttons = this.modes.map(({ mode, name, title }) =>
      element('button', { type: 'button', title: title(labels), onclick: (event) => {
        (event.currentTarget as HTMLElement).blur();
        this.choose(mode);
      } }, name));
    this.chooser = element('div', { class: 'segments', role: 'group', 'aria-label': 'Comparison' }, ...this.buttons);
    stage.append(this.before, this.after, ...this.endLabels, this.divider, ...this.marks, this.sentence);
    this.listen();
    viewport.onDrawn(() => this.placeMarks());
    viewport.cover({ top: kLabelHeight, right: 0, bottom: 0, left: 0 });
    new ResizeObserver(() => this.arrange()).observe(stage);
    this.arrange();
  }

  choose(mode: Mode): void {
    this.mode = mode;
    this.chosen(mode);
    this.change();
  }

  /// Another clip, or another amount: the ends look otherwise.
  change(): void {
    const ends = this.mode === 'seam' ? this.show.ends() : { pictures: [], sentence: '' };
    this.ends = ends.pictures;
    this.sentence.textContent = ends.sentence;
    this.sentence.hidden = ends.sentence === '';
    this.ends.forEach(({ label, detail }, i) =>
      this.endLabels[i].replaceChildren(`${label} `, element('span', { class: 'quiet' }, detail)));
    this.arrange();
  }

  chooseNext(): void {
    const now = this.modes.findIndex(({ mode }) => mode === this.mode);
    this.choose(this.modes[(now + 1) % this.modes.length].mode);
  }

  /// Told how wide the motion is, in its heights.
  fit(aspect: number): void {
    this.aspect = aspect;
    this.arrange();
  }

  /// `parts`: some part shows another amount.
  label(amount: number, parts: boolean): void {
    this.amount.textContent = `×${amount.toFixed(2)}${parts ? ', parts changed' : ''}`;
  }

  private arrange(): void {
    const halves = this.mode === 'side' || this.mode === 'seam';
    const stacked = halves && this.stackingShowsMore();
    this.stage.dataset.split = stacked ? 'stacked' : halves ? 'side' : this.mode;
    for (const label of [this.before, this.after]) label.hidden = this.mode === 'seam' || this.mode === 'single';
    for (const label of this.endLabels) label.hidden = this.mode !== 'seam';
    this.stage.style.setProperty('--wipe', `${100 * this.at}%`);
    this.divider.setAttribute('aria-valuenow', String(Math.round(100 * this.at)));
    this.divider.tabIndex = this.mode === 'wipe' ? 0 : -1;
    this.buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(this.modes[i].mode === this.mode)));
    const panes = this.panes(stacked), after = panes.find(({ pose }) => pose === this.show.after);
    this.viewport.divide([...panes, ...(after ? this.show.over?.() ?? [] : []).map((over) => ({ ...after!, ...over }))]);
    this.placeMarks();
  }

  /// A ring about where each end differs most from what lies over it.
  private placeMarks(): void {
    const solid = this.viewport.shown.filter((pane) => !pane.ghost);
    this.marks.forEach((mark, i) => {
      const found = this.ends[i]?.mark, place = found && solid[i] ? this.viewport.placeOf(found.at, solid[i]) : null;
      mark.hidden = !place;
      if (!found || !place) return;
      mark.textContent = percentText(found.percent);
      mark.style.left = `${place.x}px`;
      mark.style.top = `${place.y}px`;
    });
  }

  private stackingShowsMore(): boolean {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const shown = (w: number, h: number) => Math.min(w / this.aspect, h - kLabelHeight);  // the motion's height in pixels
    const gain = shown(width, height / 2) / shown(width / 2, height);
    return gain > (width < kNarrow ? 1 : kMuchMore);
  }

  private panes(stacked: boolean): Pane[] {
    const { before, after } = this.show;
    if (this.mode === 'single') return [{ view: kWhole, window: kWhole, pose: after }];
    if (this.mode === 'overlay')
      return [{ view: kWhole, window: kWhole, pose: after }, { view: kWhole, window: kWhole, pose: before, ghost: true }];
    if (this.mode === 'wipe')
      return [{ view: kWhole, window: { ...kWhole, width: this.at }, pose: before },
              { view: kWhole, window: { ...kWhole, x: this.at, width: 1 - this.at }, pose: after }];
    const first = stacked ? { ...kWhole, height: 0.5 } : { ...kWhole, width: 0.5 };
    const second = stacked ? { ...first, y: 0.5 } : { ...first, x: 0.5 };
    if (this.mode === 'seam')
      return [first, second].flatMap((view, i) => [{ view, window: view, pose: this.ends[i].pose },
                                                   { view, window: view, pose: this.ends[i].ghost, ghost: true }]);
    return [{ view: first, window: first, pose: before }, { view: second, window: second, pose: after }];
  }

  private listen(): void {
    const { divider } = this;
    divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener('pointermove', (event) => {
      if (!divider.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.stage.getBoundingClientRect();
      this.wipe((event.clientX - left) / width);
    });
    divider.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft') this.wipe(this.at - 0.02);
      if (event.key === 'ArrowRight') this.wipe(this.at + 0.02);
    });
  }

  private wipe(at: number): void {
    this.at = Math.min(Math.max(at, 0), 1);
    this.arrange();
  }
}
