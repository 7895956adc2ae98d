// What happens to the line: lost, refused, and one sentence when it is back.

import { element } from '../ui/dom';
import { LineState, SayKind } from './connection';
import { Store } from './store';

export class LineBanner {
  private readonly words = element('span');
  private readonly again: HTMLButtonElement;
  readonly root: HTMLElement;
  private run: string | number | null = null;  ///< of the server that we spoke with

  private path: string | null = null;          ///< of the file that was shown last

  constructor(private readonly store: Store, private readonly say: (kind: SayKind, text: string) => void, retry: () => void,
              private readonly reopen: (path: string) => void) {
    store.on('file', (file) => { this.path = file?.path ?? this.path; });
    this.again = element('button', { type: 'button', class: 'plain', onclick: retry }, 'Try now');
    this.root = element('div', { class: 'line-banner', role: 'status', hidden: true }, this.words, this.again);
    store.on('server', ({ started }) => {
      if (this.run !== null) this.sayBack(this.run !== started);
      this.run = started;
    });
  }

  show(state: LineState, { again, wait }: { again: boolean; wait: number }): void {
    if (state === 'connecting' && !this.root.hidden) return;
    this.root.hidden = state === 'open' || state === 'connecting';
    this.again.hidden = state === 'refused';
    const lost = again ? 'The connection to the server was lost' : 'The server does not answer';
    this.words.textContent = state === 'refused'
      ? 'This page belongs to an earlier run of the program. Open the address that it printed when it started.'
      : `${lost}; trying again${wait >= 1 ? ` in ${Math.round(wait)} s` : ''}.`;
  }

  // The slice `server` comes with the others, after the line is made. A server that was restarted without a file is
  // given the one that this page shows; its project was kept, and comes back with it.
  private sayBack(restarted: boolean): void {
    const open = this.store.get('file'), job = this.store.get('job'), shown = this.path;
    if (restarted && !open && !job && shown) this.reopen(shown);
    this.say(restarted && !open && !job && !shown ? 'warning' : 'note',
      !restarted ? 'Connected again; nothing was lost.'
      : open || job || shown ? 'The server was restarted; your project is as you left it.'
      : 'The server was restarted and has no file open; open yours again.');
  }
}
