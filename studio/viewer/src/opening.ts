// How a page begins: the character out of the document, one sentence where that fails, then frame after frame.

import { Character } from './character';
import { embeddedBytes } from './embedded';
import { Player } from './player';
import { Message } from './ui/message';
import { Viewport } from './viewport';

/// hero.soft.html#compact: the picture alone, for a page that shows many. `clip` names the clip to begin with.
export function askedFor(): { compact: boolean; clip: string | null } {
  const asked = new URLSearchParams(location.hash.slice(1));
  return { compact: asked.has('compact'), clip: asked.get('clip') };
}

export interface Opened<Page> {
  /// Resolves when the first picture is drawn; rejects with the sentence that the page shows.
  ready: Promise<void>;
  /// The page; throws before it is ready.
  page: () => Page;
}

/// Makes the page in #stage from the character that the document holds.
export function openPage<Page>(make: (stage: HTMLElement, character: Character) => Page): Opened<Page> {
  const stage = document.getElementById('stage')!;
  const message = new Message(stage);
  document.body.classList.toggle('compact', askedFor().compact);
  let made: Page | null = null;
  const open = async () => {
    try {
      message.show('Loading…');
      const character = await Character.load(embeddedBytes('character'));
      if (character.meshes.length === 0) throw new Error('The file holds nothing to draw: no mesh is in its scene.');
      made = make(stage, character);
      message.hide();
    } catch (error) {
      message.fail(error);
      throw error;
    }
  };
  const ready = open();
  ready.catch(() => undefined);  // the page itself shows the sentence
  return { ready, page: () => {
    if (!made) throw new Error('The page is not ready; await rigspace.ready first.');
    return made;
  } };
}

/// Lets time pass for the clock, and draws. Plays at once, unless the person at the machine prefers stillness.
export function run(player: Player, viewport: Viewport): void {
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) player.toggle();
  viewport.controls.enableZoom = !askedFor().compact;  // the wheel scrolls the page around this one
  let last = performance.now();
  const tick = (now: number) => {
    const seconds = Math.min(0.1, Math.max(0, (now - last) / 1000));
    last = now;
    player.advance(seconds);
    viewport.tick(seconds);
    requestAnimationFrame(tick);
  };
  viewport.render(0);
  requestAnimationFrame(tick);
}
