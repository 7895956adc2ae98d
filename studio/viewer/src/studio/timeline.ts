// The clock bar of the studio, whose clock runs in the server: with ranges, mute, and whether to solve live.

import { ClockBar, shortNames } from '../ui/clock_bar';
import { element, iconButton } from '../ui/dom';
import { Shortcut } from '../ui/shortcuts';
import { studioIcons } from './icons';
import { Studio } from './panel';
import { BakeSlice, ClipInfo, PlaySlice } from './slices';

const kLive = 'Solve live while it plays; off: play what was baked (K)';
const kRest = '';  // the list's key for the rest pose

export class Timeline {
  private readonly bar: ClockBar;
  private readonly mute = iconButton(studioIcons.mute, 'Mute the secondary motion (M)', () => this.set({ muted: !this.now.muted }));
  private readonly live = iconButton(studioIcons.live, kLive, () => this.set({ live: !this.now.live }));
  private readonly solved = element('span', { class: 'quiet solved',
                                              title: 'Frames that the server solves a second, and the time of a solve' });
  private time = 0;

  constructor(private readonly studio: Studio, tabs: HTMLElement) {
    const { store, selection, stage } = studio;
    this.bar = new ClockBar({ toggle: () => { if (this.length > 0) this.set({ playing: !this.now.playing }); },
      choose: (key) => this.set({ clip: key === kRest ? null : key }), seek: (time) => this.seek(time),
      set: (values) => this.set(values), select: (range) => selection.set({ range }) },
      { between: [this.solved], behind: [this.mute, this.live, tabs] });
    store.on('file', () => this.listClips());
    store.on('play', () => this.update());
    store.on('live', ({ rate, ms }) => {
      this.solved.textContent = rate > 0 ? `${rate.toFixed(0)} /s · ${ms.toFixed(1)} ms` : '';
    });
    store.on('bake', ({ state }) => this.showBake(state));
    selection.on(() => this.update());
    stage.onFrame((time) => this.bar.at(this.time = time));
    studio.onTheme(() => this.bar.repaint());
  }

  get root(): HTMLElement { return this.bar.root; }

  get clip(): ClipInfo | null {
    return this.studio.store.get('file')?.clips.find(({ name }) => name === this.now.clip) ?? null;
  }

  /// s: of the clip, or of what was drawn in the rest pose.
  private get length(): number { return this.clip?.duration ?? this.now.length ?? 0; }

  shortcuts(): Shortcut[] {
    const key = (keys: string[], shown: string[], does: string, act: () => void): Shortcut => ({ keys, shown, does, act });
    return [
      ...this.bar.shortcuts(),
      key(['i'], ['I', 'O'], 'Range from here, to here', () => this.bound('from')),
      key(['o'], [], '', () => this.bound('to')),
      key(['x'], ['X'], 'No range', () => this.studio.selection.set({ range: null })),
      key(['m'], ['M'], 'Mute the secondary motion', () => this.set({ muted: !this.now.muted })),
      key(['k'], ['K'], 'Solve live', () => this.set({ live: !this.now.live })),
    ];
  }

  private get now(): PlaySlice {
    return this.studio.store.get('play') ??
      { clip: null, time: 0, playing: false, speed: 1, loop: true, live: true, muted: false };
  }

  private set(values: Partial<PlaySlice>): void { void this.studio.act('play.set', values); }

  private seek(time: number): void {
    if (this.length <= 0) return;
    this.bar.at(this.time = time);
    this.studio.stream('play.time', 'play.set', { time, playing: false });
  }

  private bound(end: 'from' | 'to'): void {
    const { clip } = this;
    if (!clip) return;
    const here = Math.round(this.time * clip.rate) / clip.rate;
    const range = { from: 0, to: clip.duration, ...this.studio.selection.range, [end]: here };
    this.studio.selection.set({ range: range.from < range.to ? range : null });
  }

  private listClips(): void {
    const clips = this.studio.store.get('file')?.clips ?? [], short = shortNames(clips.map(({ name }) => name));
    this.bar.list([...clips.map(({ name, loop }, i) => ({ key: name, label: `${loop ? '↻' : '→'} ${short[i]}` })),
                   { key: kRest, label: 'Rest pose' }]);
    this.update();
  }

  private update(): void {
    const { now, clip, studio: { selection } } = this;
    if (selection.range && (!clip || selection.range.to > clip.duration + 1e-6)) return selection.set({ range: null });
    if (!now.playing && !this.bar.held) this.time = now.time;
    this.bar.show({ ...now, clip: now.clip ?? kRest, duration: this.length, rate: clip?.rate ?? 24, time: this.time,
      still: 'Rest pose', range: selection.range,
      why: clip ? `${clip.loop ? 'loops' : 'plays once'}${clip.why ? `: ${clip.why}` : ''}` : '' });
    for (const [button, on] of [[this.mute, now.muted], [this.live, now.live]] as const)
      button.setAttribute('aria-pressed', String(on));
    document.body.classList.toggle('muted-motion', now.muted);
  }

  private showBake(state: BakeSlice['state']): void {
    const running = state === 'running' || state === 'stale';
    this.live.classList.toggle('baking', running);
    this.live.title = running ? `${kLive}. This clip is being baked` : kLive;
  }
}
