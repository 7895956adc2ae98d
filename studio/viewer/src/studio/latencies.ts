// How long it takes from a hand's input to the first frame that includes its change: until the frame has arrived in the
// page (its line, line.ts), and until the page's own thread has it. Times are ms by the shared clock (line_messages.ts).

import { sharedNow } from './line_messages';

const kKept = 500;    // latencies
const kFrames = 240;  // arrivals, of which an answer that came late finds its frame

interface Arrival {
  at: number;      ///< in the line
  seen: number;    ///< in the page's thread
  change: number;
}

export class Latencies {
  readonly ms: number[] = [];    ///< until it arrived
  readonly seen: number[] = [];  ///< until the page's thread had it
  private readonly inputs = new Map<number, { at: number; change: number }>();
  private pending: { at: number; change: number }[] = [];  ///< answered; their frame has not come
  private readonly arrivals: Arrival[] = [];

  /// `at`: when the hand moved.
  sent(id: number, at: number): void { this.inputs.set(id, { at, change: this.arrivals.at(-1)?.change ?? 0 }); }

  /// An answer without a change, or with one that frames included already when it was sent, did not change the pose.
  answered(id: number, change: unknown): void {
    const sent = this.inputs.get(id);
    this.inputs.delete(id);
    if (!sent || typeof change !== 'number' || change <= sent.change) return;
    const frame = this.arrivals.find((arrival) => arrival.change >= change && arrival.at >= sent.at);
    frame ? this.keep(sent.at, frame) : this.pending.push({ at: sent.at, change });
  }

  frame(change: number, at: number, seen = sharedNow()): void {
    const arrival = { at, seen, change };
    this.arrivals.push(arrival);
    if (this.arrivals.length > kFrames) this.arrivals.shift();
    if (this.pending.length === 0) return;
    for (const sent of this.pending) if (sent.change <= change) this.keep(sent.at, arrival);
    this.pending = this.pending.filter((sent) => sent.change > change);
  }

  /// Frames that arrived, a second, over the last two.
  framesPerSecond(): number {
    const now = sharedNow();
    return this.arrivals.filter(({ at }) => now - at <= 2000).length / 2;
  }

  private keep(input: number, { at, seen }: Arrival): void {
    this.ms.push(at - input);
    this.seen.push(seen - input);
    for (const list of [this.ms, this.seen]) if (list.length > kKept) list.shift();
  }
}
