// What the stage offers to panels.

import { Camera, Object3D, Vector3 } from 'three';

export interface Picked {
  point: number;      ///< index as in `rigspace eval`
  position: Vector3;  ///< of that point, scene space, in the pose that is seen under the pointer
  node: string;       ///< the joint with the largest weight, or the mesh's node
  candidate: number;  ///< the candidate that most of the point hangs on, or -1
}

/// What the character is drawn with while a draft of it is shown: both pictures are of the artist's pose then, and differ by the
/// draft alone. Called before every picture.
export interface Outfit {
  before(): void;
  after(): void;
}

/// hover: moved without a button. drag, up: only to the handler that claimed the `down`. click: pressed and let go in
/// place, and nobody claimed the `down`. leave: the pointer is elsewhere.
export type PointerKind = 'hover' | 'down' | 'drag' | 'up' | 'click' | 'leave';

/// True: the event is mine, nobody else sees it, and the camera keeps still until the pointer is up.
export type PointerHandler = (kind: PointerKind, event: PointerEvent) => boolean | void;

export interface StageApi {
  readonly camera: Camera;
  /// What is seen under the pointer. Null: nothing, or no character.
  pick(event: { clientX: number; clientY: number }): Picked | null;
  /// Where a point of the scene is seen: pixels of the window (clientX, clientY), in the pane that shows the soft pose.
  screenOf(position: Vector3): { x: number; y: number } | null;
  /// World position of a node in the soft pose; null where there is none of that name.
  worldOf(node: string): Vector3 | null;
  /// Scene-space position of a point in the soft pose.
  positionOf(point: number): Vector3 | null;
  /// Moves `position` to where the pointer is, in the plane through it that faces the camera.
  dragged(position: Vector3, event: { clientX: number; clientY: number }): Vector3;
  /// Drawn with the character, in scene space, until remove() is called.
  addOverlay(object: Object3D): () => void;
  /// Handlers with a larger priority come first. Selecting parts has 0.
  onPointer(handler: PointerHandler, priority: number): () => void;
  /// The next display frame draws.
  invalidate(): void;
  /// After every frame of the server that was put on: its clip's time in s.
  onFrame(listener: (time: number) => void): () => void;
}
