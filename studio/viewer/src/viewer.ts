// The page of `rigspace view`: one character, one clock.

import { Character, Clip } from './character';
import { embeddedBytes, embeddedOptions } from './embedded';
import { Playable, Player } from './player';
import { kDark, kLight, preferredTheme } from './theme';
import { iconButton, element } from './ui/dom';
import { heading } from './ui/heading';
import { icons } from './ui/icons';
import { Message } from './ui/message';
import { MorphPanel } from './ui/morph_panel';
import { Help, listenToKeys, Shortcut } from './ui/shortcuts';
import { Transport } from './ui/transport';
import { Extent } from './vertices';
import { Viewport } from './viewport';

/// For tests and the curious: window.rigspace.
export interface PageApi {
  /// Resolves when the first picture is drawn; rejects with the sentence that the page shows.
  ready: Promise<void>;
  readonly time: number;           ///< seconds
  readonly playing: boolean;
  readonly clips: string[];
  readonly clip: string | null;    ///< null: the rest pose
  setClip(name: string | null): void;
  setTime(seconds: number): void;  ///< stops, and poses at once
  play(): void;
  setMorph(name: string, value: number | null): void;  ///< "group:name"; null lets go
  positions(): Float64Array;       ///< x y z of every vertex, scene space, nodes then primitives in file order
}

class ViewerPage {
  readonly player = new Player();
  private readonly viewport: Viewport;
  private readonly morphs: MorphPanel;
  private readonly transport: Transport;
  private readonly head: HTMLElement;
  private readonly tools: HTMLElement;
  private readonly toggles = new Map<string, HTMLButtonElement>();
  private theme = preferredTheme();
  private extent: Extent;

  constructor(private readonly stage: HTMLElement, readonly character: Character, title: string, firstClip: string) {
    this.viewport = new Viewport(stage);
    this.morphs = new MorphPanel(character.morphs.all, () => this.pose());
    this.transport = new Transport(this.player, character.clips, (clip) => this.choose(clip));
    const clip = character.clipNamed(firstClip) ?? character.clips[0] ?? null;
    this.extent = character.extentOf(clip);
    this.viewport.show(character, this.extent);
    const shortcuts = this.shortcuts();
    const help = new Help();
    shortcuts.push({ keys: ['?'], shown: ['?'], does: 'These keys', act: () => help.toggle() });
    this.head = heading(title, character.counts, character.warnings);
    this.tools = this.toolbar(help);
    stage.append(this.head, this.tools, this.morphs.root);
    document.body.append(this.transport.root, help.listing(shortcuts));
    listenToKeys(shortcuts);
    this.player.onChange(() => this.pose());
    this.player.show(clip);
    this.paint();
    new ResizeObserver(() => this.makeRoom()).observe(stage);
    this.makeRoom();
    this.viewport.frame(this.extent, { fresh: true, smooth: false });
  }

  choose(clip: Playable | null): void {
    this.extent = this.character.extentOf(clip as Clip | null);
    this.viewport.illuminate(this.extent);
    this.player.show(clip);
    if (this.viewport.framed) this.frame();
  }

  start(): void {
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.player.toggle();
    let last = performance.now();
    const tick = (now: number) => {
      const seconds = Math.min(0.1, Math.max(0, (now - last) / 1000));
      last = now;
      this.player.advance(seconds);
      this.viewport.render(seconds);
      requestAnimationFrame(tick);
    };
    this.viewport.render(0);
    requestAnimationFrame(tick);
  }

  pose(): void {
    this.character.pose(this.player.clip as Clip | null, this.player.time);
    this.morphs.update();
    this.viewport.invalidate();
  }

  private toolbar(help: Help): HTMLElement {
    const tool = (icon: string, label: string, act: () => void, available = true) => {
      const button = iconButton(icon, label, act);
      button.disabled = !available;
      return button;
    };
    const toggle = (name: string, icon: string, label: string, available = true) => {
      const button = tool(icon, label, () => this.flip(name), available);
      this.toggles.set(name, button);
      button.setAttribute('aria-pressed', 'false');
      return button;
    };
    const { joints, morphs } = this.character.counts;
    const bar = element('nav', { class: 'toolbar', 'aria-label': 'View' },
      toggle('skeleton', icons.skeleton, joints ? 'Skeleton (S)' : 'This file has no skeleton', joints > 0),
      toggle('wireframe', icons.wireframe, 'Wireframe (W)'), toggle('grid', icons.grid, 'Grid (G)'),
      toggle('morphs', icons.morphs, morphs ? 'Morphs (M)' : 'This file has no morphs', morphs > 0),
      element('hr'), toggle('follow', icons.follow, joints ? 'Follow the character (C)' : 'Nothing to follow', joints > 0),
      tool(icons.frame, 'Frame the motion (F)', () => this.frame()),
      tool(icons.theme, 'Light or dark (B)', () => this.changeTheme()), tool(icons.help, 'Keys (?)', () => help.toggle()));
    this.toggles.get('grid')!.setAttribute('aria-pressed', 'true');
    return bar;
  }

  private flip(name: string): void {
    const button = this.toggles.get(name)!;
    if (button.disabled) return;
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(on));
    if (name === 'skeleton') this.viewport.skeletonVisible = on;
    if (name === 'wireframe') this.viewport.wireframeVisible = on;
    if (name === 'grid') this.viewport.gridVisible = on;
    if (name === 'follow') {
      this.viewport.following = on;
      this.frame();
    }
    if (name === 'morphs') {
      this.morphs.visible = on;
      this.makeRoom();
    }
  }

  /// Keeps the character clear of the heading, the tools and the open panel, wherever the style puts them.
  private makeRoom(): void {
    const panel = this.morphs.root, stage = this.stage;
    const besides = panel.offsetWidth < stage.clientWidth / 2;
    this.viewport.cover({
      top: this.head.offsetTop + this.head.offsetHeight,
      right: stage.clientWidth - (this.morphs.visible && besides ? panel.offsetLeft : this.tools.offsetLeft),
      bottom: this.morphs.visible && !besides ? stage.clientHeight - panel.offsetTop : 0,
      left: 0,
    });
  }

  private shortcuts(): Shortcut[] {
    const { player } = this;
    return [
      { keys: [' '], shown: ['Space'], does: 'Play or pause', act: () => player.toggle() },
      { keys: ['ArrowLeft'], shown: ['←', '→'], does: 'One frame back, on', act: () => player.step(-1) },
      { keys: ['ArrowRight'], shown: [], does: '', act: () => player.step(1) },
      { keys: ['Shift+ArrowLeft'], shown: ['Shift', '←', '→'], does: 'Ten frames back, on', act: () => player.step(-10) },
      { keys: ['Shift+ArrowRight'], shown: [], does: '', act: () => player.step(10) },
      { keys: ['Home'], shown: ['Home', 'End'], does: 'To the start, the end', act: () => player.seek(0) },
      { keys: ['End'], shown: [], does: '', act: () => player.seek(player.duration) },
      { keys: ['['], shown: ['[', ']'], does: 'Previous, next clip', act: () => this.transport.chooseBeside(-1) },
      { keys: [']'], shown: [], does: '', act: () => this.transport.chooseBeside(1) },
      { keys: ['-'], shown: ['−', '+'], does: 'Slower, faster', act: () => player.changeSpeed(-1) },
      { keys: ['+', '='], shown: [], does: '', act: () => player.changeSpeed(1) },
      { keys: ['l'], shown: ['L'], does: 'Loop', act: () => player.set({ loop: !player.loop }) },
      { keys: ['s'], shown: ['S'], does: 'Skeleton', act: () => this.flip('skeleton') },
      { keys: ['w'], shown: ['W'], does: 'Wireframe', act: () => this.flip('wireframe') },
      { keys: ['g'], shown: ['G'], does: 'Grid', act: () => this.flip('grid') },
      { keys: ['m'], shown: ['M'], does: 'Morphs', act: () => this.flip('morphs') },
      { keys: ['f'], shown: ['F'], does: 'Frame the motion', act: () => this.frame() },
      { keys: ['c'], shown: ['C'], does: 'Camera follows', act: () => this.flip('follow') },
      { keys: ['b'], shown: ['B'], does: 'Light or dark', act: () => this.changeTheme() },
    ];
  }

  private frame(): void {
    const following = this.toggles.get('follow')!.getAttribute('aria-pressed') === 'true';
    this.viewport.frame(following ? this.character.extentNow() : this.extent);
  }

  private changeTheme(): void {
    this.theme = this.theme === kDark ? kLight : kDark;
    this.paint();
  }

  private paint(): void {
    document.documentElement.dataset.theme = this.theme.name;
    this.viewport.paint(this.theme);
  }
}

function apiOf(ready: Promise<ViewerPage>, page: () => ViewerPage): PageApi {
  const settled = ready.then(() => undefined);
  settled.catch(() => undefined);  // the page itself shows the sentence
  return {
    ready: settled,
    get time() { return page().player.time; },
    get playing() { return page().player.playing; },
    get clips() { return page().character.clips.map((clip) => clip.name); },
    get clip() { return page().player.clip?.name ?? null; },
    setClip(name) { page().choose(name === null ? null : page().character.clipNamed(name) ?? null); },
    setTime(seconds) { page().player.playing = false; page().player.seek(seconds); },
    play() { if (!page().player.playing) page().player.toggle(); },
    setMorph(name, value) {
      const morph = page().character.morphs.all.find((m) => `${m.group}:${m.name}` === name);
      value === null ? morph?.release() : morph?.hold(value);
      page().pose();
    },
    positions() { return page().character.positions(); },
  };
}

async function open(stage: HTMLElement, message: Message): Promise<ViewerPage> {
  try {
    message.show('Loading…');
    const options = embeddedOptions();
    const character = await Character.load(embeddedBytes('character'));
    if (character.meshes.length === 0) throw new Error('The file holds nothing to draw: no mesh is in its scene.');
    const page = new ViewerPage(stage, character, options.title, options.clip);
    page.start();
    message.hide();
    return page;
  } catch (error) {
    message.fail(error);
    throw error;
  }
}

declare global {
  interface Window { rigspace: PageApi; }
}

let page: ViewerPage | null = null;
const stage = document.getElementById('stage')!;
const opened = open(stage, new Message(stage)).then((made) => (page = made));
window.rigspace = apiOf(opened, () => {
  if (!page) throw new Error('The page is not ready; await rigspace.ready first.');
  return page;
});
