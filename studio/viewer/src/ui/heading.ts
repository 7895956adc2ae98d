// What is shown, and how much of it.

import { Counts } from '../character';
import { brand } from './brand';
import { element } from './dom';

/// The head of a page without a server: the file, how much is in it, and the tools.
export function heading(title: string, counts: Counts, tools: HTMLElement): HTMLElement {
  const said = [plural(counts.vertices, 'vertex', 'vertices'), plural(counts.triangles, 'triangle')];
  if (counts.joints > 0) said.push(plural(counts.joints, 'joint'));
  if (counts.morphs > 0) said.push(plural(counts.morphs, 'morph'));
  said.push(counts.clips > 0 ? plural(counts.clips, 'clip') : 'no clips');
  return element('header', { class: 'topbar' }, brand('rigspace'), element('h1', { title }, title),
                 element('p', { class: 'stats', title: said.join(' · ') }, said.join(' · ')), element('span', { class: 'spring' }), tools);
}

/// What is wrong with the file, on the stage; three sentences at most.
export function warningsOf(warnings: readonly string[]): HTMLElement[] {
  return warnings.length > 0 ? [element('p', { class: 'warning' }, warnings.slice(0, 3).join(' '))] : [];
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
