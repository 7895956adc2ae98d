// The clock at the foot of the stage: play, clip, time, range, speed.

import { kSpeeds } from '../player';
import { element, iconButton } from '../ui/dom';
import { icons } from '../ui/icons';
import { Shortcut } from '../ui/shortcuts';
import { studioIcons } from './icons';
import { Studio } from './panel';
import { Ruler } from './ruler';
import { BakeSlice, ClipInfo, PlaySlice } from './slices';

const kLive = 'Solve live while it plays; off: play what was baked (K)';
const kRest = '';  // the list's value for the rest pose

export class Timeline {
  readonly root: HTMLElement;
  private readonly ruler: Ruler;
  private readonly play = iconButton(icons.play, 'Play (space)', () => this.toggle());
  private readonly loop = iconButton(icons.loop, 'Loop (L)', () => this.set({ loop: !this.now.loop }));
  private readonly mute = iconButton(studioIcons.mute, 'Mute the secondary motion (M)', () => this.set({ muted: !this.now.muted }));
  private readonly live = iconButton(studioIcons.live, kLive, () => this.set({ live: !this.now.live }));
  private readonly clips = element('select', { class: 'clip', 'aria-label': 'Clip', title: 'Clip ([ and ])', onchange: () => {
    this.set({ clip: this.clips.value === kRest ? null : this.clips.value });
    this.clips.blur();
  } });
  private readonly speed = element('select', { class: 'speed', 'aria-label': 'Speed', title: 'Speed (− and +)', onchange: () => {
    this.set({ speed: Number(this.speed.value) });
    this.speed.blur();
  } }, ...kSpeeds.map((speed) => element('option', { value: speed }, `${speed}×`)));
  private readonly why = element('span', { class: 'quiet clip-why' });
  private readonly reading = element('output', { class: 'time', 'aria-label': 'Time' });
  private readonly seconds = element('span', { class: 'seconds' });
  private readonly frames = element('span', { class: 'quiet frames' });
  private readonly solved = element('span', { class: 'quiet solved',
                                              title: 'Frames that the server solves a second, and the time of a solve' });
  private time = 0;

  constructor(private readonly studio: Studio, tabs: HTMLElement) {
    const { store, selection, stage } = studio;
    this.ruler = new Ruler({ seek: (time) => this.seek(time), select: (range) => selection.set({ range }) });
    this.play.classList.add('play');
    this.reading.append(this.seconds, this.frames);
    this.root = element('footer', { class: 'timeline' }, this.ruler.root, element('div', { class: 'controls' },
      this.play, this.clips, this.why, element('span', { class: 'spring' }), this.solved, this.reading, this.speed,
      this.loop, this.mute, this.live, tabs));
    store.on('file', () => this.listClips());
    store.on('play', () => this.update());
    store.on('live', ({ rate, ms }) => {
      this.solved.textContent = rate > 0 ? `${rate.toFixed(0)} /s · ${ms.toFixed(1)} ms` : '';
    });
    store.on('bake', ({ state }) => this.showBake(state));
    selection.on(({ range }) => this.ruler.show(this.clip, range));
    stage.onFrame((time) => this.show(time));
    studio.onTheme(() => this.ruler.repaint());
  }

  get clip(): ClipInfo | null {
    return this.studio.store.get('file')?.clips.find(({ name }) => name === this.now.clip) ?? null;
  }

  shortcuts(): Shortcut[] {
    const key = (keys: string[], shown: string[], does: string, act: () => void): Shortcut => ({ keys, shown, does, act });
    return [
      key([' '], ['Space'], 'Play or pause', () => this.toggle()),
      key(['ArrowLeft'], ['←', '→'], 'One frame back, on', () => this.step(-1)),
      key(['ArrowRight'], [], '', () => this.step(1)),
      key(['Shift+ArrowLeft'], ['Shift', '←', '→'], 'Ten frames back, on', () => this.step(-10)),
      key(['Shift+ArrowRight'], [], '', () => this.step(10)),
      key(['Home'], ['Home', 'End'], 'To the start, the end', () => this.seek(0)),
      key(['End'], [], '', () => this.seek(this.clip?.duration ?? 0)),
      key(['['], ['[', ']'], 'Previous, next clip', () => this.chooseBeside(-1)),
      key([']'], [], '', () => this.chooseBeside(1)),
      key(['-'], ['−', '+'], 'Slower, faster', () => this.faster(-1)),
      key(['+', '='], [], '', () => this.faster(1)),
      key(['i'], ['I', 'O'], 'Range from here, to here', () => this.bound('from')),
      key(['o'], [], '', () => this.bound('to')),
      key(['x'], ['X'], 'No range', () => this.studio.selection.set({ range: null })),
      key(['l'], ['L'], 'Loop', () => this.set({ loop: !this.now.loop })),
      key(['m'], ['M'], 'Mute the secondary motion', () => this.set({ muted: !this.now.muted })),
      key(['k'], ['K'], 'Solve live', () => this.set({ live: !this.now.live })),
    ];
  }

  private get now(): PlaySlice {
    return this.studio.store.get('play') ??
      { clip: null, time: 0, playing: false, speed: 1, loop: true, live: true, muted: false };
  }

  private set(values: Partial<PlaySlice>): void { void this.studio.act('play.set', values); }
  private toggle(): void { if (this.clip) this.set({ playing: !this.now.playing }); }

  private seek(time: number): void {
    if (!this.clip) return;
    this.show(time);
    this.studio.stream('play.time', 'play.set', { time, playing: false });
  }

  private step(frames: number): void {
    const { clip } = this;
    if (!clip) return;
    const frame = this.time * clip.rate;
    const to = frames > 0 ? Math.floor(frame + 1e-3) + frames : Math.ceil(frame - 1e-3) + frames;
    this.seek(Math.min(Math.max(0, to / clip.rate), clip.duration));
  }

  private chooseBeside(direction: number): void {
    const names = [...(this.studio.store.get('file')?.clips.map(({ name }) => name) ?? []), null];
    this.set({ clip: names[(names.indexOf(this.now.clip) + direction + names.length) % names.length] });
  }

  private faster(direction: number): void {
    const at = kSpeeds.findIndex((speed) => speed >= this.now.speed);
    this.set({ speed: kSpeeds[Math.min(Math.max(at + direction, 0), kSpeeds.length - 1)] });
  }

  private bound(end: 'from' | 'to'): void {
    const { clip } = this;
    if (!clip) return;
    const here = Math.round(this.time * clip.rate) / clip.rate;
    const range = { from: 0, to: clip.duration, ...this.studio.selection.range, [end]: here };
    this.studio.selection.set({ range: range.from < range.to ? range : null });
  }

  private listClips(): void {
    const clips = this.studio.store.get('file')?.clips ?? [];
    const short = shortNames(clips.map(({ name }) => name));
    this.clips.replaceChildren(...clips.map(({ name, loop }, i) =>
      element('option', { value: name }, `${loop ? '↻' : '→'} ${short[i]}`)), element('option', { value: kRest }, 'Rest pose'));
    this.update();
  }

  private update(): void {
    const { now, clip, studio } = this;
    this.clips.value = now.clip ?? kRest;
    this.why.textContent = clip ? `${clip.loop ? 'loops' : 'plays once'}${clip.why ? `: ${clip.why}` : ''}` : '';
    this.why.title = this.why.textContent;
    this.speed.value = String(now.speed);
    for (const [button, on] of [[this.loop, now.loop], [this.mute, now.muted], [this.live, now.live]] as const)
      button.setAttribute('aria-pressed', String(on));
    for (const control of [this.play, this.loop, this.speed]) control.disabled = !clip;
    document.body.classList.toggle('muted-motion', now.muted);
    const label = now.playing ? 'Pause (space)' : 'Play (space)';
    if (this.play.title !== label) {
      this.play.innerHTML = now.playing ? icons.pause : icons.play;
      this.play.title = label;
      this.play.setAttribute('aria-label', label);
    }
    const { range } = studio.selection;
    if (range && (!clip || range.to > clip.duration + 1e-6)) studio.selection.set({ range: null });
    this.ruler.show(clip, studio.selection.range);
    if (!now.playing && !this.ruler.held) this.show(now.time);
  }

  private showBake(state: BakeSlice['state']): void {
    const running = state === 'running' || state === 'stale';
    this.live.classList.toggle('baking', running);
    this.live.title = running ? `${kLive}. This clip is being baked` : kLive;
  }

  private show(time: number): void {
    const { clip } = this;
    this.time = time;
    this.ruler.at(time);
    this.seconds.textContent = clip ? `${time.toFixed(2)} / ${clip.duration.toFixed(2)} s` : 'Rest pose';
    const frame = (at: number) => Math.floor(at * (clip?.rate ?? 0) + 1e-3);
    this.frames.textContent = clip ? `frame ${frame(time)} / ${frame(clip.duration + 0.5 / clip.rate)} · ${clip.rate} fps` : '';
  }
}

/// Without the armature's name ("Armature|Walk") where they can be told apart so.
function shortNames(names: string[]): string[] {
  const short = names.map((name) => name.slice(name.lastIndexOf('|') + 1));
  return new Set(short).size === short.length && !short.includes('') ? short : names;
}
