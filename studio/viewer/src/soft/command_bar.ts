// The command that makes permanent what is set at the desk, to be copied. Hidden while nothing is changed.

import { element } from '../ui/dom';

const kNearly = 'Above ×1 a part is simulated again with more load, so that the result is near what is shown here, not ' +
                'equal to it';

export class CommandBar {
  readonly root: HTMLElement;
  private readonly text = element('code', {});
  private readonly copy = element('button', { type: 'button', class: 'copy', onclick: () => void this.copyText() }, 'Copy');

  private readonly lead = element('span', { class: 'quiet' });

  constructor(reset: () => void) {
    this.root = element('div', { class: 'command', hidden: true, role: 'group', 'aria-label': 'Command' },
                        this.lead, this.text, this.copy,
                        element('button', { type: 'button', class: 'text', title: 'Everything as it was simulated',
                                            onclick: reset }, 'Reset'));
    this.text.title = 'To be run in the folder of this page: it simulates again and writes the page anew';
  }

  /// `louder`: a part shows more than was simulated.
  show(command: string, louder: boolean): void {
    this.root.hidden = command === '';
    this.lead.textContent = louder ? 'To keep nearly this' : 'To keep this';
    this.lead.title = louder ? kNearly : '';
    if (this.text.textContent !== command) this.copy.textContent = 'Copy';
    this.text.textContent = command;
  }

  private async copyText(): Promise<void> {
    this.copy.blur();
    try {
      await navigator.clipboard.writeText(this.text.textContent ?? '');
    } catch {  // a browser that keeps the clipboard from pages on disk: the old way
      getSelection()?.selectAllChildren(this.text);
      document.execCommand('copy');
    }
    this.copy.textContent = 'Copied';
  }
}
