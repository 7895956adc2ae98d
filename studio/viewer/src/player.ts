// The clock that a page plays by. It knows nothing of characters, so several views can share one.

export interface Playable {
  readonly name: string;
  readonly duration: number;   ///< seconds; 0 for a single pose
  readonly frameRate: number;  ///< frames per second, for counting and stepping
}

export const kSpeeds = [0.25, 0.5, 0.75, 1, 1.5, 2];

export class Player {
  playing = false;
  loop = true;
  speed = 1;
  clip: Playable | null = null;  ///< null: the rest pose
  private time_ = 0;
  private readonly listeners: (() => void)[] = [];

  get time(): number { return this.time_; }
  get duration(): number { return this.clip?.duration ?? 0; }

  /// Called after every change of clip, time, speed, loop or playing.
  onChange(listener: () => void): void { this.listeners.push(listener); }

  show(clip: Playable | null): void {
    this.clip = clip;
    this.time_ = 0;
    this.changed();
  }

  seek(time: number): void {
    this.time_ = Math.min(Math.max(time, 0), this.duration);
    this.changed();
  }

  toggle(): void {
    if (this.duration === 0) return;
    if (!this.playing && !this.loop && this.time_ >= this.duration) this.time_ = 0;
    this.playing = !this.playing;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  set(values: { loop?: boolean; speed?: number }): void {
    Object.assign(this, values);
    this.changed();
  }

  /// Lets `seconds` of real time pass.
  advance(seconds: number): void {
    if (!this.playing || this.duration === 0) return;
    const next = this.time_ + seconds * this.speed;
    if (next < this.duration) {
      this.time_ = next;
    } else if (this.loop) {
      this.time_ = next % this.duration;
    } else {
      this.time_ = this.duration;
      this.playing = false;
    }
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
