// How far a joint turns so that what hangs on it goes where a hand drags it.

import { Quaternion, Vector3 } from 'three';
import { rotationVector } from '../../soft/pose';

const kDegrees = 180 / Math.PI;

/// A joint as it stood when the hand took it. R = Q exp(r): Q is the clip's, r the controls rx ry rz on top of it.
export interface Joint {
  origin: Vector3;      ///< scene space
  grabbed: Vector3;     ///< the place that follows the pointer, scene space
  parent: Quaternion;   ///< turn of the joint's parent, to scene space
  local: Quaternion;    ///< turn of the joint in its parent
  clip: Quaternion;     ///< Q
}

/// exp(r), r in degrees.
export function turnOf(r: Vector3): Quaternion {
  const angle = r.length() / kDegrees;
  return angle === 0 ? new Quaternion() : new Quaternion().setFromAxisAngle(r.clone().normalize(), angle);
}

/// rx ry rz, degrees, with which the grabbed place lies in the direction of `target`: by the smallest turn D about the
/// origin, R = P^-1 D P local, r = log(Q^-1 R).
export function turnToward({ origin, grabbed, parent, local, clip }: Joint, target: Vector3): Vector3 {
  const from = grabbed.clone().sub(origin), to = target.clone().sub(origin);
  const turn = from.lengthSq() > 0 && to.lengthSq() > 0 ? new Quaternion().setFromUnitVectors(from.normalize(), to.normalize()) : new Quaternion();
  const turned = parent.clone().invert().multiply(turn).multiply(parent).multiply(local);
  return rotationVector(clip, turned, new Vector3()).multiplyScalar(kDegrees);
}

/// Q of a joint whose pose without the simulation is `artist`, while its controls are held at r, degrees.
export function clipTurn(artist: Quaternion, held: Vector3): Quaternion {
  return artist.clone().multiply(turnOf(held).invert());
}
