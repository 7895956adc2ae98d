// The button that records: the current clip as it is on show, into a file that the browser saves.

import { Player } from '../player';
import { element } from '../ui/dom';
import { Viewport } from '../viewport';
import { Pair } from './comparison';
import { framesOf, record, videoName, whyNoRecording } from './record';
import { drawStage } from './stage_picture';

const kSentenceSeconds = 6;

export class Recorder {
  private running: AbortController | null = null;
  private readonly said = element('p', { class: 'recording', role: 'status', hidden: true });

  constructor(private readonly stage: HTMLElement, private readonly viewport: Viewport, private readonly player: Player,
              private readonly title: string) {
    stage.append(this.said);
  }

  /// Records; pressed again meanwhile, it stops without a file.
  async press(pair: Pair): Promise<void> {
    if (this.running) return this.running.abort();
    const why = whyNoRecording();
    if (why) return this.say(why, kSentenceSeconds);
    this.running = new AbortController();
    const { time, playing } = this.player;
    this.player.pause();
    this.viewport.careful = true;
    try {
      const film = await this.film(pair, this.running.signal);
      if (film) save(film, videoName(this.title, pair.name));
      this.say(film ? `Saved ${videoName(this.title, pair.name)}` : 'Stopped, without a file', kSentenceSeconds);
    } catch (error) {
      this.say(`The video could not be recorded: ${error instanceof Error ? error.message : error}`, kSentenceSeconds);
    } finally {
      this.running = null;
      this.viewport.careful = false;
      this.player.seek(time);
      if (playing) this.player.toggle();
    }
  }

  private film(pair: Pair, signal: AbortSignal): Promise<Blob | null> {
    const { stage, viewport, player } = this;
    const { times, rate } = framesOf(pair);
    return record({ size: viewport.filmSize, times, rate,
      draw: (pen, time) => {
        player.seek(time);
        viewport.invalidate();
        viewport.render(0);  // in this same task, since the canvas does not keep its picture
        drawStage(pen, stage, viewport.canvas, `${this.title} · ${pair.name} · ${time.toFixed(2)} s`);
      },
      progress: (done) => this.say(`Recording ${done} / ${times.length}; press R to stop`) }, signal);
  }

  private say(text: string, seconds = 0): void {
    this.said.textContent = text;
    this.said.hidden = false;
    if (seconds > 0) setTimeout(() => { if (this.said.textContent === text) this.said.hidden = true; }, 1000 * seconds);
  }
}

function save(film: Blob, name: string): void {
  const url = URL.createObjectURL(film);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
