// The mark at the head of every page.

import { element } from './dom';

const kMark = '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="var(--accent)" stroke-width="2.4" ' +
  'stroke-linecap="round" aria-hidden="true">' +
  '<circle cx="5" cy="15" r="2.5"/><circle cx="15" cy="5" r="2.5"/><path d="m7 13 6-6"/></svg>';

export function brand(name: string): HTMLElement {
  const root = element('span', { class: 'brand', title: name });
  root.innerHTML = kMark;
  root.append(element('span', {}, name));
  return root;
}
