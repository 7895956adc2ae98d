// Weights: a joint's weights on the skin, new ones by a method or by hand, how far they are from the file's, and what to keep.

import { element } from '../../ui/dom';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { WeightsSlice } from '../slices';
import { BrushMode, WeightsSession, weightsOf } from '../weights/session';
import { Choice, Option } from '../widgets/choice';
import { ValueSlider } from '../widgets/value_slider';

const kMethods: Record<string, string> = {
  nearest: 'All to the nearest bone: hard pieces', falloff: 'By distance through the air: loose parts far apart',
  heat: 'Heat that flows over the skin from the bones: characters', voxels: 'By the way through the body: many shells, coarse meshes',
  biharmonic: 'The smoothest inside the body: soft transitions; takes seconds' };
const kBrushes: Option<BrushMode>[] = [
  { value: 'look', label: 'Look', title: 'No brush: a click on the skin or on a dot chooses a joint' },
  { value: 'add', label: 'Add', title: 'The joint takes weight from the others' },
  { value: 'subtract', label: 'Subtract', title: 'The joint gives weight to the others' },
  { value: 'smooth', label: 'Smooth', title: 'All weights spread over their neighbours' },
];
const kStep = 1.25;  // of the brush's size by key

export function weightsPanel(studio: Studio): Panel {
  const panel = new Weights(studio);
  return { id: 'weights', title: 'Weights', icon: panelIcons.weights, place: 'right', root: panel.root, shown: (on) => studio.use(on ? 'weights' : null),
           shortcuts: [{ keys: ['['], shown: ['[', ']'], does: 'Smaller, larger brush', act: () => panel.grow(1 / kStep) }, { keys: [']'], shown: [], does: '', act: () => panel.grow(kStep) }] };
}

class Weights {
  readonly root: HTMLElement;
  private readonly session: WeightsSession;
  private readonly teach = element('p', { class: 'empty quiet' });
  private readonly problem = element('p', { class: 'sketch-problem', role: 'alert', hidden: true });
  private readonly search = element('input', { type: 'search', placeholder: 'Search joints', 'aria-label': 'Search joints', oninput: () => this.listJoints() });
  private readonly colored = element('button', { type: 'button', class: 'switch', 'aria-pressed': 'true', title: 'The joint’s weights as colours on the body',
    onclick: () => this.session.setColored(!this.session.colored) }, 'Colours');
  private readonly list = element('div', { class: 'joint-list', role: 'listbox', 'aria-label': 'Joints', tabindex: -1 });
  private readonly method = element('select', { 'aria-label': 'Method', onchange: () => this.describe() }, ...Object.keys(kMethods).map((name) => element('option', { value: name }, name)));
  private readonly about = element('p', { class: 'quiet small' });
  private readonly influences = new ValueSlider({ label: 'Influences', min: 1, max: 4, unit: '', digits: 0, about: 'Joints that a point follows at most.' }, { change: (value) => { this.options.influences = value; } });
  private readonly smoothing = new ValueSlider({ label: 'Smoothing', min: 0, max: 100, low: 0, high: 20, unit: '', digits: 0, about: 'Rounds that spread the weights over the mesh.' }, { change: (value) => { this.options.smoothing = value; } });
  private readonly compute = element('button', { type: 'button', class: 'primary', title: 'In place of all weights; undo brings them back', onclick: () => void this.run() }, 'Compute');
  private readonly brush = new Choice<BrushMode>('Brush', kBrushes, (mode) => this.session.setBrush({ mode }));
  private readonly radius = new ValueSlider({ label: 'Radius', min: 0.2, max: 100, low: 0.5, high: 30, unit: '%', digits: 1, scale: 'log', about: 'Of the character’s size. Keys: [ and ].' }, { change: (value) => this.session.setBrush({ radius: value / 100 }) });
  private readonly strength = new ValueSlider({ label: 'Strength', min: 0, max: 1, unit: '', digits: 2, about: 'Of one touch, in the middle of the brush.' }, { change: (value) => this.session.setBrush({ strength: value }) });
  private readonly mirrored = element('input', { type: 'checkbox', onchange: (event) => this.session.setBrush({ mirrored: (event.currentTarget as HTMLInputElement).checked }) });
  private readonly mirrorLabel = element('label', { class: 'quiet small' }, this.mirrored, ' also on the other side');
  private readonly distance = element('p', { class: 'weights-distance small', role: 'status', title: 'The skin with these weights against the skin with the file’s, over all clips: root mean square, as a share of how far the skin swings' });
  private readonly undo = element('button', { type: 'button', class: 'text', onclick: () => void this.studio.act('weights.undo') }, 'Undo');
  private readonly redo = element('button', { type: 'button', class: 'text', onclick: () => void this.studio.act('weights.redo') }, 'Redo');
  private readonly keep = element('button', { type: 'button', class: 'primary', onclick: () => void this.studio.act('weights.keep') }, 'Keep');
  private readonly command = element('code', { title: 'Makes the same without the page' });
  private readonly byHand = element('p', { class: 'quiet small' });
  private readonly commandBox: HTMLElement;
  private readonly work: HTMLElement;
  private readonly options = { influences: 4, smoothing: 0 };
  private rows = '';

  constructor(private readonly studio: Studio) {
    this.session = weightsOf(studio);
    this.commandBox = element('div', { class: 'command-box' }, element('h3', {}, 'The same by command line'), element('div', { class: 'command-line' }, this.command), this.byHand);
    this.work = element('div', { class: 'weights-work' },
      element('div', { class: 'line nowrap' }, this.search, this.colored), this.list,
      element('h3', {}, 'Compute'), element('div', { class: 'line nowrap' }, this.method, this.compute), this.about, this.influences.root, this.smoothing.root,
      element('h3', {}, 'Paint'), this.brush.root, this.radius.root, this.strength.root, this.mirrorLabel,
      element('div', { class: 'weights-foot' }, this.distance, element('div', { class: 'line' }, this.undo, this.redo, element('span', { class: 'spring' }), this.keep)), this.commandBox);
    this.root = element('section', { class: 'sketch-panel weights-panel', 'aria-label': 'Weights' }, this.teach, this.problem, this.work);
    this.method.value = 'heat';
    this.describe();
    this.influences.show(4);
    this.smoothing.show(0);
    for (const slice of ['weights', 'file', 'job'] as const) studio.store.on(slice, () => this.update());
    studio.selection.on(() => this.listJoints());
    this.session.onChange(() => this.update());
  }

  grow(factor: number): void { this.session.setBrush({ radius: Math.min(1, Math.max(0.002, this.session.brush.radius * factor)) }); }

  private describe(): void { this.about.textContent = `${kMethods[this.method.value]}.`; }

  private async run(): Promise<void> {
    await this.studio.act('weights.compute', { method: this.method.value, ...this.options });
  }

  private update(): void {
    const { store } = this.studio, weights = store.get('weights'), open = !!store.get('file'), { brush } = this.session;
    if (!weights) return;
    const ready = weights.state === 'ready' || weights.state === 'computing', busy = weights.state === 'computing' || !!store.get('job');
    this.teach.textContent = !open ? 'Open a character with a skin: which joint moves what is shown here.' : weights.state === 'reading' ? 'Reading the weights…' : '';
    this.teach.hidden = this.teach.textContent === '';
    this.problem.textContent = weights.problem;
    this.problem.hidden = weights.problem === '';
    this.work.hidden = !ready;
    this.colored.setAttribute('aria-pressed', String(this.session.colored));
    this.compute.disabled = busy;
    this.brush.show(brush.mode);
    this.radius.show(100 * brush.radius);
    this.strength.show(brush.strength);
    this.mirrored.checked = brush.mirrored && weights.mirror !== null;
    this.mirrored.disabled = weights.mirror === null;
    this.mirrorLabel.title = weights.mirror === null ? 'This body is not its own mirror image' : `Across ${weights.mirror}, with the joint of the other side`;
    this.distance.textContent = distanceWords(weights, store.get('file')?.clips.length ?? 0);
    this.undo.disabled = weights.undo === 0 || busy;
    this.redo.disabled = weights.redo === 0 || busy;
    this.keep.disabled = !weights.changed || busy;
    this.keep.title = `Writes ${weights.output} into the folder of results, and opens it`;
    this.command.textContent = weights.command;
    this.command.parentElement!.hidden = weights.command === '';
    this.byHand.textContent = !weights.painted ? '' : weights.command === '' ? 'Painting has no command: Keep writes the file.' : 'That is without what was painted: painting has no command.';
    this.commandBox.hidden = weights.command === '' && !weights.painted;
    this.listJoints();
  }

  private listJoints(): void {
    const { slice, draft } = this.session, text = this.search.value.trim().toLowerCase(), chosen = this.studio.selection.joint;
    if (!slice || !draft) return;
    const counts = draft.counts(slice.joints.length), most = Math.max(1, ...counts);
    const rows = JSON.stringify([slice.joints, counts, text, chosen]);
    if (rows === this.rows) return;
    this.rows = rows;
    const depth = (j: number): number => (slice.joints[j].parent < 0 ? 0 : 1 + depth(slice.joints[j].parent));
    const order = ordered(slice).filter((j) => slice.joints[j].name.toLowerCase().includes(text));
    const focused = this.list.contains(document.activeElement);
    this.list.replaceChildren(...order.map((j) => {
      const { name } = slice.joints[j], on = name === chosen;
      return element('button', { type: 'button', role: 'option', class: 'joint-row', 'aria-selected': String(on), tabindex: on ? 0 : -1, style: `--depth: ${text ? 0 : Math.min(8, depth(j))}; --share: ${(100 * Math.sqrt(counts[j] / most)).toFixed(0)}%`,
        title: `${name}: ${counts[j]} points follow it`, onclick: () => this.studio.selection.set({ joint: name }), onkeydown: (event) => this.step(event as KeyboardEvent) },
        element('span', {}, name), element('i', {}));
    }), ...(order.length === 0 ? [element('p', { class: 'quiet small' }, 'No joint has this in its name.')] : []));
    const row = this.list.querySelector<HTMLElement>('[aria-selected="true"]');
    if (focused) row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }

  private step(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const rows = [...this.list.querySelectorAll<HTMLElement>('.joint-row')], next = rows[rows.indexOf(event.currentTarget as HTMLElement) + step];
    next?.click();
  }
}

/// Children after their parents.
function ordered({ joints }: WeightsSlice): number[] {
  const children = joints.map(() => [] as number[]), roots: number[] = [], order: number[] = [];
  joints.forEach(({ parent }, j) => (parent < 0 ? roots : children[parent]).push(j));
  const visit = (j: number) => { order.push(j); children[j].forEach(visit); };
  roots.forEach(visit);
  return order;
}

function distanceWords({ changed, difference, measuring }: WeightsSlice, clips: number): string {
  if (!changed) return 'These are the file’s own weights.';
  if (difference) return `${(100 * difference.share).toFixed(1)} % of the swing from the file’s, worst ${difference.worst.toPrecision(3)}; ${difference.clips} ${difference.clips === 1 ? 'clip' : 'clips'}`;
  return measuring ? 'Measuring over the clips…' : clips === 0 ? 'Without a clip no distance from the file’s weights is measured.' : '…';
}
