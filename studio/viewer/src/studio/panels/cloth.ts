// Cloth: which piece or file is the garment, its simulation over the clip, and the result, to be opened or saved.

import { element } from '../../ui/dom';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { ClothSlice } from '../slices';
import { uploadFile } from '../open_file';

export function clothPanel(studio: Studio): Panel {
  const cloth = new Cloth(studio);
  return { id: 'cloth', title: 'Cloth', icon: panelIcons.cloth, place: 'right', root: cloth.root };
}

class Cloth {
  readonly root: HTMLElement;
  private readonly teach = element('p', { class: 'empty quiet' });
  private readonly garment = element('select', { 'aria-label': 'Garment', onchange: () => void this.choose(this.garment.value) });
  private readonly file = element('input', { type: 'file', accept: '.obj', hidden: true, tabindex: -1, 'aria-hidden': 'true',
    onchange: () => void this.send() });
  private readonly pick = element('button', { type: 'button', class: 'plain', title: 'A garment in the character’s space and rest pose', onclick: () => this.file.click() }, 'From an .obj');
  private readonly all = element('input', { type: 'checkbox' });
  private readonly attach = element('input', { type: 'number', min: '0', max: '10', step: '0.01', placeholder: 'auto', 'aria-label': 'Held band, metres',
    title: 'The body holds a band of the garment so many metres below its top. Empty: a piece on one bone hangs by its upper end, other garments by nothing' });
  private readonly go = element('button', { type: 'button', class: 'primary', onclick: () => void this.run() }, 'Simulate');
  private readonly stop = element('button', { type: 'button', class: 'plain', onclick: () => void this.studio.act('job.cancel') }, 'Stop');
  private readonly summary = element('p', { class: 'quiet small', role: 'status' });
  private readonly result = element('div', { class: 'results', 'aria-live': 'polite' });
  private readonly command = element('code', { title: 'Makes the same without the page' });
  private rows = '';

  constructor(private readonly studio: Studio) {
    this.root = element('section', { class: 'export-panel', 'aria-label': 'Cloth' }, this.teach,
      element('div', { class: 'line' }, this.garment, this.pick, this.file),
      element('div', { class: 'kinds' },
        element('label', { title: 'All clips that last, in one file' }, this.all, element('span', {}, element('b', {}, 'All clips'), element('small', { class: 'quiet' }, 'instead of the one that is shown')))),
      element('label', { class: 'line' }, element('span', { class: 'quiet small' }, 'Held band below the top, metres'), this.attach),
      element('div', { class: 'line' }, this.go, this.stop), this.summary, this.result,
      element('div', { class: 'command-box' }, element('h3', {}, 'The same by command line'), element('div', { class: 'command-line' }, this.command)));
    for (const slice of ['cloth', 'file', 'job', 'play'] as const) studio.store.on(slice, () => this.update());
  }

  private update(): void {
    const { store } = this.studio, cloth = store.get('cloth'), open = !!store.get('file');
    if (!cloth) return;
    this.teach.textContent = open ? 'A cape, a skirt or any sheet of the character as cloth, which folds and does not pass through the body; or a garment from a file.' : 'Open a character, then choose what of it is cloth.';
    this.list(cloth);
    const running = cloth.state === 'running', still = store.get('play')?.clip === null && !this.all.checked;
    this.go.disabled = !open || !cloth.garment || !!store.get('job');
    this.go.title = still ? 'Choose a clip first: the rest pose has no motion' : '';
    this.stop.hidden = !running;
    this.summary.textContent = cloth.summary;
    this.show(cloth);
    this.command.textContent = cloth.command;
    this.command.parentElement!.parentElement!.hidden = cloth.command === '';
  }

  private list({ garments, garment }: ClothSlice): void {
    const rows = JSON.stringify([garments, garment]);
    if (rows === this.rows) return;
    this.rows = rows;
    const own = garments.some(({ name }) => name === garment);
    this.garment.replaceChildren(element('option', { value: '' }, 'Choose a piece'),
      ...garments.map(({ name, points, found }) => element('option', { value: name }, `${name} (${points} points${found ? ', a sheet' : ''})`)),
      ...(garment && !own ? [element('option', { value: garment }, garment.split('/').at(-1)!)] : []));
    this.garment.value = garment;
  }

  private show({ result }: ClothSlice): void {
    if (!result) return this.result.replaceChildren();
    const shown = this.studio.store.get('file')?.name === result.name;
    this.result.replaceChildren(
      element('a', { class: 'file', href: `${result.url}${location.search}`, download: result.name }, element('b', {}, result.name), element('small', { class: 'quiet' }, 'the character with the cloth as joints and morph targets')),
      ...(shown ? [] : [element('button', { type: 'button', class: 'plain', onclick: () => void this.studio.act('file.open', { path: result.path, fresh: true }) }, 'Show it')]));
  }

  private async choose(garment: string): Promise<void> {
    if (garment) await this.studio.act('cloth.choose', { garment });
  }

  private async send(): Promise<void> {
    const file = this.file.files?.[0];
    this.file.value = '';
    if (file) await chooseGarment(this.studio, file);
  }

  private async run(): Promise<void> {
    const attach = this.attach.value === '' ? {} : { attach: Number(this.attach.value) };
    await this.studio.act('cloth.run', { all: this.all.checked, ...attach });
  }
}

/// A garment of this machine: sent to the server and chosen.
export async function chooseGarment(studio: Studio, file: File): Promise<void> {
  try {
    const garment = await uploadFile(file);
    if (await studio.act('cloth.choose', { garment })) studio.show('cloth');
  } catch (error) {
    studio.say('error', error instanceof Error ? error.message : String(error));
  }
}
