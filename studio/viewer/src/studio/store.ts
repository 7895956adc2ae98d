// The state as the server last said it, slice by slice, and who wants to hear of changes. And what is selected, which is
// this page's own.

import { TimeRange } from '../ui/ruler';
import { Slices } from './slices';

export class Store {
  private readonly slices: Partial<Slices> = {};
  private readonly listeners = new Map<keyof Slices, (() => void)[]>();

  /// Undefined until the server has said it.
  get<K extends keyof Slices>(name: K): Slices[K] | undefined { return this.slices[name]; }

  all(): Readonly<Partial<Slices>> { return this.slices; }

  /// Calls `listener` with every new value, and at once where there is one. The result stops that.
  on<K extends keyof Slices>(name: K, listener: (value: Slices[K]) => void): () => void {
    const call = () => listener(this.slices[name] as Slices[K]);
    const listeners = this.listeners.get(name) ?? [];
    this.listeners.set(name, listeners);
    listeners.push(call);
    if (this.slices[name] !== undefined) call();
    return () => { listeners.splice(listeners.indexOf(call), 1); };
  }

  /// All given slices are in place before the first listener is called. A listener that fails does not keep the others
  /// from hearing.
  take(changed: Partial<Slices>): void {
    Object.assign(this.slices, changed);
    for (const name of Object.keys(changed) as (keyof Slices)[]) {
      for (const call of [...(this.listeners.get(name) ?? [])]) {
        try {
          call();
        } catch (error) {
          reportError(error);
        }
      }
    }
  }
}

export type { TimeRange };

interface Selected {
  candidate: number | null;  ///< index in `parts.candidates`
  part: string | null;       ///< name of a chosen part
  node: string | null;
  range: TimeRange | null;
  stroke: string | null;     ///< name of a stroke of the drawing that is pointed at
  template: string | null;   ///< of forces, to be placed by the next click on the skin
  joint: string | null;      ///< whose weights are shown
}

/// Laws: a part that belongs to a candidate and that candidate are selected together (panels/parts.ts sees to it when
/// the slice changes). Listeners are called after every change, once.
export class Selection {
  private now: Selected = { candidate: null, part: null, node: null, range: null, stroke: null, template: null, joint: null };
  private readonly listeners: ((now: Readonly<Selected>) => void)[] = [];

  get candidate(): number | null { return this.now.candidate; }
  get part(): string | null { return this.now.part; }
  get node(): string | null { return this.now.node; }
  get range(): TimeRange | null { return this.now.range; }
  get stroke(): string | null { return this.now.stroke; }
  get template(): string | null { return this.now.template; }
  get joint(): string | null { return this.now.joint; }

  set(changed: Partial<Selected>): void {
    const next = { ...this.now, ...changed };
    if ((Object.keys(next) as (keyof Selected)[]).every((key) => next[key] === this.now[key])) return;
    this.now = next;
    for (const listener of [...this.listeners]) listener(next);
  }

  /// Called at once, and after every change. The result stops that.
  on(listener: (now: Readonly<Selected>) => void): () => void {
    this.listeners.push(listener);
    listener(this.now);
    return () => { this.listeners.splice(this.listeners.indexOf(listener), 1); };
  }
}
