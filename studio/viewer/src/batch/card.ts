// A character of the batch: its live view, the parts that were found, its clips, and what went wrong.

import { element } from '../ui/dom';
import { LiveView, LiveViews } from './live_views';
import { addressOf, BatchCharacter, BatchClip, BatchPart, isRight, passes } from './options';

const kOwnPage = 'Its own page: sliders, curves, seam, video';
const kFewClips = 10;  // of a longer list only the first, and those with problems, are open

export function cardOf(character: BatchCharacter, views: LiveViews): HTMLElement {
  const { name, page, failure, warnings, parts, remark, clips, seconds } = character;
  const heading = page ? element('a', { href: addressOf(page), title: kOwnPage }, name) : name;
  const badge = failure ? 'failed' : isRight(character) ? 'right' : 'problems';
  const view = page && !failure ? liveView(character, views) : null;
  return element('article', { class: `card ${badge}`, 'data-name': name },
    ...(view ? [view.place] : []),
    element('div', { class: 'facts' },
      element('header', {}, element('h2', {}, heading), element('span', { class: `badge ${badge}` }, badgeText(character)),
              ...(isNumber(seconds) ? [element('span', { class: 'quiet' }, `${seconds.toFixed(1)} s`)] : [])),
      ...(failure ? [element('p', { class: 'failure' }, failure)] : []),
      ...warnings.map((warning) => element('p', { class: 'caution' }, warning)),
      ...(parts.length > 0 ? [element('dl', { class: 'found' }, ...parts.flatMap(partRow))] : []),
      ...(remark ? [element('p', { class: 'quiet' }, remark)] : []),
      ...(clips.length > 0 ? [clipTable(clips, page && view ? (clip) => views.show(view, compact(page, clip)) : null)] : [])));
}

function badgeText(character: BatchCharacter): string {
  if (character.failure) return 'failed';
  const wrong = character.clips.filter((clip) => !passes(clip)).length;
  if (wrong > 0) return `${wrong} of ${character.clips.length} clips ${wrong === 1 ? 'has' : 'have'} problems`;
  return character.clips.length > 0 ? 'right' : 'nothing to move';
}

function liveView(character: BatchCharacter, views: LiveViews): LiveView {
  const place = element('div', { class: 'live' }, element('span', { class: 'quiet' }, 'before and after'));
  const view: LiveView = { place, title: `${character.name}, before and after`, address: compact(character.page!), frame: null };
  views.add(view);
  return view;
}

function compact(page: string, clip?: string): string {
  return addressOf(page, clip === undefined ? 'compact' : `compact&${new URLSearchParams({ clip })}`);
}

function partRow({ name, preset, reason }: BatchPart): HTMLElement[] {
  const kind = preset && preset !== name ? element('span', { class: 'quiet' }, ` ${preset}`) : '';
  return [element('dt', {}, name, kind), element('dd', {}, reason ?? '')];
}

/// `show` plays a clip in the live view; null: there is none.
function clipTable(clips: readonly BatchClip[], show: ((clip: string) => void) | null): HTMLElement {
  const rows = clips.map((clip) => clipRow(clip, show));
  const hidden = rows.filter((_, i) => i >= kFewClips && passes(clips[i]));
  const head = element('tr', {}, ...[['clip', ''], ['', ''], ['seam', 'End against start, percent of the height'],
    ['typical', 'Median over time of the largest deviation, percent of the height'],
    ['largest', 'The largest deviation, percent of the height'], ['took', 'Time of the simulation']]
    .map(([text, title]) => element('th', { scope: 'col', title }, text)));
  const body = element('tbody', {}, ...rows);
  if (hidden.length > 1) {
    for (const row of hidden) row.hidden = true;
    const more = element('button', { type: 'button', class: 'text', onclick: () => {
      for (const row of hidden) row.hidden = false;
      last.remove();
    } }, `${hidden.length} more clips that pass`);
    const last = element('tr', { class: 'more' }, element('td', { colspan: 6 }, more));
    body.append(last);
  }
  return element('table', {}, element('thead', {}, head), body);
}

function clipRow(clip: BatchClip, show: ((clip: string) => void) | null): HTMLElement {
  const short = clip.name.slice(clip.name.lastIndexOf('|') + 1) || clip.name;
  const title = `${clip.name}, ${clip.duration.toFixed(2)} s${show ? '. Click to play it in the view.' : ''}`;
  const name = show ? element('button', { type: 'button', class: 'figure', title, onclick: () => show(clip.name) }, short)
                    : element('span', { title }, short);
  const play = element('span', { class: clip.loop ? 'play-mark loops' : 'play-mark', title: clip.why ? `since ${clip.why}` : '' },
                       clip.loop ? 'loop' : 'once');
  const cells = [element('td', {}, name, ...clip.problems.map((problem) => element('p', { class: 'problem' }, problem))),
                 element('td', {}, play), ...[clip.seam, clip.typical, clip.largest].map((value) => number(percent(value))),
                 number(isNumber(clip.seconds) ? `${clip.seconds.toFixed(1)} s` : '')];
  return element('tr', { class: passes(clip) ? 'clip-row' : 'clip-row wrong', 'data-clip': clip.name }, ...cells);
}

function number(text: string): HTMLElement { return element('td', { class: 'number' }, text); }

function percent(value: number | null | undefined): string {
  if (!isNumber(value)) return '';
  if (value < 5e-4) return '0 %';
  return `${value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : 1)} %`;
}

function isNumber(value: number | null | undefined): value is number { return typeof value === 'number'; }
