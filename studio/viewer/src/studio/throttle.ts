// Calls that come quicker than they may go out: the first at once, then the latest of those that came meanwhile.

export class Throttle<T> {
  private last = -Infinity;
  private timer = 0;
  private next: { value: T } | null = null;

  constructor(private readonly perSecond: number, private readonly out: (value: T) => void) {}

  push(value: T): void {
    this.next = { value };
    const wait = this.last + 1000 / this.perSecond - performance.now();
    if (wait <= 0) this.flush();
    else if (!this.timer) this.timer = window.setTimeout(() => this.flush(), wait);
  }

  /// What waits goes out now.
  flush(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.next) return;
    const { value } = this.next;
    this.next = null;
    this.last = performance.now();
    this.out(value);
  }

  drop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.next = null;
  }
}
