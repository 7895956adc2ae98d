// What is shown, and how much of it.

import { Counts } from '../character';
import { element } from './dom';

export function heading(title: string, counts: Counts, warnings: readonly string[]): HTMLElement {
  const said = [plural(counts.vertices, 'vertex', 'vertices'), plural(counts.triangles, 'triangle')];
  if (counts.joints > 0) said.push(plural(counts.joints, 'joint'));
  if (counts.morphs > 0) said.push(plural(counts.morphs, 'morph'));
  said.push(counts.clips > 0 ? plural(counts.clips, 'clip') : 'no clips');
  return element('header', { class: 'heading' }, element('h1', { title }, title),
                 element('p', { class: 'stats' }, said.join(' · ')),
                 ...warnings.slice(0, 3).map((warning) => element('p', { class: 'warning' }, warning)));
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
