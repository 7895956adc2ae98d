// The lists that a character is opened from, for the empty page and for the panel.

import { element } from '../ui/dom';
import { studioIcons } from './icons';
import { bytesText, ListedFile, openLocal } from './open_file';
import { Studio } from './panel';

export function chooseButton(studio: Studio, label: string): HTMLElement {
  const input = element('input', { type: 'file', multiple: true, hidden: true, tabindex: -1, 'aria-hidden': 'true', onchange: () => {
    void openLocal(studio, [...input.files ?? []]);
    input.value = '';
  } });
  return element('span', {}, input, element('button', { type: 'button', class: 'primary', onclick: () => input.click() }, label));
}

/// The built-in characters.
export function castList(studio: Studio): HTMLElement {
  const list = element('ul', { class: 'openers', 'aria-label': 'Built-in characters' });
  studio.store.on('server', ({ cast }) => {
    list.replaceChildren(...cast.map(({ name, about }) =>
      opener(studioIcons.figure, name, about, () => studio.act('file.cast', { name }))));
  });
  return list;
}

/// The characters in the server's folders. `refresh` asks for them again.
export function folderList(studio: Studio): { root: HTMLElement; refresh: () => void } {
  const list = element('ul', { class: 'openers', 'aria-label': 'Files in the folder' });
  const say = (text: string) => list.replaceChildren(element('li', { class: 'quiet none' }, text));
  const refresh = async () => {
    try {
      const { files } = await studio.connection.send<{ files: ListedFile[] }>('file.list');
      if (files.length === 0) return say('No characters here. Start the program with a folder to see its files.');
      list.replaceChildren(...files.map(({ path, name, bytes }) =>
        opener(studioIcons.file, name, bytesText(bytes), () => studio.act('file.open', { path }), path)));
    } catch {
      say('The folder could not be read.');
    }
  };
  return { root: list, refresh: () => void refresh() };
}

function opener(icon: string, name: string, about: string, open: () => Promise<unknown>, title = about): HTMLElement {
  const button = element('button', { type: 'button', class: 'opener', title, onclick: async () => {
    button.disabled = true;
    await open();
    button.disabled = false;
  } });
  button.innerHTML = icon;
  button.append(element('span', {}, element('b', {}, name), element('span', { class: 'quiet' }, about)));
  return element('li', {}, button);
}
