// A character that was just opened stands in its rest pose, where nothing swings: the page plays a clip.

import { Studio } from './panel';
import { ClipInfo } from './slices';

/// An ordinary loop says most: a walk, then any loop, then the first.
export function clipToBeginWith(clips: readonly ClipInfo[]): ClipInfo | undefined {
  const loop = (words: RegExp) => clips.find((clip) => clip.loop && words.test(clip.name));
  return loop(/walk/i) ?? loop(/run|trot|idle/i) ?? loop(/./) ?? clips[0];
}

/// Once a file; where the server plays already, nothing is done.
export function beginWithAClip(studio: Studio): void {
  let begun = '';
  studio.store.on('file', (file) => {
    const clip = file && clipToBeginWith(file.clips), play = studio.store.get('play');
    if (file && file.path !== begun && clip && play?.clip === null)
      void studio.act('play.set', { clip: clip.name, playing: !matchMedia('(prefers-reduced-motion: reduce)').matches });
    begun = file?.path ?? '';
  });
}
