// How long it takes from sending a command to the first frame that includes its change.

const kKept = 500;    // latencies
const kFrames = 240;  // arrivals, of which an answer that came late finds its frame

export class Latencies {
  readonly ms: number[] = [];
  private readonly sendTimes = new Map<number, { at: number; change: number }>();
  private pending: { at: number; change: number }[] = [];  ///< answered; their frame has not come
  private readonly arrivals: { at: number; change: number }[] = [];

  sent(id: number): void {
    this.sendTimes.set(id, { at: performance.now(), change: this.arrivals.at(-1)?.change ?? 0 });
  }

  /// An answer without a change, or with one that frames included already when it was sent, did not change the pose.
  answered(id: number, change: unknown): void {
    const sent = this.sendTimes.get(id);
    this.sendTimes.delete(id);
    if (!sent || typeof change !== 'number' || change <= sent.change) return;
    const frame = this.arrivals.find((arrival) => arrival.change >= change && arrival.at >= sent.at);
    frame ? this.keep(frame.at - sent.at) : this.pending.push({ at: sent.at, change });
  }

  frame(change: number): void {
    const at = performance.now();
    this.arrivals.push({ at, change });
    if (this.arrivals.length > kFrames) this.arrivals.shift();
    if (this.pending.length === 0) return;
    for (const sent of this.pending) if (sent.change <= change) this.keep(at - sent.at);
    this.pending = this.pending.filter((sent) => sent.change > change);
  }

  /// Frames a second over the last two.
  framesPerSecond(): number {
    const now = performance.now();
    return this.arrivals.filter(({ at }) => now - at <= 2000).length / 2;
  }

  private keep(ms: number): void {
    this.ms.push(ms);
    if (this.ms.length > kKept) this.ms.shift();
  }
}
