// Parts by pointing at the body: what lies under the pointer lights up and says why it could move; a click selects it.

import { element } from '../ui/dom';
import { Studio } from './panel';
import { Stage } from './stage';
import { Candidate } from './slices';

const kModeWords = { soft: 'soft', firm: 'firm', protected: 'protected: never moves' };

export class Selecting {
  private readonly tip = element('div', { class: 'tip', role: 'tooltip', hidden: true });

  constructor(private readonly studio: Studio, private readonly stage: Stage) {
    stage.host.append(this.tip);
    stage.onPointer((kind, event) => {
      if (kind === 'hover') this.hover(event);
      if (kind === 'leave') this.point(null);
      if (kind === 'click') this.click(event);
    }, 0);
  }

  /// Selects a candidate, and the part that was made of it.
  select(candidate: number | null): void {
    const part = this.studio.store.get('parts')?.chosen.find((chosen) => chosen.candidate === candidate);
    this.studio.selection.set({ candidate, part: candidate === null ? null : part?.name ?? null });
  }

  private hover(event: PointerEvent): void {
    const picked = this.stage.pick(event);
    this.stage.viewport.canvas.style.cursor = picked ? 'pointer' : '';
    this.point(picked && picked.candidate >= 0 ? picked.candidate : null, picked?.node ?? '');
    const { left, top, width } = this.stage.host.getBoundingClientRect();
    const x = event.clientX - left, beyond = x > width - 280;
    this.tip.style.left = beyond ? '' : `${x + 16}px`;
    this.tip.style.right = beyond ? `${width - x + 12}px` : '';
    this.tip.style.top = `${event.clientY - top + 14}px`;
  }

  private point(candidate: number | null, node = ''): void {
    this.stage.hovered = candidate;
    const found = candidate === null ? undefined : this.studio.store.get('parts')?.candidates[candidate];
    this.tip.hidden = !found && !node;
    if (found) this.tip.replaceChildren(...words(found));
    else if (node) this.tip.replaceChildren(element('p', {}, element('span', { class: 'quiet' }, node)));
  }

  private click(event: PointerEvent): void {
    const picked = this.stage.pick(event);
    if (!picked) return;  // beside the body: the camera's, and what is selected stays
    this.studio.selection.set({ node: picked.node });
    this.select(picked.candidate >= 0 ? picked.candidate : null);
    this.studio.show('parts');
  }
}

function words({ name, mode, for: reasons, against }: Candidate): HTMLElement[] {
  const why = mode === 'soft' ? reasons : against.length > 0 ? against : reasons;
  return [element('p', {}, element('b', {}, name), element('span', { class: `mode-word ${mode}` }, kModeWords[mode])),
          ...why.slice(0, 2).map((reason) => element('p', { class: 'quiet' }, reason))];
}
