// The present clip as a video, frame by frame, as the stage shows it.

import { framesOf, record, videoName, whyNoRecording } from '../soft/record';
import { drawStage } from '../soft/stage_picture';
import { element } from '../ui/dom';
import { Studio } from './panel';

const kPatience = 5;  // s for one frame of the server

/// Records until it is done or `signal` says stop; the browser saves the file. Its name, or null when stopped.
export async function recordClip(studio: Studio, signal: AbortSignal, progress: (done: number, of: number) => void): Promise<string | null> {
  const { store, stage } = studio, file = store.get('file'), play = store.get('play');
  const clip = file?.clips.find(({ name }) => name === play?.clip);
  if (!file || !play || !clip) throw new Error('The rest pose has no film: choose a clip first.');
  if (whyNoRecording()) throw new Error(whyNoRecording());
  const { times, rate } = framesOf({ duration: clip.duration, frameRate: clip.rate, options: { loop: clip.loop } });
  const { canvas } = stage.viewport, before = { time: play.time, playing: play.playing, live: play.live };
  await studio.act('play.set', { playing: false, live: false });
  stage.viewport.careful = true;
  try {
    const film = await record({ size: stage.viewport.filmSize, times, rate,
      draw: async (pen, time) => {
        await frameAt(studio, time);
        stage.viewport.invalidate();
        stage.viewport.render(0);  // in this same task, since the canvas does not keep its picture
        drawStage(pen, stage.host, canvas, `${file.name} · ${clip.name} · ${time.toFixed(2)} s`);
      },
      progress: (done) => progress(done, times.length) }, signal);
    if (film) save(film, videoName(file.name, clip.name));
    return film && videoName(file.name, clip.name);
  } finally {
    stage.viewport.careful = false;
    void studio.act('play.set', before);
  }
}

/// Puts the clock there, and waits for the frame of that time.
function frameAt({ connection, stage }: Studio, time: number): Promise<void> {
  return new Promise((done, failed) => {
    const end = () => { clearTimeout(timer); stop(); };
    const timer = window.setTimeout(() => { end(); failed(new Error(`The server sent no frame of ${time.toFixed(2)} s.`)); }, 1000 * kPatience);
    const stop = stage.onFrame((at) => { if (Math.abs(at - time) < 1e-4) { end(); done(); } });
    connection.send('play.set', { time, playing: false }).catch((error) => { end(); failed(error); });
  });
}

function save(film: Blob, name: string): void {
  const url = URL.createObjectURL(film);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
