// Whether this machine keeps up: where display frames take long while the character moves, pictures become simpler until
// it stands still.

const kSlow = 0.055, kWeight = 0.15;  // s a display frame, mean; weight of the newest
const kStill = 0.4;  // s without a frame of the server: full pictures again

export class Pace {
  private mean = 0;
  private since = Infinity;  ///< s since the last frame
  private slow = false;

  /// Once a display frame, which took `seconds`; `moves`: a frame of the server was put on. Slow once is slow for good.
  quick(seconds: number, moves: boolean): boolean {
    const wasMoving = this.since < kStill;
    this.since = moves ? 0 : this.since + seconds;
    if (moves && wasMoving) this.mean += kWeight * (seconds - this.mean);
    this.slow ||= this.mean > kSlow;
    return this.slow && this.since < kStill;
  }
}
