// Cage: how coarse and how far around, which coordinates, what was made, and what to keep.

import { element } from '../../ui/dom';
import { CageSession, cageOf } from '../cage/session';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { CageSlice } from '../slices';
import { ValueSlider } from '../widgets/value_slider';

const kFamilies: Record<string, string> = {
  'mean-value': 'Smooth everywhere; limbs near each other feel each other', 'positive-mean-value': 'Without negative weights; a little rough',
  'green': 'Details keep their shape; the skin may leave the cage', 'harmonic': 'Limbs do not feel each other', 'biharmonic': 'The most local; flat at the cage',
  'maximum-entropy': 'No negative weights, without a grid', 'natural-neighbour': 'By the cage’s points alone; local' };

export function cagePanel(studio: Studio): Panel {
  const panel = new Cage(studio);
  return { id: 'cage', title: 'Cage', icon: panelIcons.cage, place: 'right', root: panel.root, shown: (on) => studio.use(on ? 'cage' : null) };
}

class Cage {
  readonly root: HTMLElement;
  private readonly session: CageSession;
  private readonly options: { faces: number; offset: number | null; coordinates: string } = { faces: 300, offset: null, coordinates: 'mean-value' };
  private readonly teach = element('p', { class: 'empty quiet' });
  private readonly problem = element('p', { class: 'sketch-problem', role: 'alert', hidden: true });
  private readonly faces = new ValueSlider({ label: 'Faces', min: 8, max: 5000, low: 40, high: 2000, unit: '', digits: 0, scale: 'log', about: 'Of the cage, at most.' }, { change: (value) => { this.options.faces = value; this.update(); } });
  private readonly offset = new ValueSlider({ label: 'Offset', min: 0.2, max: 50, low: 0.5, high: 10, unit: '%', digits: 1, scale: 'log', about: 'How far around the skin the cage starts, of the body’s size: less where legs share one bag.' },
    { change: (value) => { this.options.offset = value / 100; this.update(); }, reset: () => { this.options.offset = null; this.update(); } });
  private readonly family = element('select', { 'aria-label': 'Coordinates', onchange: () => { this.options.coordinates = this.family.value; this.update(); } },
    ...Object.keys(kFamilies).map((name) => element('option', { value: name }, name)));
  private readonly about = element('p', { class: 'quiet small' });
  private readonly make = element('button', { type: 'button', class: 'primary', onclick: () => void this.run() }, 'Make a cage');
  private readonly making: HTMLElement;
  private readonly made = element('p', { class: 'small', role: 'status' });
  private readonly radius = new ValueSlider({ label: 'Soft', min: 0, max: 100, low: 0, high: 50, unit: '%', digits: 0, about: 'How far around a dragged point others go along, of the character’s size.' }, { change: (value) => this.session.setRadius(value / 100) });
  private readonly solved = element('p', { class: 'quiet small cage-solved' });
  private readonly undo = element('button', { type: 'button', class: 'text', onclick: () => void this.studio.act('cage.undo') }, 'Undo');
  private readonly reset = element('button', { type: 'button', class: 'text', title: 'All points back to rest', onclick: () => void this.studio.act('cage.reset') }, 'To rest');
  private readonly keep = element('button', { type: 'button', class: 'primary', onclick: () => void this.studio.act('cage.keep') }, 'Keep');
  private readonly work: HTMLElement;
  private readonly command = element('code', { title: 'Makes the same without the page' });
  private readonly commandBox = element('div', { class: 'command-box' }, element('h3', {}, 'The same by command line'), element('div', { class: 'command-line' }, this.command));
  private file = '';

  constructor(private readonly studio: Studio) {
    this.session = cageOf(studio);
    this.making = element('div', { class: 'cage-making' }, this.faces.root, this.offset.root, element('div', { class: 'line nowrap' }, this.family, this.make), this.about);
    this.work = element('div', { class: 'cage-work' }, element('h3', {}, 'The cage'), this.made, this.radius.root, this.solved,
      element('div', { class: 'line' }, this.undo, this.reset, element('span', { class: 'spring' }), this.keep));
    this.root = element('section', { class: 'sketch-panel cage-panel', 'aria-label': 'Cage' }, this.teach, this.problem, this.making, this.work, this.commandBox);
    for (const slice of ['cage', 'file', 'job'] as const) studio.store.on(slice, () => this.update());
    this.session.onChange(() => this.update());
  }

  private async run(): Promise<void> {
    const { faces, offset, coordinates } = this.options;
    await this.studio.act('cage.make', { faces, coordinates, ...(offset === null ? {} : { offset }) });
  }

  private update(): void {
    const { store } = this.studio, cage = store.get('cage'), file = store.get('file');
    if (!cage) return;
    if (file && file.path !== this.file) {  // begin with what the server has
      this.file = file.path;
      Object.assign(this.options, { faces: cage.faces, offset: cage.offset, coordinates: cage.coordinates });
    }
    const { options } = this, busy = !!store.get('job'), there = cage.made !== null, own = cage.state === 'ready';
    const same = there && options.faces === cage.faces && options.offset === cage.offset;
    this.teach.textContent = !file ? 'Open a character, then put a cage around it.' : own ? 'This rig has a cage: its points are controls. Drag them, or key them in Controls.'
      : there ? 'Drag a point: the skin follows.' : 'A coarse shell around the body, whose points bend, bulge and stretch what is inside. It needs no joints.';
    this.problem.textContent = cage.problem;
    this.problem.hidden = cage.problem === '';
    this.making.hidden = !file || own || cage.state === 'reading';
    this.faces.show(options.faces);
    this.offset.show(options.offset === null ? null : 100 * options.offset, { auto: options.offset === null, set: options.offset !== null });
    this.family.value = options.coordinates;
    this.about.textContent = `${kFamilies[options.coordinates] ?? options.coordinates}.`;
    this.make.textContent = !there ? 'Make a cage' : same ? 'Bind anew' : 'Make anew';
    this.make.disabled = busy || (same && options.coordinates === cage.coordinates);
    this.work.hidden = !there;
    this.made.textContent = there ? madeWords(cage, own) : '';
    this.radius.show(100 * this.session.radius);
    this.solved.textContent = cage.moved === 0 ? 'All points at rest' : `${cage.moved} ${cage.moved === 1 ? 'point' : 'points'} moved${cage.ms === null ? '' : ` · ${cage.ms.toFixed(1)} ms a change`}`;
    this.undo.disabled = cage.undo === 0 || busy;
    this.reset.disabled = cage.moved === 0 || busy;
    this.keep.hidden = own;
    this.keep.disabled = busy;
    this.keep.title = `Writes ${cage.output} beside the mesh, and opens it: the points become controls`;
    this.command.textContent = cage.command;
    this.commandBox.hidden = cage.command === '';
  }
}

function madeWords({ made, coordinates }: CageSlice, own: boolean): string {
  const { faces, points, clearance, reached, left_out } = made!;
  const words = [`${faces} faces, ${points} points, ${coordinates}`];
  if (!own) words.push(`the skin comes as near as ${clearance.toPrecision(2)}`);
  if (!own && !reached) words.push('no further edge could go');
  if (left_out.length > 0) words.push(`left out, bound elsewhere: ${left_out.join(', ')}`);
  return `${words.join('; ')}.`;
}
