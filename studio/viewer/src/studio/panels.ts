// All panels, in the order of their tabs. A line a panel.

import { PanelMaker } from './panel';

export const kPanels: readonly PanelMaker[] = [
];
