// How the stage is divided: side by side, wiped by a line that can be dragged, or one over the other.

import { element } from '../ui/dom';
import { kWhole, Pane, Viewport } from '../viewport';

export type Mode = 'side' | 'wipe' | 'overlay';

export interface Labels {
  before: string;
  after: string;
}

const kModes: { mode: Mode; name: string; title: (labels: Labels) => string }[] = [
  { mode: 'side', name: 'Side by side', title: ({ before, after }) => `${before} and ${after}, each in its half (V)` },
  { mode: 'wipe', name: 'Wipe', title: () => 'One picture, divided by a line to drag (V)' },
  { mode: 'overlay', name: 'Overlay', title: ({ before, after }) => `${after}, with ${before} as a ghost over it (V)` },
];
const kNarrow = 700;  // pixels: below, the halves are stacked where that shows more
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

  constructor(private readonly stage: HTMLElement, private readonly viewport: Viewport,
              private readonly show: { before: () => void; after: () => void }, labels: Labels) {
    this.before = element('p', { class: 'side' }, labels.before);
    this.after = element('p', { class: 'side after' }, `${labels.after} `, this.amount);
    this.buttons = kModes.map(({ mode, name, title }) =>
      element('button', { type: 'button', title: title(labels), onclick: (event) => {
        (event.currentTarget as HTMLElement).blur();
        this.choose(mode);
      } }, name));
    this.chooser = element('div', { class: 'segments', role: 'group', 'aria-label': 'Comparison' }, ...this.buttons);
    stage.append(this.before, this.after, this.divider);
    this.listen();
    viewport.cover({ top: kLabelHeight, right: 0, bottom: 0, left: 0 });
    new ResizeObserver(() => this.arrange()).observe(stage);
    this.arrange();
  }

  choose(mode: Mode): void {
    this.mode = mode;
    this.arrange();
  }

  chooseNext(): void {
    const now = kModes.findIndex(({ mode }) => mode === this.mode);
    this.choose(kModes[(now + 1) % kModes.length].mode);
  }

  /// Told how wide the motion is, in its heights.
  fit(aspect: number): void {
    this.aspect = aspect;
    this.arrange();
  }

  label(amount: number): void { this.amount.textContent = `×${amount.toFixed(2)}`; }

  private arrange(): void {
    const stacked = this.mode === 'side' && this.stackingShowsMore();
    this.stage.dataset.split = stacked ? 'stacked' : this.mode;
    this.stage.style.setProperty('--wipe', `${100 * this.at}%`);
    this.divider.setAttribute('aria-valuenow', String(Math.round(100 * this.at)));
    this.divider.tabIndex = this.mode === 'wipe' ? 0 : -1;
    this.buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(kModes[i].mode === this.mode)));
    this.viewport.divide(this.panes(stacked));
  }

  private stackingShowsMore(): boolean {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const shown = (w: number, h: number) => Math.min(w / this.aspect, h - kLabelHeight);  // the motion's height in pixels
    return width < kNarrow && shown(width, height / 2) > shown(width / 2, height);
  }

  private panes(stacked: boolean): Pane[] {
    const { before, after } = this.show;
    if (this.mode === 'overlay')
      return [{ view: kWhole, window: kWhole, pose: after }, { view: kWhole, window: kWhole, pose: before, ghost: true }];
    if (this.mode === 'wipe')
      return [{ view: kWhole, window: { ...kWhole, width: this.at }, pose: before },
              { view: kWhole, window: { ...kWhole, x: this.at, width: 1 - this.at }, pose: after }];
    const first = stacked ? { ...kWhole, height: 0.5 } : { ...kWhole, width: 0.5 };
    const second = stacked ? { ...first, y: 0.5 } : { ...first, x: 0.5 };
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
