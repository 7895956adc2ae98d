// The curves that the editor shows: fetched from the server, edited here at once, sent back.

import { Studio } from '../panel';
import { Throttle } from '../throttle';
import { plain } from './edits';
import { Key, PlainKey, sameCurve, withModes } from './hermite';

const kEditsPerSecond = 30, kRefreshesPerSecond = 12;

export interface Curve {
  control: string;
  unit: string;
  artist: number[];  ///< at the session's times
  soft: number[];    ///< likewise, before the tolerance took keys away
  keys: Key[];
}

type Answer = { times: number[]; curves: (Omit<Curve, 'keys'> & { keys: PlainKey[] })[] };

export class CurveSession {
  times: number[] = [];
  duration = 0;
  rate = 30;               ///< frames a second of the clip
  time = 0;                ///< of the clock, s
  problem = '';            ///< why there are no curves
  selected = new Set<number>();  ///< keys of the active curve
  private seen = false;    ///< the panel is open: curves that nobody sees are not asked for
  private wanted: string[] = [];
  private curves = new Map<string, Curve>();
  private held = false;    ///< a hand is on the keys: nothing else changes them
  private edited = '';     ///< the control whose keys hands changed last, until others come
  private asked = 0;
  private taken = 0;       ///< number of the newest answer; older ones that come later are left out
  private readonly listeners: (() => void)[] = [];
  private readonly timeListeners: (() => void)[] = [];
  private readonly refreshing = new Throttle<void>(kRefreshesPerSecond, () => void this.refresh());
  private readonly sending: Throttle<{ control: string; keys: PlainKey[] }>;

  constructor(private readonly studio: Studio) {
    this.sending = new Throttle(kEditsPerSecond, (edit) => studio.stream(`curve ${edit.control}`, 'curves.edit', edit));
    const { store } = studio;
    for (const slice of ['bake', 'curves', 'history', 'file'] as const) store.on(slice, () => this.refreshing.push());
    let clip: string | null | undefined;
    store.on('play', (play) => {
      if (!play.playing) this.moveClock(play.time);
      if (play.clip === clip) return;
      clip = play.clip;
      this.selected.clear();
      this.edited = '';
      this.refreshing.push();
    });
    studio.stage.onFrame((time) => this.moveClock(time));
  }

  onChange(listener: () => void): void { this.listeners.push(listener); }
  onTime(listener: () => void): void { this.timeListeners.push(listener); }

  /// The curve that hands edit: the first one shown.
  get active(): Curve | null { return this.curves.get(this.wanted[0]) ?? null; }
  /// The others, to compare with.
  get others(): Curve[] { return this.wanted.slice(1).map((name) => this.curves.get(name)).filter((curve) => !!curve); }
  get names(): readonly string[] { return this.wanted; }

  set watching(on: boolean) {
    this.seen = on;
    if (on) void this.refresh();
  }

  show(controls: readonly string[]): void {
    if (controls.join('\n') === this.wanted.join('\n')) return;
    if (controls[0] !== this.wanted[0]) this.selected.clear();
    this.wanted = [...controls];
    if (this.wanted.every((name) => this.curves.has(name))) this.changed();
    void this.refresh();
  }

  select(keys: Iterable<number>): void { this.selected = new Set(keys); this.changed(); }

  /// New keys of the active curve, seen at once. `done`: the hand has let go.
  edit(keys: Key[], selected: Iterable<number> = this.selected, done = true): void {
    const curve = this.active;
    if (!curve) return;
    curve.keys = keys;
    this.edited = curve.control;
    this.selected = new Set(selected);
    this.held = !done;
    this.sending.push({ control: curve.control, keys: plain(keys) });
    if (done) this.sending.flush();
    this.changed();
  }

  /// Where the clock is put.
  scrub(time: number): void {
    this.moveClock(Math.min(Math.max(time, 0), this.duration));
    this.studio.stream('play.time', 'play.set', { time: this.time, playing: false });
  }

  private changed(): void { for (const listener of this.listeners) listener(); }

  private moveClock(time: number): void {
    this.time = time;
    for (const listener of this.timeListeners) listener();
  }

  private async refresh(): Promise<void> {
    if (!this.seen) return;
    const { store, connection } = this.studio;
    const clip = store.get('file')?.clips.find(({ name }) => name === store.get('play')?.clip);
    this.duration = clip?.duration ?? 0;
    this.rate = clip?.rate || 30;
    if (!clip || this.wanted.length === 0) return this.take({ times: [], curves: [] }, clip ? '' : 'No clip plays: the rest pose has no curves.');
    const number = ++this.asked, { wanted } = this;
    const fresh = () => number > this.taken && wanted === this.wanted && !this.held;
    try {
      const answer = await connection.send<Answer>('curves.get', { controls: wanted });
      if (fresh()) this.take(answer, '');
    } catch (error) {
      if (fresh()) this.take({ times: [], curves: [] }, error instanceof Error ? error.message : String(error));
    }
    this.taken = Math.max(this.taken, number);
  }

  private take(answer: Answer, problem: string): void {
    const before = this.active, times = [...this.selected].map((i) => before?.keys[i]?.time);
    this.times = answer.times;
    this.problem = problem;
    this.curves = new Map(answer.curves.map((curve) => [curve.control, { ...curve, keys: withModes(curve.keys) }]));
    const now = this.active;
    const same = now && before?.control === now.control;
    // A key that was inserted on the curve changes nothing yet, so the server may leave it out: it stays for the hand.
    if (same && this.edited === now.control && before.keys.length > now.keys.length && sameCurve(before.keys, now.keys, this.times)) now.keys = before.keys;
    else this.edited = '';
    this.selected = new Set(!same ? [] : now.keys.flatMap(({ time }, i) => (times.some((t) => t !== undefined && Math.abs(t - time) < 1e-6) ? [i] : [])));
    this.changed();
  }
}
