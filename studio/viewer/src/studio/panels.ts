// All panels, in the order of their tabs. A line a panel.

import { PanelMaker } from './panel';
import { cagePanel } from './panels/cage';
import { clothPanel } from './panels/cloth';
import { controlsPanel } from './panels/controls';
import { curvesPanel } from './panels/curves';
import { effectorsPanel } from './panels/effectors';
import { exportPanel } from './panels/export';
import { filePanel } from './panels/file';
import { forcesPanel } from './panels/forces';
import { modesPanel } from './panels/modes';
import { partsPanel } from './panels/parts';
import { sketchPanel } from './panels/sketch';
import { weightsPanel } from './panels/weights';
import { worldPanel } from './panels/world';

export const kPanels: readonly PanelMaker[] = [
  filePanel,
  partsPanel,
  controlsPanel,
  worldPanel,
  modesPanel,
  sketchPanel,
  effectorsPanel,
  clothPanel,
  forcesPanel,
  weightsPanel,
  cagePanel,
  exportPanel,
  curvesPanel,
];
