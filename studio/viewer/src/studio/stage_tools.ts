// A bar on the stage with the tools that take hold of the character; one is on at a time, or none.

import { element, iconButton } from '../ui/dom';
import { Shortcut } from '../ui/shortcuts';
import { CageHand } from './handles/cage';
import { Draw } from './handles/draw';
import { Effectors } from './handles/effectors';
import { MoveJoints } from './handles/move_joints';
import { Pull } from './handles/pull';
import { Paint } from './handles/paint';
import { Shape } from './handles/shape';
import { Studio } from './panel';
import { Tool } from './tools';

const kHintSeconds = 8;

export class StageTools {
  readonly root = element('div', { class: 'stage-tools', role: 'toolbar', 'aria-label': 'Tools' });
  private readonly hint = element('p', { class: 'tool-hint', role: 'status', hidden: true });
  private readonly tools: { tool: Tool; button: HTMLButtonElement }[];
  private on: Tool | null = null;
  private timer = 0;

  /// `changed`: another tool was taken, or none.
  constructor(studio: Studio, private readonly changed: (tool: string | null) => void) {
    this.tools = [new MoveJoints(studio), new Pull(studio), new Draw(studio), new Effectors(studio), new Shape(studio), new Paint(studio), new CageHand(studio)].map((tool) => ({ tool,
      button: iconButton(tool.icon, `${tool.title} (${tool.key.toUpperCase()}): ${tool.about}`, () => this.toggle(tool)) }));
    this.root.append(...this.tools.map(({ button }) => button), this.hint);
    studio.store.on('file', () => { if (!['draw', 'effectors', 'forces', 'weights', 'cage'].includes(this.on?.id ?? '')) this.choose(null); });  // these look at the character anew
    this.choose(null);
    addEventListener('keydown', (event) => {  // before the page's own keys, which have another Escape
      if (event.key !== 'Escape' || !this.on || (event.target as HTMLElement).matches('input, select')) return;
      event.stopPropagation();
      this.choose(null);
    }, { capture: true });
  }

  shortcuts(): Shortcut[] {
    return this.tools.map(({ tool }): Shortcut => ({ keys: [tool.key], shown: [tool.key.toUpperCase()], does: `${tool.title} on the stage`, act: () => this.toggle(tool) }));
  }

  /// By its id; null: none.
  use(id: string | null, toggle = false): void {
    const tool = this.tools.find((entry) => entry.tool.id === id)?.tool ?? null;
    tool && toggle ? this.toggle(tool) : this.choose(tool);
  }

  private toggle(tool: Tool): void { this.choose(this.on === tool ? null : tool); }

  private choose(tool: Tool | null): void {
    if (tool !== this.on) {
      this.on?.active(false);
      this.on = tool;
      tool?.active(true);
    }
    for (const entry of this.tools) entry.button.setAttribute('aria-pressed', String(entry.tool === tool));
    this.changed(tool?.id ?? null);
    this.hint.hidden = tool === null;
    this.hint.textContent = tool?.about ?? '';
    clearTimeout(this.timer);
    if (tool) this.timer = window.setTimeout(() => { this.hint.hidden = true; }, 1000 * kHintSeconds);
  }
}
