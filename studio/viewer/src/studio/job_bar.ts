// What the server is busy with: its stage, how far it is, how long it still takes, and a way to stop it.

import { element } from '../ui/dom';
import { JobSlice } from './slices';

export class JobBar {
  readonly root: HTMLElement;
  private readonly name = element('b');
  private readonly stage = element('span', { class: 'quiet' });
  private readonly bar = element('progress', { max: 1 });
  private readonly left = element('span', { class: 'quiet job-left' });
  private readonly stop: HTMLButtonElement;

  private job: JobSlice | null = null;
  private own: string | null = null;

  constructor(cancel: () => void) {
    this.stop = element('button', { type: 'button', class: 'plain', onclick: cancel }, 'Cancel');
    this.root = element('div', { class: 'job', role: 'status', 'aria-label': 'Work in progress', hidden: true },
                        element('p', {}, this.name, this.stage), this.left, this.stop, this.bar);
  }

  show(job: JobSlice | null): void {
    this.job = job;
    this.update();
  }

  /// What this page waits for, while the server names no work.
  wait(name: string | null): void {
    if (name === this.own) return;
    this.own = name;
    this.update();
  }

  private update(): void {
    const job = this.job ?? (this.own ? { name: this.own, stage: '', fraction: null, left: null, cancel: false } : null);
    this.root.hidden = job === null;
    if (!job) return;
    this.name.textContent = job.name;
    this.stage.textContent = job.stage === job.name ? '' : job.stage;
    if (job.fraction === null) this.bar.removeAttribute('value');
    else this.bar.value = job.fraction;
    this.left.textContent = job.left !== null ? `${timeWords(job.left)} left`
      : job.fraction !== null ? `${Math.round(100 * job.fraction)} %` : '';
    this.stop.hidden = !job.cancel;
  }
}

function timeWords(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`;
  return `${Math.floor(seconds / 60)} min ${String(Math.ceil(seconds % 60)).padStart(2, '0')} s`;
}
