// The live views of the cards. A browser has few WebGL contexts, so only a few pages are alive at once: those that are
// seen, nearest to the middle of the window first. The others are taken out again.

export const kMostAlive = 4;

/// A place for a page: `frame` is there while it is alive.
export interface LiveView {
  place: HTMLElement;
  title: string;
  address: string;  ///< with the fragment that makes it compact
  frame: HTMLIFrameElement | null;
}

export class LiveViews {
  private readonly views: LiveView[] = [];
  private queued = false;

  constructor() {
    for (const event of ['scroll', 'resize']) addEventListener(event, () => this.refresh(), { passive: true });
  }

  add(view: LiveView): void {
    this.views.push(view);
    this.refresh();
  }

  get alive(): number { return this.views.filter(({ frame }) => frame).length; }

  /// Another clip of a page: a new fragment, which it follows without being loaded again.
  show(view: LiveView, address: string): void {
    view.address = address;
    if (view.frame) view.frame.src = address;
  }

  /// After cards were hidden or shown, too.
  refresh(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => { this.queued = false; this.update(); });
  }

  private update(): void {
    const seen = this.views.map((view) => ({ view, box: view.place.getBoundingClientRect() }))
      .map(({ view, box }) => ({ view, distance: Math.abs((box.top + box.bottom) / 2 - innerHeight / 2),
                                 visible: box.height > 0 && box.bottom > 0 && box.top < innerHeight }))
      .sort((a, b) => a.distance - b.distance);
    const wanted = new Set(seen.filter(({ visible }) => visible).slice(0, kMostAlive).map(({ view }) => view));
    const rest = seen.filter(({ view }) => view.frame && !wanted.has(view)).map(({ view }) => view);
    // What has just left the window stays as long as there is room: hands scroll back.
    const room = kMostAlive - wanted.size;
    for (const view of rest.slice(room)) unload(view);
    for (const view of wanted) load(view);
  }
}

function load(view: LiveView): void {
  if (view.frame) return;
  view.frame = document.createElement('iframe');
  view.frame.title = view.title;
  view.frame.src = view.address;
  view.place.append(view.frame);
}

function unload(view: LiveView): void {
  view.frame?.remove();
  view.frame = null;
}
