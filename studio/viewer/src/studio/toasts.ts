// Sentences at the lower edge of the stage. Notes go by themselves; errors and warnings stay longer, and can be closed.

import { element, iconButton } from '../ui/dom';
import { icons } from '../ui/icons';
import { CommandError, SayKind } from './connection';

const kSeconds = { note: 5, warning: 12, error: 20 };
const kMost = 4;

export class Toasts {
  readonly root = element('div', { class: 'toasts' });

  say(kind: SayKind, text: string, remedy = ''): void {
    const same = [...this.root.children].find((toast) => (toast as HTMLElement).dataset.text === text + remedy);
    same?.remove();
    const toast = element('div', { class: `toast ${kind}`, role: kind === 'error' ? 'alert' : 'status', 'data-text': text + remedy },
      element('div', { class: 'toast-words' }, element('p', {}, text), ...(remedy ? [element('p', { class: 'quiet' }, remedy)] : [])),
      iconButton(icons.close, 'Close', () => toast.remove()));
    this.root.append(toast);
    if (this.root.children.length > kMost) this.root.firstElementChild?.remove();
    const go = () => toast.matches(':hover, :focus-within') ? setTimeout(go, 1000) : toast.remove();
    setTimeout(go, 1000 * kSeconds[kind]);
  }

  fail(error: unknown): void {
    if (error instanceof CommandError) this.say('error', sentence(error), error.remedy);
    else this.say('error', error instanceof Error ? error.message : String(error));
  }
}

/// The problem, and what it is about where the problem does not name it.
function sentence({ problem, details }: CommandError): string {
  const about = [details.element, details.value].filter((word) => word && !problem.includes(word));
  return about.length > 0 ? `${problem} (${about.join(': ')})` : problem;
}
