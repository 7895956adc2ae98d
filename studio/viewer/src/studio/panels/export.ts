// What is written: files for engines and other programs, the project, a video; and the command that does the same.

import { element } from '../../ui/dom';
import { recordClip } from '../film';
import { Panel, Studio } from '../panel';
import { panelIcons } from '../panel_icons';
import { bytesText } from '../units';

const kKinds = [
  { what: 'glb', label: 'glTF', about: 'The character with a soft clip beside every clip, for engines and Blender', on: true },
  { what: 'curves', label: 'Curves', about: 'The present clip as a table of numbers (CSV), for scripts and spreadsheets', on: false },
  { what: 'sheet', label: 'Contact sheet', about: 'Twelve moments of the present soft clip on one picture', on: false },
  { what: 'video', label: 'Video', about: 'A film of the present soft clip, made by the server', on: false },
];

export function exportPanel(studio: Studio): Panel {
  const panel = new ExportPanel(studio);
  return { id: 'export', title: 'Export', icon: panelIcons.export, place: 'right', root: panel.root };
}

class ExportPanel {
  readonly root: HTMLElement;
  private readonly boxes = kKinds.map(({ what, on }) => element('input', { type: 'checkbox', value: what, checked: on, onchange: () => this.update() }));
  private readonly go = element('button', { type: 'button', class: 'primary', onclick: () => void this.run() }, 'Export');
  private readonly save = element('button', { type: 'button', class: 'plain', title: 'Writes the project beside the results: open it later, or run it without the page',
    onclick: () => void this.saveProject() }, 'Save project');
  private readonly film = element('button', { type: 'button', class: 'plain', onclick: () => void this.record() }, 'Record this clip');
  private readonly filmed = element('p', { class: 'quiet small', role: 'status', hidden: true });
  private readonly results = element('div', { class: 'results', 'aria-live': 'polite' });
  private readonly command = element('code', { title: 'Makes the same files without the page' });
  private readonly copy = element('button', { type: 'button', class: 'plain', onclick: () => void this.copyCommand() }, 'Copy');
  private readonly commandBox: HTMLElement;
  private recording: AbortController | null = null;
  private clip: string | null | undefined;

  constructor(private readonly studio: Studio) {
    this.commandBox = element('div', { class: 'command-box' }, element('h3', {}, 'The same by command line'),
                              element('div', { class: 'command-line' }, this.command, this.copy));
    this.root = element('section', { class: 'export-panel', 'aria-label': 'Export' },
      element('div', { class: 'kinds' }, ...kKinds.map(({ label, about }, i) => element('label', { title: about }, this.boxes[i],
        element('span', {}, element('b', {}, label), element('small', { class: 'quiet' }, about))))),
      element('div', { class: 'line' }, this.go, this.save), this.results, this.commandBox,
      element('h3', {}, 'Film of the stage'), element('div', { class: 'line' }, this.film), this.filmed);
    for (const slice of ['file', 'job', 'export', 'play'] as const) studio.store.on(slice, () => this.update());
  }

  private update(): void {
    const { store } = this.studio, file = store.get('file'), job = store.get('job'), made = store.get('export');
    const chosen = this.boxes.some(({ checked }) => checked);
    this.go.disabled = !file || !!job || !chosen;
    this.go.title = !file ? 'Open a character first' : job ? `Waits for ${job.name}` : chosen ? `Writes into ${made?.path || store.get('server')?.folder || 'the results’ folder'}` : 'Choose what to write';
    this.save.disabled = !file;
    const clip = store.get('play')?.clip;
    if (clip !== this.clip) { this.clip = clip; this.filmed.hidden = true; }
    this.film.disabled = !this.recording && (!file || !clip);
    this.film.title = clip ? `Every frame of ${clip} as the stage shows it now, saved by the browser as WebM` : 'Choose a clip first: the rest pose has no film';
    this.commandBox.hidden = !made?.command;
    if (this.command.textContent !== (made?.command ?? '')) {
      this.command.textContent = made?.command ?? '';
      this.copy.textContent = 'Copy';
    }
    this.showFiles();
  }

  private showFiles(): void {
    const { store } = this.studio, made = store.get('export');
    if (!made?.files.length)
      return this.results.replaceChildren(element('p', { class: 'empty quiet' }, store.get('file')
        ? 'Files that are written are listed here, with links.' : 'Open a character: what is made of it is written from here.'));
    this.results.replaceChildren(element('h3', {}, 'Written'), ...made.files.map(({ name, url, bytes, about }) =>
      element('a', { class: 'file', href: `${url}${location.search}`, download: name, title: about || name },
              element('b', {}, name), element('span', { class: 'quiet' }, bytesText(bytes)), element('small', { class: 'quiet' }, about))),
      ...(made.path ? [element('p', { class: 'quiet small path', title: made.path }, `in ${made.path}`)] : []));
  }

  private async run(): Promise<void> {
    await this.studio.act('export.run', { what: this.boxes.filter(({ checked }) => checked).map(({ value }) => value) });
  }

  private async saveProject(): Promise<void> {
    const answer = await this.studio.act<{ path?: string; name?: string }>('project.save');
    if (answer) this.studio.say('note', answer.path ? `The project is saved as ${answer.path}.` : 'The project is saved.');
  }

  private async record(): Promise<void> {
    if (this.recording) return this.recording.abort();
    this.recording = new AbortController();
    this.film.textContent = 'Stop';
    this.film.classList.add('running');
    this.filmed.hidden = false;
    try {
      const name = await recordClip(this.studio, this.recording.signal, (done, of) => { this.filmed.textContent = `Recording frame ${done} of ${of}`; });
      this.filmed.textContent = name ? `Saved ${name} where the browser keeps downloads.` : 'Stopped, without a file.';
    } catch (error) {
      this.filmed.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.recording = null;
      this.film.textContent = 'Record this clip';
      this.film.classList.remove('running');
    }
  }

  private async copyCommand(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.command.textContent ?? '');
    } catch {
      getSelection()?.selectAllChildren(this.command);
      document.execCommand('copy');
    }
    this.copy.textContent = 'Copied';
  }
}
