// Poses by drawing: what lines stand for, the strokes of the present time, the times that have strokes.

import { element, iconButton } from '../../ui/dom';
import { icons } from '../../ui/icons';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { SketchSlice, SketchStroke } from '../slices';
import { Choice } from '../widgets/choice';

const kOver = 'drawn';
const kKnown: Record<string, { label: string; title: string; teach: string }> = {
  stick: { label: 'Stick', title: 'Lines along the limbs, from joint to joint',
           teach: 'Draw a line along an arm, from the shoulder to the hand, where you want the arm to be. It follows the pen, and snaps to the line as you let go.' },
  outline: { label: 'Outline', title: 'The contour, as it is seen from here',
             teach: 'Draw the contour where you want it: a whole silhouette, or the edge of one limb. The body fits itself to it.' },
  action: { label: 'Action', title: 'One line through the whole body, from the head to between the feet',
            teach: 'Draw one sweeping line from the head to the feet: the whole body bends along it.' },
  [kOver]: { label: 'Draw over', title: 'A line on the body, then where that line goes',
             teach: 'Draw a line on the body first, along a sleeve or across the chest. Then draw where that line should go.' },
};

export function sketchPanel(studio: Studio): Panel {
  const sketch = new Sketch(studio);
  return { id: 'sketch', title: 'Sketch', icon: panelIcons.sketch, place: 'right', root: sketch.root,
           shown: (on) => studio.use(on ? 'draw' : null) };
}

class Sketch {
  readonly root: HTMLElement;
  private readonly kinds = element('div', { class: 'sketch-kinds' });
  private readonly pen = element('button', { type: 'button', class: 'primary', title: 'Take the pen, or put it down (D)', onclick: () => this.studio.use('draw', true) }, 'Draw');
  private readonly teach = element('p', { class: 'empty quiet sketch-teach' });
  private readonly problem = element('p', { class: 'sketch-problem', role: 'alert', hidden: true });
  private readonly keys = element('div', { class: 'chips sketch-keys', role: 'group', 'aria-label': 'Times that have strokes' });
  private readonly list = element('div', { class: 'sketch-strokes', role: 'list', 'aria-label': 'Strokes' });
  private readonly solved = element('p', { class: 'quiet sketch-solved', role: 'status', title: 'Time of the last solve, and how far lines and strokes are apart on average, of the character’s size' });
  private readonly undo = element('button', { type: 'button', class: 'text', title: 'Take the last stroke back (Ctrl+Z)', onclick: () => void this.studio.act('history.undo') }, 'Undo stroke');
  private readonly clear = element('button', { type: 'button', class: 'text', title: 'Take the strokes of this time away; locked ones stay', onclick: () => void this.studio.act('sketch.clear') }, 'Clear');
  private choice: Choice<string> | null = null;
  private offered = '';
  private rows = '';

  constructor(private readonly studio: Studio) {
    this.root = element('section', { class: 'sketch-panel', 'aria-label': 'Sketch' }, this.kinds, this.teach, this.problem,
      element('h3', {}, 'Strokes'), this.list, element('div', { class: 'line' }, this.pen, element('span', { class: 'spring' }), this.undo, this.clear),
      this.solved, element('h3', {}, 'Key frames'), this.keys);
    for (const slice of ['sketch', 'file', 'play', 'history'] as const) studio.store.on(slice, () => this.update());
    studio.store.on('sketch_lines', () => this.update());
    studio.onTool((tool) => this.pen.setAttribute('aria-pressed', String(tool === 'draw')));
  }

  private update(): void {
    const { store } = this.studio, sketch = store.get('sketch');
    if (!sketch) return;
    this.offer(sketch);
    const known = kKnown[sketch.abstraction];
    this.teach.textContent = !store.get('file') ? 'Open a character, then draw its pose.'
      : sketch.waiting ? 'Now draw where that line should go.'
      : known?.teach ?? `Draw the lines of “${sketch.abstraction}” where they should be.`;
    this.teach.classList.toggle('waiting', sketch.waiting);
    this.teach.hidden = sketch.strokes.length > 0 && !sketch.waiting;
    this.problem.textContent = sketch.problem;
    this.problem.hidden = sketch.problem === '';
    this.list.hidden = this.list.previousElementSibling!.toggleAttribute('hidden', sketch.strokes.length === 0);
    this.listStrokes(sketch);
    this.listKeys(sketch);
    this.solved.textContent = solvedWords(sketch);
    this.clear.hidden = sketch.strokes.length === 0;
    this.undo.hidden = !/^stroke/.test(store.get('history')?.undo.at(-1) ?? '');
  }

  private offer({ abstractions, abstraction }: SketchSlice): void {
    const names = [...abstractions, kOver];
    if (names.join('\n') !== this.offered) {
      this.offered = names.join('\n');
      this.choice = new Choice('What lines stand for', names.map((value) => ({ value, label: kKnown[value]?.label ?? value,
        title: kKnown[value]?.title ?? 'Lines that the rig file has' })), (value) => void this.studio.act('sketch.choose', { abstraction: value }));
      this.kinds.replaceChildren(this.choice.root);
    }
    this.choice?.show(abstraction);
  }

  private listStrokes(sketch: SketchSlice): void {
    const curves = (this.studio.store.get('sketch_lines')?.curves ?? []).map(({ name }) => name);
    const rows = JSON.stringify([sketch.abstraction, curves, sketch.strokes.map(({ points: _, camera: __, ...rest }) => rest)]);
    if (rows === this.rows || this.list.querySelector('select:focus')) return;
    this.rows = rows;
    const focused = [...this.list.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement);
    this.list.replaceChildren(...sketch.strokes.map((stroke, i) => this.row(stroke, i, sketch.abstraction === stroke.abstraction ? curves : [])));
    if (focused >= 0) this.list.querySelectorAll('button')[focused]?.focus();
  }

  private row(stroke: SketchStroke, i: number, curves: readonly string[]): HTMLElement {
    const { name, curve, from, locked, reached, residual, abstraction } = stroke, act = (change: object) => void this.studio.act('sketch.change', { stroke: i, ...change });
    const plain = abstraction === kOver ? (from ? 'on the body' : 'goes here') : curve || kKnown[abstraction]?.label || abstraction;
    const along = curves.includes(curve)
      ? element('select', { 'aria-label': `What stroke ${i + 1} is`, title: 'The line of the character that this stroke is', onchange: (event) => act({ curve: (event.currentTarget as HTMLSelectElement).value }) },
                ...curves.map((each) => element('option', { value: each, selected: each === curve }, each)))
      : element('b', {}, plain);
    const reading = from ? '' : reached ? `${percent(residual)} off` : `stops ${percent(residual)} short`;
    const lock = iconButton(locked ? panelIcons.locked : panelIcons.unlocked, locked ? `Unlock stroke ${i + 1}` : `Lock stroke ${i + 1}: it stays when its limb is drawn again, and when the rest is cleared`,
                            () => act({ locked: !locked }));
    lock.setAttribute('aria-pressed', String(locked));
    const show = (on: boolean) => this.studio.selection.set({ stroke: on ? name : null });
    return element('div', { class: `stroke-row${reached ? '' : ' missed'}${locked ? ' locked' : ''}`, role: 'listitem', onpointerenter: () => show(true), onpointerleave: () => show(false),
                            title: reached ? '' : 'No pose reaches this stroke: it is too long for the limb, or limits are in the way' },
      element('i', { class: 'swatch' }), along, element('span', { class: 'reading' }, reading), lock,
      iconButton(icons.close, `Remove stroke ${i + 1}`, () => act({ remove: true })));
  }

  private listKeys({ keys, time }: SketchSlice): void {
    const { store } = this.studio, play = store.get('play'), rest = !!store.get('file') && play?.clip === null;
    const go = (to: number) => void this.studio.act('sketch.key', { time: to });
    const chips = keys.map((key) => element('button', { type: 'button', class: `switch${key.unreached > 0 ? ' missed' : ''}`, 'aria-pressed': String(key.time === time),
      title: `${key.strokes} ${key.strokes === 1 ? 'stroke' : 'strokes'}${key.unreached > 0 ? `, ${key.unreached} not reached` : ''}: go there`, onclick: () => go(key.time) }, seconds(key.time)));
    const last = keys.at(-1)?.time ?? 0;
    const add = element('button', { type: 'button', class: 'text', title: 'A key half a second after the last: draw the next pose there', onclick: () => go(last + 0.5) }, 'Add key');
    const says = rest ? (keys.length === 0 ? 'Strokes here are a pose. Add keys for a clip of your own.' : '') : keys.length === 0 ? 'Strokes are kept at the time of the clip that is shown; move it and draw again for another key.' : '';
    const focused = [...this.keys.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement);
    this.keys.replaceChildren(...chips, ...(rest && keys.length > 0 ? [add] : []), ...(says ? [element('p', { class: 'quiet small' }, says)] : []));
    if (focused >= 0) this.keys.querySelectorAll('button')[focused]?.focus();
  }
}

function solvedWords({ ms, residual, solving, strokes }: SketchSlice): string {
  if (ms === null) return solving && strokes.length > 0 ? 'Solving…' : '';
  return `Solved in ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms${residual === null ? '' : ` · ${percent(residual)} off`}`;
}

const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const seconds = (time: number) => `${Number(time.toFixed(2))} s`;
