// The head of the page: the file, undo and redo, how the stage is divided, what it shows.

import { brand } from '../ui/brand';
import { element, iconButton } from '../ui/dom';
import { icons } from '../ui/icons';
import { Shortcut, toolShortcut } from '../ui/shortcuts';
import { Toolbar } from '../ui/toolbar';
import { studioIcons } from './icons';
import { Studio } from './panel';
import { Stage } from './stage';

export class TopBar {
  readonly root: HTMLElement;
  private readonly file = element('button', { type: 'button', class: 'file-button', onclick: () => this.studio.show('file') });
  private readonly undo = iconButton(studioIcons.undo, 'Undo (Ctrl Z)', () => this.back('undo'));
  private readonly redo = iconButton(studioIcons.redo, 'Redo (Ctrl Shift Z)', () => this.back('redo'));
  private readonly tools = new Toolbar();

  constructor(private readonly studio: Studio, private readonly stage: Stage,
              { theme, help }: { theme: () => void; help: () => void }) {
    this.fillTools(theme, help);
    const history = element('span', { class: 'pair', role: 'group', 'aria-label': 'History' }, this.undo, this.redo);
    this.root = element('header', { class: 'topbar' }, brand('rigspace studio'), this.file, history, element('span', { class: 'spring' }),
                        stage.split.chooser, this.tools.root);
    studio.store.on('file', (file) => {
      this.file.textContent = file?.name ?? '';
      this.file.title = file ? `${file.path}: about the file, or open another` : '';
      document.title = file ? `${file.name} – rigspace studio` : 'rigspace studio';
    });
    studio.store.on('history', ({ undo, redo }) => {
      name(this.undo, undo, 'Undo', 'Ctrl Z');
      name(this.redo, redo, 'Redo', 'Ctrl Shift Z');
    });
  }

  shortcuts(): Shortcut[] {
    const { tools } = this;
    return [
      { keys: ['Ctrl+z'], shown: ['Ctrl', 'Z'], does: 'Undo', act: () => this.back('undo') },
      { keys: ['Ctrl+Shift+z', 'Ctrl+y'], shown: ['Ctrl', 'Shift', 'Z'], does: 'Redo', act: () => this.back('redo') },
      { keys: ['Escape'], shown: ['Esc'], does: 'Select nothing',
        act: () => this.studio.selection.set({ candidate: null, part: null, node: null }) },
      { keys: ['v'], shown: ['V'], does: 'Side by side, wipe, overlay, single', act: () => this.stage.split.chooseNext() },
      toolShortcut(tools, 't', 'colors', 'Colours of parts'), toolShortcut(tools, 's', 'skeleton', 'Skeleton'),
      toolShortcut(tools, 'w', 'wireframe', 'Wireframe'), toolShortcut(tools, 'h', 'cells', 'Cells of soft parts'), toolShortcut(tools, 'g', 'grid', 'Grid'),
      toolShortcut(tools, 'n', 'onion', 'Onion skin'), toolShortcut(tools, 'f', 'frame', 'Frame the motion'),
      toolShortcut(tools, 'c', 'follow', 'Camera follows'), toolShortcut(tools, 'b', 'theme', 'Light or dark'),
      toolShortcut(tools, '?', 'help', 'These keys'),
    ];
  }

  private back(where: 'undo' | 'redo'): void {
    if ((this.studio.store.get('history')?.[where].length ?? 0) > 0) void this.studio.act(`history.${where}`);
  }

  private fillTools(theme: () => void, help: () => void): void {
    const { tools, stage } = this;
    tools.addToggle('colors', studioIcons.colors, 'Colours of parts (T)', (on) => {
      stage.colors = on;
      document.body.classList.toggle('uncolored', !on);
    }, { on: true });
    tools.addToggle('skeleton', icons.skeleton, 'Skeleton (S)', (on) => { stage.skeletonVisible = on; });
    tools.addToggle('wireframe', icons.wireframe, 'Wireframe (W)', (on) => { stage.wireframeVisible = on; });
    tools.addToggle('cells', studioIcons.cells, 'Cells of soft parts (H)', (on) => { void this.studio.act('play.set', { cells: on }); });
    tools.addToggle('grid', icons.grid, 'Grid (G)', (on) => { stage.viewport.gridVisible = on; }, { on: true });
    tools.addToggle('onion', studioIcons.onion, 'Onion skin, while the clip stands still (N)',
                    (on) => { stage.onion.visible = on; });
    tools.addRule();
    tools.addToggle('follow', icons.follow, 'Follow the character (C)', (on) => {
      stage.viewport.following = on;
      stage.reframeNow(on);
    });
    tools.add('frame', icons.frame, 'Frame the motion (F)', () => stage.reframeNow(tools.pressed('follow')));
    tools.addRule();
    tools.add('theme', icons.theme, 'Light or dark (B)', theme);
    tools.add('help', icons.help, 'Keys (?)', help);
  }
}

function name(button: HTMLButtonElement, steps: readonly string[], word: string, keys: string): void {
  const label = steps.length > 0 ? `${word} ${steps.at(-1)} (${keys})` : `Nothing to ${word.toLowerCase()}`;
  button.disabled = steps.length === 0;
  button.title = label;
  button.setAttribute('aria-label', label);
}
