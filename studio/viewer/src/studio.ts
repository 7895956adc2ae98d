// The page of `rigspace studio`: a stage, a clock, and panels around them. The server holds the state.

import { kDark, kLight, preferredTheme, Theme } from './theme';
import { element } from './ui/dom';
import { Help, listenToKeys, Shortcut } from './ui/shortcuts';
import { apiOf, StudioApi } from './studio/api';
import { Connection, SayKind } from './studio/connection';
import { Dock } from './studio/dock';
import { errorWords } from './studio/error_words';
import { beginWithAClip } from './studio/first_clip';
import { watchInput } from './studio/input_time';
import { JobBar } from './studio/job_bar';
import { Legend } from './studio/legend';
import { LineBanner } from './studio/line_banner';
import { startLine } from './studio/line_port';
import { remember, remembered } from './studio/memory';
import { acceptDrops } from './studio/open_file';
import { chooseGarment } from './studio/panels/cloth';
import { Panel, Studio } from './studio/panel';
import { kPanels } from './studio/panels';
import { Selecting } from './studio/selecting';
import { Stage } from './studio/stage';
import { StageTools } from './studio/stage_tools';
import { Selection, Store } from './studio/store';
import { Timeline } from './studio/timeline';
import { Toasts } from './studio/toasts';
import { TopBar } from './studio/top_bar';
import { Welcome } from './studio/welcome';

const kSlowAnswer = 400;  // ms: longer, the page says that it waits

class StudioPage implements Studio {
  readonly store = new Store();
  readonly selection = new Selection();
  readonly connection: Connection;
  readonly stage: Stage;
  theme: Theme = remembered('theme') === 'dark' ? kDark : remembered('theme') === 'light' ? kLight : preferredTheme();
  private readonly toasts = new Toasts();
  private readonly themeListeners: ((theme: Theme) => void)[] = [];
  private readonly docks: Dock[];
  private readonly banner: LineBanner;
  private readonly job = new JobBar(() => void this.act('job.cancel'));
  private tools: StageTools | null = null;
  private wanted: string | null = null;  ///< tool that was asked for before there were any
  private readonly toolListeners: ((tool: string | null) => void)[] = [];
  private opening: string | null = null;  ///< the file that this page asked for

  constructor(host: HTMLElement) {
    document.body.classList.add('shell', 'studio');
    watchInput();
    this.connection = new Connection(startLine(), {
      state: (slices) => this.store.take(slices), say: (kind, text) => this.say(kind, text),
      frame: (bytes) => this.stage.receive(bytes), line: (state, about) => this.banner.show(state, about) });
    this.banner = new LineBanner(this.store, (kind, text) => this.say(kind, text), () => this.connection.open(),
                                 (path) => { void this.act('file.open', { path }); });
    this.stage = new Stage(host, this.connection, this.store, this.selection, (sentence) => this.say('error', sentence));
    const panels = kPanels.map((make) => make(this));
    this.docks = (['left', 'right', 'bottom'] as const).map((place) => this.dockOf(place, panels));
    this.assemble(host, panels);
    acceptDrops(this, (file) => chooseGarment(this, file));
    beginWithAClip(this);
    this.paint();
    this.connection.open();
    this.run();
  }

  /// Paths below the folder of results are said without it.
  say(kind: SayKind, text: string): void {
    const { folder = '' } = this.store.get('server') ?? {};
    this.toasts.say(kind, folder ? text.replaceAll(`${folder}/`, '') : text);
  }

  async act<Answer>(command: string, args: object = {}): Promise<Answer | null> {
    const file = /^file\.(open|cast)$/.test(command) ? nameIn(args) : null;
    this.opening = file ?? this.opening;
    try {
      return await this.connection.send<Answer>(command, args);
    } catch (error) {
      this.fail(error);
      return null;
    } finally {
      if (file !== null) this.opening = null;
    }
  }

  stream(key: string, command: string, args: object): void {
    this.connection.stream(key, command, args, (error) => this.fail(error));
  }

  private fail(error: unknown): void { this.say('error', errorWords(error)); }

  onTheme(listener: (theme: Theme) => void): void {
    this.themeListeners.push(listener);
    listener(this.theme);
  }

  use(tool: string | null, toggle = false): void {
    if (this.tools) this.tools.use(tool, toggle);
    else this.wanted = tool;
  }

  onTool(listener: (tool: string | null) => void): void { this.toolListeners.push(listener); }

  show(panel: string): void {
    const dock = this.docks.find(({ panels }) => panels.some(({ id }) => id === panel));
    dock?.open(panel);
  }

  private dockOf(place: Panel['place'], panels: readonly Panel[]): Dock {
    const dock = new Dock(place, panels.filter((panel) => panel.place === place),
                          () => remember(`dock.${place}`, dock.opened ?? ''));
    const before = remembered(`dock.${place}`);
    dock.open(before ?? (place === 'right' ? 'parts' : null));
    return dock;
  }

  private assemble(host: HTMLElement, panels: readonly Panel[]): void {
    const [left, right, bottom] = this.docks, help = new Help();
    const selecting = new Selecting(this, this.stage);
    const legend = new Legend({
      select: ({ name, candidate }) => {
        candidate >= 0 ? selecting.select(candidate) : this.selection.set({ part: name, candidate: null });
        this.show('parts');
      },
      hover: (part) => { this.stage.hovered = part && part.candidate >= 0 ? part.candidate : null; } });
    const listParts = () => legend.show(this.store.get('parts')?.chosen ?? [], this.selection.part, this.theme);
    this.store.on('parts', listParts);
    this.selection.on(listParts);
    this.onTheme(listParts);
    this.store.on('job', (now) => this.job.show(now));
    const bar = new TopBar(this, this.stage, { theme: () => this.changeTheme(), help: () => help.toggle() });
    const timeline = new Timeline(this, bottom.tabs);
    const tools = this.tools = new StageTools(this, (tool) => { for (const listener of this.toolListeners) listener(tool); });
    const shortcuts: Shortcut[] = [...tools.shortcuts(), ...timeline.shortcuts(), ...bar.shortcuts(),
                                   ...panels.flatMap((panel) => panel.shortcuts ?? [])];
    host.append(tools.root, legend.root);
    host.before(bar.root, left.tabs, left.body);
    host.after(right.body, right.tabs, timeline.root, bottom.body, new Welcome(this).root, this.banner.root,
               this.toasts.root, this.job.root, dropVeil(), help.listing(shortcuts));
    listenToKeys(shortcuts);
    tools.use(this.wanted);
  }

  private changeTheme(): void {
    this.theme = this.theme === kDark ? kLight : kDark;
    remember('theme', this.theme.name);
    this.paint();
  }

  private paint(): void {
    document.documentElement.dataset.theme = this.theme.name;
    this.stage.paint(this.theme);
    for (const listener of this.themeListeners) listener(this.theme);
  }

  private showWaiting(): void {
    const slow = this.connection.waited > kSlowAnswer;
    this.job.wait(slow && this.opening !== null ? `Opening ${this.opening}` : null);
    document.body.classList.toggle('waiting', slow);
  }

  private run(): void {
    let last = performance.now();
    const tick = (now: number) => {
      const seconds = Math.min(0.1, Math.max(0, (now - last) / 1000));
      last = now;
      this.stage.tick(seconds);
      this.showWaiting();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}

/// Over all while a file is dragged across the page.
function dropVeil(): HTMLElement {
  return element('div', { class: 'drop-veil', 'aria-hidden': 'true' }, element('p', {}, 'Drop to open'));
}

function nameIn(args: { name?: string; path?: string }): string { return args.name ?? args.path?.split(/[\\/]/).at(-1) ?? ''; }

/// The page is seen before it draws: making the stage takes a second where software draws, so one frame goes by first.
function afterFirstPaint(start: () => void): void {
  let begun = false;
  const once = () => { if (!begun) { begun = true; start(); } };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, 250);  // a tab in the background has no frames
}

/// Begins the studio. window.rigspace has `ready` at once, and the rest when that has come.
export function openStudio(): void {
  const api = window as { rigspace?: Pick<StudioApi, 'ready'> };
  api.rigspace = { ready: new Promise<void>((done, failed) => afterFirstPaint(() => {
    document.getElementById('splash')?.remove();
    const page = new StudioPage(document.getElementById('stage')!);
    const made: StudioApi = apiOf(page.connection, page.store, page.stage);
    api.rigspace = made;
    made.ready.then(done, failed);
  })) };
}
