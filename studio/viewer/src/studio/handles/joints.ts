// The joints that can be taken: where their handles are, and what each of them turns.

import { Object3D, Quaternion, Vector3 } from 'three';
import { Studio } from '../panel';
import { clipTurn, Joint } from './turn';

const kTip = 0.6;  // of the last bone's length: how far beyond its joint a leaf's handle is

/// A handle stands at a joint and turns the joint above it; beyond a leaf stands one that turns the leaf itself.
export interface Handle {
  joint: string;          ///< where it stands
  turns: string | null;   ///< the joint that it turns; null: of a root, which it moves
  beyond: Vector3 | null; ///< of a leaf: where it stands in the leaf's own axes
}

/// All joints of the skin that have controls to turn them; soft joints that flesh got are none of the artist's.
export function handlesOf(studio: Studio): Handle[] {
  const { model } = studio.stage, names = new Set(studio.store.get('controls')?.controls.map(({ name }) => name));
  if (!model) return [];
  const added = new Set(studio.store.get('parts')?.chosen.flatMap(({ kind, nodes }) => (kind === 'flesh' ? nodes : [])));
  const known = new Map<Object3D, string>();
  for (const joint of model.character.joints) {
    const name = model.nameOf(joint);
    if (names.has(`${name}.rx`) && !added.has(name)) known.set(joint, name);
  }
  const above = (joint: Object3D) => {
    let parent = joint.parent;
    while (parent && !known.has(parent)) parent = parent.parent;
    return parent ?? null;
  };
  const inner = new Set([...known.keys()].map(above));
  return [...known].flatMap(([joint, name]): Handle[] => {
    const parent = above(joint), own: Handle = { joint: name, turns: parent && known.get(parent)!, beyond: null };
    const tip = parent && !inner.has(joint) ? tipOf(joint, parent) : null;
    return tip ? [own, { joint: name, turns: name, beyond: tip }] : [own];
  });
}

function tipOf(joint: Object3D, parent: Object3D): Vector3 | null {
  const at = new Vector3().setFromMatrixPosition(joint.matrixWorld), from = new Vector3().setFromMatrixPosition(parent.matrixWorld);
  const way = at.clone().sub(from);
  return way.lengthSq() > 0 ? joint.worldToLocal(at.addScaledVector(way, kTip)) : null;
}

/// Scene space, in the soft pose.
export function placeOfHandle(studio: Studio, { joint, beyond }: Handle): Vector3 | null {
  const place = studio.stage.worldOf(joint);  // puts the soft pose on
  return place && beyond ? objectOf(studio, joint)!.localToWorld(beyond.clone()) : place;
}

function objectOf(studio: Studio, name: string): Object3D | undefined { return studio.stage.model?.character.nodes.get(name); }

/// The held values of a node's controls, 0 where they are free: of "rx ry rz" on top of the clip.
export function heldTurn(studio: Studio, node: string): Vector3 {
  const controls = studio.store.get('controls')?.controls ?? [];
  const held = ['rx', 'ry', 'rz'].map((channel) => controls.find(({ name }) => name === `${node}.${channel}`)?.held ?? 0);
  return new Vector3().fromArray(held);
}

/// The joint that a handle turns, as it stands now.
export function jointOf(studio: Studio, handle: Handle): Joint | null {
  const grabbed = placeOfHandle(studio, handle), name = handle.turns, object = name && objectOf(studio, name);
  const artist = name && artistTurn(studio, name);
  if (!grabbed || !object || !artist) return null;
  const parent = object.parent?.getWorldQuaternion(new Quaternion()) ?? new Quaternion();
  studio.stage.worldOf(name);
  return { origin: new Vector3().setFromMatrixPosition(object.matrixWorld), grabbed, parent, local: object.quaternion.clone(),
           clip: clipTurn(artist, heldTurn(studio, name)) };
}

function artistTurn({ stage }: Studio, node: string): Quaternion | null {
  const at = 10 * (stage.model?.file.nodes.indexOf(node) ?? -1);
  return at < 0 || at + 7 > stage.frame.artist.length ? null : new Quaternion().fromArray(stage.frame.artist, at + 3);
}

/// tx ty tz of a node that a hand drags from one place of the scene to another, on top of what they are.
export function shiftedControls(studio: Studio, node: string, from: Vector3, to: Vector3): { start: Vector3; shift: Vector3 } | null {
  const object = objectOf(studio, node), at = 10 * (studio.stage.model?.file.nodes.indexOf(node) ?? -1);
  if (!object || at < 0) return null;
  const parent = object.parent;
  const local = (place: Vector3) => (parent ? parent.worldToLocal(place.clone()) : place.clone());
  return { start: new Vector3().fromArray(studio.stage.frame.artist, at), shift: local(to).sub(local(from)) };
}
