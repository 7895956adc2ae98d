// Full-body IK: the effectors and which of them are pinned, how quickly the body follows, the times that were posed.

import { element } from '../../ui/dom';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { EffectorsSlice } from '../slices';

const kTeach = 'Drag a dot on the body. Pinned dots stay where they are; a click on a dot pins it, or frees it.';

export function effectorsPanel(studio: Studio): Panel {
  const body = new Body(studio);
  return { id: 'effectors', title: 'Body', icon: panelIcons.body, place: 'right', root: body.root, shown: (on) => studio.use(on ? 'effectors' : null) };
}

class Body {
  readonly root: HTMLElement;
  private readonly teach = element('p', { class: 'empty quiet' });
  private readonly problem = element('p', { class: 'sketch-problem', role: 'alert', hidden: true });
  private readonly list = element('div', { class: 'effector-list', role: 'group', 'aria-label': 'Effectors' });
  private readonly solved = element('p', { class: 'quiet sketch-solved', role: 'status', title: 'Poses that followed the hand in the last second of the drag, time of one, and how far the farthest effector is from where it should be, of the character’s size' });
  private readonly model = element('p', { class: 'quiet small' });
  private readonly keys = element('div', { class: 'chips sketch-keys', role: 'group', 'aria-label': 'Times that were posed' });
  private readonly clear = element('button', { type: 'button', class: 'text', title: 'Take the pose of this time away', onclick: () => void this.studio.act('effectors.clear') }, 'Clear');
  private rows = '';

  constructor(private readonly studio: Studio) {
    this.root = element('section', { class: 'sketch-panel', 'aria-label': 'Full-body IK' }, this.teach, this.problem, this.list, this.solved,
      element('h3', {}, 'Key frames'), this.keys, element('div', { class: 'line' }, element('span', { class: 'spring' }), this.clear), this.model);
    for (const slice of ['effectors', 'file', 'play'] as const) studio.store.on(slice, () => this.update());
  }

  private update(): void {
    const { store } = this.studio, body = store.get('effectors');
    if (!body) return;
    this.teach.textContent = !store.get('file') ? 'Open a character, then drag its hands and feet.' : body.state === 'preparing' ? 'Learning how the rig moves…' : body.state === 'ready' ? kTeach : '';
    this.teach.hidden = this.teach.textContent === '';
    this.problem.textContent = body.problem;
    this.problem.hidden = body.problem === '';
    this.listEffectors(body);
    this.solved.textContent = solvedWords(body);
    this.model.textContent = body.model && `Learned from ${body.model}.${body.remark ? ` The model beside the file is not used: ${body.remark}` : ''}`;
    this.clear.hidden = body.time === null;
    this.listKeys(body);
  }

  private listEffectors({ effectors, dragged }: EffectorsSlice): void {
    const rows = JSON.stringify([effectors, dragged]);
    if (rows === this.rows) return;
    this.rows = rows;
    const focused = [...this.list.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement);
    this.list.replaceChildren(...effectors.map(({ name, joint, pinned }, i) =>
      element('button', { type: 'button', class: `switch${i === dragged ? ' dragged' : ''}`, 'aria-pressed': String(pinned), title: `${joint}: ${pinned ? 'stays where it is while others are dragged' : 'goes along with the body'}`,
                          onclick: () => void this.studio.act('effectors.pin', { effector: i, pinned: !pinned }) }, name)));
    if (focused >= 0) this.list.querySelectorAll('button')[focused]?.focus();
  }

  private listKeys({ keys, time }: EffectorsSlice): void {
    const { store } = this.studio, rest = !!store.get('file') && store.get('play')?.clip === null, last = keys.at(-1) ?? 0;
    const go = (to: number) => void this.studio.act('sketch.key', { time: to });
    const chips = keys.map((key) => element('button', { type: 'button', class: 'switch', 'aria-pressed': String(key === time), title: 'Go there', onclick: () => go(key) }, `${Number(key.toFixed(2))} s`));
    const add = element('button', { type: 'button', class: 'text', title: 'A key half a second after the last: drag the next pose there', onclick: () => go(last + 0.5) }, 'Add key');
    const says = keys.length > 0 ? '' : rest ? 'A pose here is a clip of your own; add keys for more.' : 'A pose is kept at the time that is shown, on top of the clip.';
    this.keys.replaceChildren(...chips, ...(rest && keys.length > 0 ? [add] : []), ...(says ? [element('p', { class: 'quiet small' }, says)] : []));
  }
}

function solvedWords({ rate, ms, residual }: EffectorsSlice): string {
  if (ms === null) return '';
  return `${rate === null ? '' : `${rate.toFixed(0)} updates a second · `}${ms.toFixed(1)} ms each${residual === null ? '' : ` · ${(100 * residual).toFixed(1)} % off`}`;
}
