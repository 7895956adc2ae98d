// The page of `rigspace simulate` with many characters: counts, a filter, and a card for each.

import { cardOf } from './batch/card';
import { LiveViews } from './batch/live_views';
import { BatchCharacter, BatchOptions, isRight, passes } from './batch/options';
import { embeddedOptions } from './embedded';
import { preferredTheme } from './theme';
import { element } from './ui/dom';

/// For tests: window.rigspace.
export interface BatchPageApi {
  readonly alive: number;  ///< live views that are loaded now
}

function item(figure: string, words: string, kind = ''): HTMLElement {
  return element('li', { class: kind }, element('b', {}, figure), ` ${words}`);
}

function headline(characters: readonly BatchCharacter[], seconds: number | null | undefined): HTMLElement {
  const clips = characters.flatMap((character) => character.clips);
  const failures = characters.filter(({ failure }) => failure).length;
  const count = (good: number, all: number, words: string) =>
    item(good < all ? `${good} of ${all}` : String(all), words, good < all ? 'short' : '');
  const right = characters.filter(isRight).length;
  const lines = [count(right, characters.length, characters.length === 1 ? 'character right' : 'characters right'),
                 count(clips.filter(passes).length, clips.length, clips.length === 1 ? 'clip passes' : 'clips pass')];
  if (failures > 0) lines.push(item(String(failures), failures === 1 ? 'failure' : 'failures', 'failure'));
  if (typeof seconds === 'number')
    lines.push(item(seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} min`, 'in all'));
  return element('ul', { class: 'counts', 'aria-label': 'Counts' }, ...lines);
}

function open(): BatchPageApi {
  const { title = '', characters = [], seconds } = embeddedOptions<BatchOptions>();
  const views = new LiveViews();
  const cards = characters.map((character) => ({ character, card: cardOf(character, views) }));
  const none = element('p', { class: 'quiet none', hidden: true }, 'No character is left by the filter.');
  const only = element('input', { type: 'checkbox', onchange: () => filter() });
  const search = element('input', { type: 'search', placeholder: 'Name', 'aria-label': 'Name', oninput: () => filter() });
  const filter = () => {
    const name = search.value.trim().toLowerCase();
    for (const { character, card } of cards)
      card.hidden = (only.checked && isRight(character)) || !character.name.toLowerCase().includes(name);
    none.hidden = cards.some(({ card }) => !card.hidden);
    views.refresh();
  };
  document.documentElement.dataset.theme = preferredTheme().name;
  document.getElementById('batch')!.replaceChildren(
    element('header', { class: 'head' }, element('h1', {}, title), headline(characters, seconds),
            element('div', { class: 'filter' }, search, element('label', {}, only, ' only those with problems'))),
    ...cards.map(({ card }) => card), none);
  views.refresh();
  return { get alive() { return views.alive; } };
}

(window as { rigspace?: BatchPageApi }).rigspace = open();
