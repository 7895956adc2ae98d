// The open file: what it holds, what is to be known of it, and how to open another.

import { element } from '../../ui/dom';
import { studioIcons } from '../icons';
import { castList, chooseButton, folderList } from '../openers';
import { Panel, PanelMaker } from '../panel';
import { FileSlice } from '../slices';

export const filePanel: PanelMaker = (studio): Panel => {
  const about = element('div', { class: 'file-about' });
  const folder = folderList(studio);
  studio.store.on('file', (file) => about.replaceChildren(...(file ? describe(file) : [])));
  const root = element('div', { class: 'file-panel' }, about,
    element('h3', {}, 'Open another'), element('p', { class: 'file-choose' }, chooseButton(studio, 'Choose a file…'),
      element('span', { class: 'quiet' }, 'or drop one on the page')),
    element('h3', {}, 'In your folder'), folder.root, element('h3', {}, 'Built-in characters'), castList(studio));
  return { id: 'file', title: 'File', icon: studioIcons.file, place: 'left', root,
           shown: (on) => { if (on) folder.refresh(); } };
};

function describe(file: FileSlice): HTMLElement[] {
  const metres = file.height * file.unit;
  const facts: [string, string][] = [
    ['Points', file.points.toLocaleString('en')], ['Nodes', file.nodes.length.toLocaleString('en')],
    ...(file.morphs.length > 0 ? [['Morphs', String(file.morphs.length)] as [string, string]] : []),
    ['Clips', String(file.clips.length)],
    ...(metres > 0 ? [['Height', `${metres.toPrecision(3)} m`] as [string, string]] : []),
  ];
  return [
    element('p', { class: 'file-name', title: file.path }, file.name),
    element('dl', {}, ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
    ...file.warnings.map((warning) => element('p', { class: 'remark warning' }, warning)),
    ...(file.notes.length > 0 ? [element('details', { class: 'more' },
      element('summary', {}, file.notes.length === 1 ? 'What was noted' : `What was noted (${file.notes.length})`),
      ...file.notes.map((note) => element('p', { class: 'remark' }, note)))] : []),
  ];
}
