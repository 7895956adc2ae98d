// Sentences at the lower edge of the stage. Notes go by themselves; errors and warnings stay longer, and can be closed.

import { element, iconButton } from '../ui/dom';
import { icons } from '../ui/icons';
import { SayKind } from './connection';

const kSeconds = { note: 5, warning: 12, error: 20 };
const kMost = 4;

export class Toasts {
  readonly root = element('div', { class: 'toasts' });

  /// A second line is the remedy.
  say(kind: SayKind, text: string): void {
    const same = [...this.root.children].find((toast) => (toast as HTMLElement).dataset.text === text);
    same?.remove();
    const [problem, ...remedy] = text.split('\n');
    const toast = element('div', { class: `toast ${kind}`, role: kind === 'error' ? 'alert' : 'status', 'data-text': text },
      element('div', { class: 'toast-words' }, element('p', {}, problem), ...remedy.map((line) => element('p', { class: 'quiet' }, line))),
      iconButton(icons.close, 'Close', () => toast.remove()));
    this.root.append(toast);
    if (this.root.children.length > kMost) this.root.firstElementChild?.remove();
    const go = () => toast.matches(':hover, :focus-within') ? setTimeout(go, 1000) : toast.remove();
    setTimeout(go, 1000 * kSeconds[kind]);
  }
}
