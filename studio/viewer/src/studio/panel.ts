// The seam of the studio: what a panel is given, and what it gives. A panel is one file in panels/ and one line in panels.ts.

import { Shortcut } from '../ui/shortcuts';
import { Theme } from '../theme';
import { Connection, SayKind } from './connection';
import { Stage } from './stage';
import { Selection, Store } from './store';

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly icon: string;   ///< SVG, as in ui/icons.ts
  readonly place: 'left' | 'right' | 'bottom';
  readonly root: HTMLElement;
  shown?(on: boolean): void;
  readonly shortcuts?: Shortcut[];
}

export interface Studio {
  readonly connection: Connection;
  readonly store: Store;
  readonly stage: Stage;
  readonly selection: Selection;
  /// A sentence for people. Errors stay until they are closed.
  say(kind: SayKind, text: string): void;
  /// Sends a command. What goes wrong is said to people; the answer is null then.
  act<Answer = Record<string, unknown>>(command: string, args?: object): Promise<Answer | null>;
  /// The same for values that follow each other quickly (Connection.stream): a slider, a drag.
  stream(key: string, command: string, args: object): void;
  readonly theme: Theme;
  /// Called at once and when light becomes dark, or the other way round.
  onTheme(listener: (theme: Theme) => void): void;
  /// Brings a panel to the front, by its id.
  show(panel: string): void;
  /// Takes a tool of the stage, by its id; null: none. `toggle`: puts it down where it is in use.
  use(tool: string | null, toggle?: boolean): void;
  /// Called when another tool was taken, or none.
  onTool(listener: (tool: string | null) => void): void;
}

export type PanelMaker = (studio: Studio) => Panel;
