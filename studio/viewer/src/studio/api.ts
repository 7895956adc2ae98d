// window.rigspace of the studio, for tests and the curious.

import { Vector3 } from 'three';
import { Connection } from './connection';
import { Slices } from './slices';
import { Stage } from './stage';
import { Store } from './store';

export interface StudioApi {
  ready: Promise<void>;         ///< the state has come, and the open character is drawn
  readonly connected: boolean;
  slices(): Readonly<Partial<Slices>>;
  stats(): {
    framesPerSecond: number;    ///< that arrived, over the last 2 s
    latencies: number[];        ///< ms from a hand's input until the first frame with its change arrived; the last 500
    seenLatencies: number[];    ///< the same until the page's own thread had that frame
    drawnPerSecond: number;     ///< pictures, over the last 2 s
  };
  positions(): Float64Array;        ///< x y z of every point, soft pose, scene space, in the order of `rigspace eval`
  beforePositions(): Float64Array;  ///< the same of the artist's pose
  pointOnScreen(point: number): { x: number; y: number } | null;  ///< of the soft pose, pixels of the window
  placeOnScreen(x: number, y: number, z: number): { x: number; y: number } | null;  ///< of a point of the scene
  nodeOnScreen(node: string): { x: number; y: number } | null;  ///< of a joint in the soft pose
}

export function apiOf(connection: Connection, store: Store, stage: Stage): StudioApi {
  return {
    ready: readiness(store, stage),
    get connected() { return connection.connected; },
    slices: () => store.all(),
    stats: () => ({ framesPerSecond: connection.latencies.framesPerSecond(), latencies: [...connection.latencies.ms],
                    seenLatencies: [...connection.latencies.seen],
                    drawnPerSecond: stage.drawnPerSecond() }),
    positions: () => stage.softPositions(),
    beforePositions: () => stage.artistPositions(),
    pointOnScreen: (point) => {
      const position = stage.positionOf(point);
      return position && stage.screenOf(position);
    },
    placeOnScreen: (x, y, z) => stage.screenOf(new Vector3(x, y, z)),
    nodeOnScreen: (node) => {
      const position = stage.worldOf(node);
      return position && stage.screenOf(position);
    },
  };
}

function readiness(store: Store, stage: Stage): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const file = store.get('file');
      if (file === null || (file && stage.model?.revision === file.revision && stage.frame.revision === file.revision)) resolve();
      else requestAnimationFrame(look);
    };
    look();
  });
}
