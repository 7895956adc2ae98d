// How good a picture may be while something moves. Where pictures take long they become simpler, level by level; as soon
// as nothing moves, the best one is drawn.

export interface Detail {
  ratio: number;    ///< pixels drawn for one of the display's, along a side, where a display pixel is one of the page's
  shadows: boolean;
  coarse: boolean;  ///< fewer triangles (coarse.ts)
}

const kSlow = 50, kLongest = 120;  // ms a picture: slow; longer counts as that, so that compiling a shader is no slowness
const kWeight = 0.3;               // of the newest in the mean
const kRest = 3000;                // ms: after it, another try with a better level

/// From the best to the simplest. Without a graphics card the best picture is drawn larger and scaled down, which smooths
/// edges; with one, the card does that while it draws.
const kLevels: readonly Detail[] = [
  { ratio: 1, shadows: true, coarse: false }, { ratio: 1, shadows: false, coarse: false },
  { ratio: 0.75, shadows: false, coarse: true }, { ratio: 0.5, shadows: false, coarse: true }];
const kBestRatio = { card: 2, software: 1.5 };

export class Pace {
  private level = 0;  ///< in kLevels
  private mean = 0;   ///< ms a picture at this level
  private moved = -Infinity;

  constructor(private readonly software: boolean) {}

  /// For a picture of something that stands still on a display with so many pixels in one of the page's.
  best(display: number): Detail {
    const ratio = this.software ? kBestRatio.software * Math.min(1, display) : Math.min(kBestRatio.card, display);
    return { ratio, shadows: true, coarse: false };
  }

  /// For a picture that another will follow soon. `now` in ms.
  moving(display: number, now: number): Detail {
    if (now - this.moved > kRest && this.level > 0) this.to(this.level - 1);
    this.moved = now;
    const { ratio, ...rest } = kLevels[this.level];
    return { ...rest, ratio: ratio * (this.software || this.level > 0 ? Math.min(1, display) : Math.min(kBestRatio.card, display)) };
  }

  /// A picture of something that moves took so many ms.
  took(ms: number): void {
    this.mean += kWeight * (Math.min(ms, kLongest) - this.mean);
    if (this.mean > kSlow && this.level + 1 < kLevels.length) this.to(this.level + 1);
  }

  private to(level: number): void {
    this.level = level;
    this.mean = 0;
  }
}
