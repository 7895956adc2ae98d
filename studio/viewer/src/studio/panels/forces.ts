// Forces: flesh shaped by templates. One is dropped on the skin, or pointed there; the skin is pulled, and its numbers follow.

import { element, iconButton } from '../../ui/dom';
import { icons } from '../../ui/icons';
import { uploadFile } from '../open_file';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { ForceNumber, ForceRigRow, ForcesSlice } from '../slices';

const kTemplates: Record<string, string> = { bump: 'Pushes out of the skin', bulge: 'A muscle: shorter along, thicker across',
  radial: 'Pushes away from a point', torus: 'A ring that swells' };

export function forcesPanel(studio: Studio): Panel {
  const forces = new Forces(studio);
  return { id: 'forces', title: 'Forces', icon: panelIcons.forces, place: 'right', root: forces.root, shown: (on) => studio.use(on ? 'forces' : null) };
}

class Forces {
  readonly root: HTMLElement;
  private readonly teach = element('p', { class: 'empty quiet' });
  private readonly problem = element('p', { class: 'sketch-problem', role: 'alert', hidden: true });
  private readonly cells = element('input', { type: 'number', min: '8', max: '200000', step: '1', value: '350', 'aria-label': 'Cells', title: 'Cells that the body’s volume would fill: more follow finer, and take longer' });
  private readonly make = element('button', { type: 'button', class: 'primary', onclick: () => void this.studio.act('forces.make', { cells: Number(this.cells.value) }) }, 'Make flesh');
  private readonly begin = element('div', { class: 'line' }, element('span', { class: 'quiet small' }, 'Cells'), this.cells, this.make);
  private readonly templates = element('div', { class: 'chips force-templates', role: 'group', 'aria-label': 'Templates' });
  private readonly list = element('div', { class: 'force-rigs', role: 'list', 'aria-label': 'Rigs' });
  private readonly numbers = element('div', { class: 'force-numbers' });
  private readonly solved = element('p', { class: 'quiet small', role: 'status', title: 'Mean distance of dragged points from where they should go, and the time of one update' });
  private readonly sculpt = element('input', { type: 'file', accept: '.obj', hidden: true, tabindex: -1, 'aria-hidden': 'true', onchange: () => void this.fit() });
  private readonly other = element('input', { type: 'checkbox' });
  private readonly undo = element('button', { type: 'button', class: 'text', title: 'Take the last change of the forces back', onclick: () => void this.studio.act('forces.undo') }, 'Undo');
  private readonly release = element('button', { type: 'button', class: 'text', title: 'Points that were dragged hold no longer', onclick: () => void this.studio.act('forces.release') }, 'Release points');
  private readonly keep = element('button', { type: 'button', class: 'primary', title: 'Writes the force rig; its templates become controls', onclick: () => void this.studio.act('forces.keep') }, 'Keep');
  private readonly work: HTMLElement;
  private readonly command = element('code', { title: 'Makes the same without the page' });
  private offered = '';
  private rows = '';
  private fields: { name: string; input: HTMLInputElement }[] = [];

  constructor(private readonly studio: Studio) {
    this.work = element('div', { class: 'force-work' }, element('h3', {}, 'Templates'), this.templates, element('h3', {}, 'Rigs'), this.list, this.numbers, this.solved,
      element('div', { class: 'line' }, this.undo, this.release, element('span', { class: 'spring' }), this.keep), element('h3', {}, 'A sculpt'),
      element('div', { class: 'line' }, element('button', { type: 'button', class: 'plain', title: 'A shape of the skin, in the pose that is shown: the forces that hold it are found', onclick: () => this.sculpt.click() }, 'From an .obj'), this.sculpt,
        element('label', { class: 'quiet small', title: 'The target has other points: the nearest places are matched' }, this.other, ' another mesh')));
    this.root = element('section', { class: 'sketch-panel forces-panel', 'aria-label': 'Forces' }, this.teach, this.problem, this.begin, this.work,
      element('div', { class: 'command-box' }, element('h3', {}, 'The same by command line'), element('div', { class: 'command-line' }, this.command)));
    for (const slice of ['forces', 'file', 'job'] as const) studio.store.on(slice, () => this.update());
  }

  private update(): void {
    const { store } = this.studio, forces = store.get('forces'), open = !!store.get('file');
    if (!forces) return;
    const ready = forces.state === 'ready';
    this.teach.textContent = !open ? 'Open a character, then make it flesh that forces shape.' : forces.state === 'plain' ? 'The body becomes elastic, hung on its bones; templates then push it where you point.'
      : forces.state === 'making' ? 'Covering the body with cells…' : forces.state === 'reading' ? 'Reading the forces…'
      : forces.rigs.length === 0 ? 'Drop a template on the skin, then pull the skin where it should go.' : '';
    this.teach.hidden = this.teach.textContent === '';
    this.problem.textContent = forces.problem;
    this.problem.hidden = forces.problem === '';
    this.begin.hidden = !open || forces.state !== 'plain';
    this.make.disabled = !!store.get('job');
    this.work.hidden = !ready;
    this.offer(forces);
    this.listRigs(forces);
    this.showNumbers(forces.rigs.find(({ name }) => name === forces.selected));
    this.solved.textContent = solvedWords(forces);
    this.undo.disabled = forces.undo === 0;
    this.release.hidden = forces.pins.length === 0;
    this.keep.disabled = !forces.changed;
    this.command.textContent = forces.command;
    this.command.parentElement!.parentElement!.hidden = forces.command === '';
  }

  private offer({ templates }: ForcesSlice): void {
    if (templates.join() === this.offered) return;
    this.offered = templates.join();
    this.templates.replaceChildren(...templates.map((name) => element('button', { type: 'button', class: 'switch', draggable: 'true', title: `${kTemplates[name] ?? name}: drop it on the skin, or click it and then the skin`,
      ondragstart: (event) => (event as DragEvent).dataTransfer?.setData('text/x-rigspace-template', name),
      onclick: () => this.studio.selection.set({ template: this.studio.selection.template === name ? null : name }) }, name)));
    this.studio.selection.on(() => this.mark());
    this.mark();
  }

  private mark(): void {
    for (const button of this.templates.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.textContent === this.studio.selection.template));
  }

  private listRigs({ rigs, selected }: ForcesSlice): void {
    const rows = JSON.stringify([rigs.map(({ name, template, control }) => [name, template, control]), selected]);
    if (rows === this.rows) return;
    this.rows = rows;
    this.list.replaceChildren(...rigs.map((rig) => this.row(rig, rig.name === selected)));
  }

  private row({ name, template, control }: ForceRigRow, on: boolean): HTMLElement {
    const choose = element('button', { type: 'button', class: 'switch', 'aria-pressed': String(on), title: template ? 'Shape it: pull the skin' : 'A fitted shape', onclick: () => void this.studio.act('forces.select', { rig: on ? null : name }) }, name);
    return element('div', { class: 'force-rig', role: 'listitem' }, choose,
      element('small', { class: 'quiet' }, `${template ?? 'sculpt'}${control === name ? '' : ` by ${control}`}`),
      iconButton(icons.close, `Remove ${name}`, () => void this.studio.act('forces.remove', { rig: name })));
  }

  private showNumbers(rig: ForceRigRow | undefined): void {
    const numbers = rig?.numbers ?? [], names = numbers.map(({ name }) => `${rig!.name} ${name}`);
    if (names.join() !== this.fields.map(({ name }) => name).join()) {
      this.fields = numbers.map(({ name }, i) => ({ name: names[i], input: element('input', { type: 'number', step: 'any', 'aria-label': `${name} of ${rig!.name}`,
        onchange: (event) => void this.studio.act('forces.set', { rig: rig!.name, number: name, value: Number((event.currentTarget as HTMLInputElement).value) }) }) }));
      this.numbers.replaceChildren(...this.fields.map(({ input }, i) => element('label', {}, element('span', { class: 'quiet' }, `${numbers[i].name}${numbers[i].angle ? ', °' : ''}`), input)));
    }
    this.fields.forEach(({ input }, i) => { if (document.activeElement !== input) input.value = rounded(numbers[i]); });
  }

  private async fit(): Promise<void> {
    const file = this.sculpt.files?.[0];
    this.sculpt.value = '';
    if (!file) return;
    try {
      await this.studio.act('forces.fit', { path: await uploadFile(file), nearest: this.other.checked });
    } catch (error) {
      this.studio.say('error', error instanceof Error ? error.message : String(error));
    }
  }
}

function rounded({ value }: ForceNumber): string { return String(Number(value.toPrecision(4))); }

function solvedWords({ before, after, ms, cells }: ForcesSlice): string {
  const off = before === null || after === null ? '' : ` · ${after.toPrecision(2)} off`;
  return `${cells} cells${off}${ms === null ? '' : ` · ${ms.toFixed(0)} ms an update`}`;
}
