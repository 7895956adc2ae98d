// The page of `rigspace view`: one character, one clock.

import { Character, Clip } from './character';
import { embeddedOptions } from './embedded';
import { kFrontThreeQuarter } from './framing';
import { openPage, run } from './opening';
import { Playable, Player } from './player';
import { kDark, kLight, preferredTheme } from './theme';
import { heading, warningsOf } from './ui/heading';
import { icons } from './ui/icons';
import { MorphPanel } from './ui/morph_panel';
import { Help, listenToKeys, Shortcut, toolShortcut } from './ui/shortcuts';
import { Toolbar } from './ui/toolbar';
import { Transport } from './ui/transport';
import { Extent } from './vertices';
import { Viewport } from './viewport';

interface PageOptions {
  title: string;
  clip: string;  ///< to show first; empty for the file's first
}

/// For tests and the curious: window.rigspace.
export interface PageApi {
  ready: Promise<void>;            ///< as openPage() says
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
  private readonly help = new Help();
  private readonly tools = new Toolbar();
  private theme = preferredTheme();
  private extent: Extent;

  constructor(stage: HTMLElement, readonly character: Character, options: Partial<PageOptions>) {
    this.viewport = new Viewport(stage);
    this.morphs = new MorphPanel(character.morphs.all, () => this.pose());
    this.transport = new Transport(this.player, [...character.clips, null], (clip) => this.choose(clip));
    const clip = character.clipNamed(options.clip ?? '') ?? character.clips[0] ?? null;
    this.extent = character.extentOf(clip);
    this.viewport.show(character, this.extent);
    this.fillToolbar();
    const shortcuts = this.shortcuts();
    document.body.classList.add('shell');
    stage.append(...warningsOf(character.warnings));
    stage.before(heading(options.title ?? '', character.counts, this.tools.root));
    stage.after(this.morphs.root, this.transport.root, this.help.listing(shortcuts));
    listenToKeys(shortcuts);
    this.player.onChange(() => this.pose());
    this.player.show(clip);
    this.paint();
    this.viewport.frame(this.extent, { from: kFrontThreeQuarter, smooth: false });
    run(this.player, this.viewport);
  }

  choose(clip: Playable | null): void {
    this.extent = this.character.extentOf(clip as Clip | null);
    this.viewport.illuminate(this.extent);
    this.player.show(clip);
    if (this.viewport.framed) this.frame();
  }

  pose(): void {
    this.character.pose(this.player.clip as Clip | null, this.player.time);
    this.morphs.update();
    this.viewport.invalidate();
  }

  private fillToolbar(): void {
    const { tools, viewport } = this;
    const { joints, morphs } = this.character.counts;
    tools.addToggle('skeleton', icons.skeleton, joints ? 'Skeleton (S)' : 'This file has no skeleton',
                    (on) => { viewport.skeletonVisible = on; }, { available: joints > 0 });
    tools.addToggle('wireframe', icons.wireframe, 'Wireframe (W)', (on) => { viewport.wireframeVisible = on; });
    tools.addToggle('grid', icons.grid, 'Grid (G)', (on) => { viewport.gridVisible = on; }, { on: true });
    tools.addToggle('morphs', icons.morphs, morphs ? 'Morphs (M)' : 'This file has no morphs',
                    (on) => { this.morphs.visible = on; }, { available: morphs > 0 });
    tools.addRule();
    tools.addToggle('follow', icons.follow, joints ? 'Follow the character (C)' : 'Nothing to follow',
                    (on) => { viewport.following = on; this.frame(); }, { available: joints > 0 });
    tools.add('frame', icons.frame, 'Frame the motion (F)', () => this.frame());
    tools.add('theme', icons.theme, 'Light or dark (B)', () => this.changeTheme());
    tools.add('help', icons.help, 'Keys (?)', () => this.help.toggle());
  }

  private shortcuts(): Shortcut[] {
    return [
      ...this.transport.shortcuts(),
      toolShortcut(this.tools, 's', 'skeleton', 'Skeleton'),
      toolShortcut(this.tools, 'w', 'wireframe', 'Wireframe'),
      toolShortcut(this.tools, 'g', 'grid', 'Grid'),
      toolShortcut(this.tools, 'm', 'morphs', 'Morphs'),
      toolShortcut(this.tools, 'f', 'frame', 'Frame the motion'),
      toolShortcut(this.tools, 'c', 'follow', 'Camera follows'),
      toolShortcut(this.tools, 'b', 'theme', 'Light or dark'),
      toolShortcut(this.tools, '?', 'help', 'These keys'),
    ];
  }

  private frame(): void {
    this.viewport.frame(this.tools.pressed('follow') ? this.character.extentNow() : this.extent);
  }

  private changeTheme(): void {
    this.theme = this.theme === kDark ? kLight : kDark;
    this.paint();
  }

  private paint(): void {
    document.documentElement.dataset.theme = this.theme.name;
    this.viewport.paint(this.theme);
    this.transport.repaint();
  }
}

function apiOf(ready: Promise<void>, page: () => ViewerPage): PageApi {
  return {
    ready,
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

export function openViewer(): void {
  const { ready, page } = openPage((stage, character) => new ViewerPage(stage, character, embeddedOptions<PageOptions>()));
  (window as { rigspace?: PageApi }).rigspace = apiOf(ready, page);
}
