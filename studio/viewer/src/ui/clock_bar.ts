// The clock at the foot of the stage, the same in every page: a ruler of frames, play, clip, time, speed, loop. Whose
// clock it is, the page's own (transport.ts) or the server's (studio/timeline.ts), is not its business.

import { kSpeeds } from '../player';
import { element, iconButton } from './dom';
import { icons } from './icons';
import { Ruler, TimeRange } from './ruler';
import { Shortcut } from './shortcuts';

const kWordsEvery = 100;  // ms: while it plays, numbers change so often; browsers paint text slower than pictures

/// What plays.
export interface Playing {
  clip: string;      ///< key of the list's entry
  duration: number;  ///< s; 0: nothing that could play
  rate: number;      ///< frames a second
  time: number;      ///< s
  playing: boolean;
  speed: number;
  loop: boolean;
  still: string;     ///< what is said in place of the time where nothing could play
  why?: string;      ///< a remark about the clip
  range?: TimeRange | null;
}

export interface ClockActions {
  toggle: () => void;
  choose: (key: string) => void;
  seek: (time: number) => void;  ///< and stop
  set: (values: { speed?: number; loop?: boolean }) => void;
  select?: (range: TimeRange | null) => void;
}

export class ClockBar {
  readonly root: HTMLElement;
  private readonly ruler: Ruler;
  private readonly play = iconButton(icons.play, 'Play (space)', () => this.actions.toggle());
  private readonly loop = iconButton(icons.loop, 'Loop (L)', () => this.actions.set({ loop: !this.now.loop }));
  private readonly clips = element('select', { class: 'clip', 'aria-label': 'Clip', title: 'Clip ([ and ])', onchange: () => {
    this.actions.choose(this.clips.value);
    this.clips.blur();
  } });
  private readonly speed = element('select', { class: 'speed', 'aria-label': 'Speed', title: 'Speed (− and +)', onchange: () => {
    this.actions.set({ speed: Number(this.speed.value) });
    this.speed.blur();
  } }, ...kSpeeds.map((speed) => element('option', { value: speed }, `${speed}×`)));
  private readonly why = element('span', { class: 'quiet clip-why' });
  private readonly seconds = element('span', { class: 'seconds' });
  private readonly frames = element('span', { class: 'quiet frames' });
  private readonly rate = element('span', { class: 'quiet fps' });
  private readonly middle = element('span', { class: 'spring' });
  private written = -Infinity;  ///< ms, when numbers last changed
  private now: Playing = { clip: '', duration: 0, rate: 24, time: 0, playing: false, speed: 1, loop: true, still: '' };

  /// `between`: what a page has of its own between the clip and the time; `behind`: at the end.
  constructor(private readonly actions: ClockActions, { between = [] as HTMLElement[], behind = [] as HTMLElement[] } = {}) {
    this.ruler = new Ruler(actions);
    this.play.classList.add('play');
    const time = element('output', { class: 'time', 'aria-label': 'Time' }, this.seconds, this.frames, this.rate);
    this.root = element('footer', { class: 'timeline' }, this.ruler.root, element('div', { class: 'controls' }, this.play,
      this.clips, this.why, this.middle, ...between, time, this.speed, this.loop, ...behind));
  }

  /// Whether a hand is on the ruler.
  get held(): boolean { return this.ruler.held; }

  list(clips: readonly { key: string; label: string }[]): void {
    this.clips.replaceChildren(...clips.map(({ key, label }) => element('option', { value: key }, label)));
    this.clips.value = this.now.clip;
  }

  show(now: Playing): void {
    this.now = now;
    const { clip, duration, rate, playing, speed, loop, why = '', range = null } = now;
    if (this.clips.value !== clip) this.clips.value = clip;
    if (this.speed.value !== String(speed)) this.speed.value = String(speed);
    if (this.why.textContent !== why) this.why.title = this.why.textContent = why;
    this.loop.setAttribute('aria-pressed', String(loop));
    for (const control of [this.play, this.loop, this.speed]) control.disabled = duration === 0;
    const label = playing ? 'Pause (space)' : 'Play (space)';
    if (this.play.title !== label) {
      this.play.innerHTML = playing ? icons.pause : icons.play;
      this.play.title = label;
      this.play.setAttribute('aria-label', label);
    }
    this.rate.textContent = duration > 0 ? `${Number(rate.toFixed(2))} fps` : '';
    this.ruler.show(duration > 0 ? { duration, rate } : null, range);
    this.at(now.time);
  }

  /// The time alone, which changes often.
  at(time: number): void {
    const { duration, rate, still } = this.now, frame = (at: number) => Math.floor(at * rate + 1e-3);
    this.now.time = time;
    const words = !this.now.playing || performance.now() - this.written > kWordsEvery;
    this.ruler.at(time, words);
    if (!words) return;
    this.written = performance.now();
    this.seconds.classList.toggle('quiet', duration === 0);
    this.seconds.textContent = duration > 0 ? `${time.toFixed(2)} / ${duration.toFixed(2)} s` : still;
    this.frames.textContent = duration > 0 ? `frame ${frame(time)} / ${Math.round(duration * rate)}` : '';
  }

  repaint(): void { this.ruler.repaint(); }

  /// By whole frames, landing on one.
  step(frames: number): void {
    const { duration, rate, time } = this.now, frame = time * rate;
    if (duration === 0) return;
    const to = frames > 0 ? Math.floor(frame + 1e-3) + frames : Math.ceil(frame - 1e-3) + frames;
    this.actions.seek(Math.min(Math.max(0, to / rate), duration));
  }

  shortcuts(): Shortcut[] {
    const key = (keys: string[], shown: string[], does: string, act: () => void): Shortcut => ({ keys, shown, does, act });
    return [
      key([' '], ['Space'], 'Play or pause', () => this.actions.toggle()),
      key(['ArrowLeft'], ['←', '→'], 'One frame back, on', () => this.step(-1)),
      key(['ArrowRight'], [], '', () => this.step(1)),
      key(['Shift+ArrowLeft'], ['Shift', '←', '→'], 'Ten frames back, on', () => this.step(-10)),
      key(['Shift+ArrowRight'], [], '', () => this.step(10)),
      key(['Home'], ['Home', 'End'], 'To the start, the end', () => this.actions.seek(0)),
      key(['End'], [], '', () => this.actions.seek(this.now.duration)),
      key(['['], ['[', ']'], 'Previous, next clip', () => this.chooseBeside(-1)),
      key([']'], [], '', () => this.chooseBeside(1)),
      key(['-'], ['−', '+'], 'Slower, faster', () => this.faster(-1)),
      key(['+', '='], [], '', () => this.faster(1)),
      key(['l'], ['L'], 'Loop', () => this.actions.set({ loop: !this.now.loop })),
    ];
  }

  /// The next or previous entry of the list, round and round.
  private chooseBeside(direction: number): void {
    const { options } = this.clips, count = options.length;
    if (count > 0) this.actions.choose(options[(this.clips.selectedIndex + direction + count) % count].value);
  }

  private faster(direction: number): void {
    const nearest = kSpeeds.findIndex((speed) => speed >= this.now.speed);
    this.actions.set({ speed: kSpeeds[Math.min(Math.max(nearest + direction, 0), kSpeeds.length - 1)] });
  }
}

/// Without the armature's name ("Armature|Walk") where they can be told apart so.
export function shortNames(names: readonly string[]): readonly string[] {
  const short = names.map((name) => name.slice(name.lastIndexOf('|') + 1));
  return new Set(short).size === short.length && !short.includes('') ? short : names;
}
