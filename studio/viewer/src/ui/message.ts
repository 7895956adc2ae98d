// A sentence in the middle of the stage: loading, or what went wrong.

import { element } from './dom';

export class Message {
  private readonly root = element('p', { class: 'message', role: 'status' });

  constructor(host: HTMLElement) { host.append(this.root); }

  show(sentence: string): void { this.root.textContent = sentence; this.root.hidden = false; }
  fail(error: unknown): void {
    this.root.classList.add('failure');
    this.root.setAttribute('role', 'alert');
    this.show(error instanceof Error ? error.message : String(error));
  }
  hide(): void { this.root.hidden = true; }
}
