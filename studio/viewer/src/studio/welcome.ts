// The page before a character is open: what this is, and three ways to begin.

import { element } from '../ui/dom';
import { studioIcons } from './icons';
import { castList, chooseButton, folderList } from './openers';
import { Studio } from './panel';

const kSteps = [
  ['Open', 'an animated character. Parts that could swing are found.'],
  ['Click', 'a part to make it soft or firm, and drag its sliders while it plays.'],
  ['Export', 'clips with the motion as keys. Your own clips stay as they are.'],
];

export class Welcome {
  readonly root: HTMLElement;
  private readonly folder;

  constructor(studio: Studio) {
    this.folder = folderList(studio);
    const drop = element('div', { class: 'drop' });
    drop.innerHTML = studioIcons.upload;
    drop.append(element('p', {}, element('b', {}, 'Drop a character here'),
                        element('span', { class: 'quiet' }, 'a .glb with an animation; it stays on this machine')),
                chooseButton(studio, 'Choose a file…'));
    this.root = element('section', { class: 'welcome', 'aria-label': 'Open a character', hidden: true },
      element('div', { class: 'welcome-page' },
        element('h1', {}, 'Secondary motion for your character'),
        element('p', { class: 'quiet lead' }, 'Tails, ears, hair and bellies follow through, on top of your own animation.'),
        drop,
        element('div', { class: 'columns' },
          element('div', {}, element('h2', {}, 'Try one of ours'), castList(studio)),
          element('div', {}, element('h2', {}, 'In your folder'), this.folder.root)),
        element('ol', { class: 'steps' }, ...kSteps.map(([what, how]) =>
          element('li', {}, element('b', {}, what), ' ', element('span', { class: 'quiet' }, how))))));
    studio.store.on('file', (file) => this.show(file === null));
  }

  private show(on: boolean): void {
    if (on) this.folder.refresh();
    this.root.hidden = !on;
    document.body.classList.toggle('empty', on);
  }
}
