// What a control is at this moment, as the last frame shows it.

import { Quaternion, Vector3 } from 'three';
import { rotationVector } from '../../soft/pose';
import { Control, FileSlice } from '../slices';

const kStride = 10, kDegrees = 180 / Math.PI;
const kAxes: Record<string, number> = { x: 0, y: 1, z: 2 };

export interface PoseNumbers {
  soft: ArrayLike<number>;
  artist: ArrayLike<number>;
}

/// In the control's unit; null where the pose does not show it (controls of a rig file). A turn is what the simulation
/// adds to the clip's, as a rotation vector.
export function presentValue(file: FileSlice, { soft, artist }: PoseNumbers, control: Control): number | null {
  if (file.kind !== 'nodes') return null;
  const morph = file.morphs.indexOf(control.name);
  if (morph >= 0) return soft[kStride * file.nodes.length + morph] ?? null;
  const channel = /\.([trs])([xyz])$/.exec(control.name), node = channel ? file.nodes.indexOf(control.node) : -1;
  if (!channel || node < 0 || control.name !== `${control.node}${channel[0]}`) return null;
  const at = kStride * node, axis = kAxes[channel[2]];
  if (at + kStride > soft.length) return null;
  if (channel[1] !== 'r') return soft[at + (channel[1] === 't' ? 0 : 7) + axis];
  const turn = (pose: ArrayLike<number>) => new Quaternion(pose[at + 3], pose[at + 4], pose[at + 5], pose[at + 6]);
  return kDegrees * rotationVector(turn(artist), turn(soft), new Vector3()).getComponent(axis);
}
