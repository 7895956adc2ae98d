// One line about the clip on show: loop or once and why, its seam, its largest deviation.

import { element } from '../ui/dom';
import { Pair } from './comparison';
import { Seam } from './seam';
import { percentText, seamFigure, seamSentence } from './seam_words';

export class ClipLine {
  readonly root = element('p', { class: 'clip-line' });

  constructor(private readonly showSeam: () => void, private readonly seek: (time: number) => void) {}

  show(pair: Pair, seam: Seam): void {
    const { loop, why, gap, largest } = pair.options;
    const kind = loop ? 'loop' : 'once';
    const parts: HTMLElement[] = [
      element('span', { class: 'kind', title: `${loop ? 'Loops' : 'Plays once'}${why ? `, since ${why}` : ''}` },
              element('span', { class: loop ? 'play-mark loops' : 'play-mark' }, kind),
              ...(why ? [element('span', { class: 'why' }, `since ${why}`)] : []))];
    const before = loop && gap !== undefined ? ` Before it was closed: ${percentText(gap)} of the largest deviation.` : '';
    parts.push(this.button(seamFigure(seam), `${seamSentence(seam)}${before} Click to see it.`, this.showSeam));
    if (largest) {
      const frame = Math.round(largest.at * pair.frameRate);
      parts.push(this.button(`most ${largest.percent.toFixed(1)} % of the height at frame ${frame}`,
                             'The largest deviation of a point of the skin. Click to go there.', () => this.seek(largest.at)));
    }
    this.root.replaceChildren(...parts);
  }

  private button(text: string, title: string, act: () => void): HTMLElement {
    return element('button', { type: 'button', class: 'figure', title, onclick: (event) => {
      (event.currentTarget as HTMLElement).blur();
      act();
    } }, text);
  }
}
