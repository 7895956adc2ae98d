// Which colour is which part, over the foot of the stage. A click selects.

import { element } from '../ui/dom';
import { Theme } from '../theme';
import { colorOfPart } from './part_colors';
import { Part } from './slices';

export class Legend {
  readonly root = element('div', { class: 'legend', role: 'group', 'aria-label': 'Soft parts' });
  private listed = '';

  constructor(private readonly actions: { select: (part: Part) => void; hover: (part: Part | null) => void }) {}

  show(parts: readonly Part[], selected: string | null, theme: Theme): void {
    const listed = JSON.stringify([parts.map(({ name, reason, candidate }) => [name, reason, candidate]), selected, theme.name]);
    if (listed === this.listed) return;  // chips stay under the pointer while sliders move
    this.listed = listed;
    this.root.hidden = parts.length === 0;
    this.root.replaceChildren(...parts.map((part) => {
      const chip = element('button', { type: 'button', class: 'chip', style: `--part: ${colorOfPart(part, theme)}`,
        title: part.reason, 'aria-pressed': String(part.name === selected), onclick: (event) => {
          if ((event as MouseEvent).detail > 0) chip.blur();
          this.actions.select(part);
        }, onpointerenter: () => this.actions.hover(part), onpointerleave: () => this.actions.hover(null) },
        element('i', {}), part.name);
      return chip;
    }));
  }
}
