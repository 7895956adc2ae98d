// What the page of before and after offers to tests and the curious.

import type { SoftPage } from '../soft';
import { Mode } from './split';

/// window.rigspace.
export interface SoftPageApi {
  ready: Promise<void>;            ///< as openPage() says
  readonly pairs: { base: string; soft: string; loop: boolean; parts: string[] }[];
  readonly pair: string;           ///< the base clip's name
  readonly time: number;           ///< seconds
  readonly playing: boolean;
  readonly amount: number;         ///< of the master slider
  readonly mode: Mode;
  readonly command: string;        ///< that makes permanent what is set; empty while nothing is
  choose(base: string): void;
  seek(seconds: number): void;     ///< stops, and poses at once
  setAmount(amount: number): void;
  /// x y z of every vertex, scene space, nodes then primitives in file order.
  positions(side: 'before' | 'after'): Float64Array;
  /// The curves of all parts: degrees, percent of the size, or weights; x, y and z at every time.
  deviation(): { times: number[]; curves: { part: number; name: string; quantity: string; values: number[][] }[] };
  readonly curvesDrawn: number;
  /// The ends of the clip, with the amounts that are set: percent of the height, and whether a point is marked.
  seam(): { loop: boolean; percent: number; start: number; end: number; lastStep: number | null; marked: boolean };
}

export function apiOf(ready: Promise<void>, page: () => SoftPage): SoftPageApi {
  return {
    ready,
    get pairs() {
      return page().pairs.map(({ options }) => ({ ...options, parts: options.parts.map((part) => part.name) }));
    },
    get pair() { return page().pair.name; },
    get time() { return page().player.time; },
    get playing() { return page().player.playing; },
    get amount() { return page().desk.master; },
    get mode() { return page().split.mode; },
    get command() { return page().command; },
    choose(base) { page().choose(page().pairs.find((pair) => pair.name === base) ?? page().pair); },
    seek(seconds) { page().seek(seconds); },
    setAmount(amount) { page().setAmount(amount); },
    positions(side) {
      side === 'before' ? page().comparison.showBefore() : page().comparison.showAfter();
      return page().character.positions();
    },
    deviation() {
      const { times, curves } = page().deviation;
      return { times: [...times], curves: curves.map(({ part, name, quantity, values }) =>
        ({ part, name, quantity, values: values.map((component) => [...component]) })) };
    },
    get curvesDrawn() { return page().chart.drawn; },
    seam() {
      const { pictures, ...figures } = page().seamNow();
      return { ...figures, marked: pictures.some(({ mark }) => mark !== null) };
    },
  };
}
