// All panels, in the order of their tabs. A line a panel.

import { PanelMaker } from './panel';
import { filePanel } from './panels/file';
import { partsPanel } from './panels/parts';

export const kPanels: readonly PanelMaker[] = [
  filePanel,
  partsPanel,
];
