// What the studio's panels compute without a browser: lists of controls, their values, colliders, joints that a hand turns.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { moduleOf } from './module.mjs';

let tree, present, colliders, turn, units, list;
before(async () => {
  [tree, present, colliders, turn, units, list] = await Promise.all(
    ['controls/tree', 'controls/present', 'world/colliders', 'handles/turn', 'units', 'curves/control_list'].map((name) => moduleOf(`studio/${name}`)));
});

const control = (name, more = {}) => ({ name, node: name.split(/[.:]/)[0], group: '', unit: 'angle', rest: 0, min: null, max: null,
                                        keyed: false, free: false, stiffness: 1, held: null, ...more });
const close = (actual, expected, tolerance = 1e-9) => assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} for ${expected}`);

describe('the list of controls', () => {
  const rig = () => [...['rx', 'ry', 'rz'].map((c) => control(`tail.${c}`, { group: 'Body' })), control('Jaw.rx', { group: 'Face', held: 3 })];
  const labels = (rows) => rows.map((row) => row.label);

  test('has groups, nodes, and controls under them', () => {
    assert.deepEqual(labels(tree.rowsOf(rig(), '', 'all', new Set())), ['Body', 'tail', 'rx', 'ry', 'rz', 'Face', 'Jaw.rx']);
    assert.deepEqual(labels(tree.rowsOf(rig(), '', 'all', new Set(['group Body']))), ['Body', 'Face', 'Jaw.rx']);
    assert.deepEqual(labels(tree.rowsOf(rig(), '', 'held', new Set())), ['Face', 'Jaw.rx']);
  });

  test('finds a part of a name, or a pattern as commands take them', () => {
    const found = (text) => rig().filter(tree.matcherOf(text)).map(({ name }) => name);
    assert.deepEqual(found('jaw'), ['Jaw.rx']);
    assert.deepEqual(found('tail.r?'), ['tail.rx', 'tail.ry', 'tail.rz']);
    assert.deepEqual(found('*.rx'), ['tail.rx', 'Jaw.rx']);
    assert.deepEqual(found('tail*x'), ['tail.rx']);
    assert.deepEqual(found('t?il'), ['tail.rx', 'tail.ry', 'tail.rz'], 'the node counts');
    assert.deepEqual(tree.patternOf('jaw', rig()), { pattern: '*Jaw*', found: 1 }, 'capitals count in commands');
    assert.deepEqual(tree.patternOf('tail.r?', rig()), { pattern: 'tail.r?', found: 3 });
    assert.deepEqual(tree.patternOf('TAIL', [...rig(), control('Tail2.rx')]), { pattern: '*?ail*', found: 4 });
  });

  test('makes only the rows that are seen', () => {
    const rows = tree.rowsOf(Array.from({ length: 642 }, (_, i) => control(`node${i}.rx`)), '', 'all', new Set());
    const offsets = tree.offsetsOf(rows), [first, end] = tree.seenRows(offsets, 3000, 600, 0);
    assert.equal(rows.length, 642);
    assert.ok(offsets[first] <= 3000 && offsets[first + 1] > 3000 && offsets[end] >= 3600);
    assert.ok(end - first < 25, `${end - first}`);
    assert.deepEqual(tree.seenRows(offsets, offsets[642] - 100, 600)[1], 642);
    assert.deepEqual(tree.seenRows([0], 0, 600), [0, 0]);
  });

  test('of curves has the simulated ones first', () => {
    const rig = [control('hip.rx'), control('tail.tx'), control('tail.rx', { free: true }), control('fin.rx', { free: true })];
    const names = (controls, nodes, text = '') => list.listedControls(controls, nodes, ['tail'], text).map(({ control: { name } }) => name);
    assert.deepEqual(names(rig, null), ['tail.rx', 'fin.rx', 'tail.tx']);
    assert.deepEqual(names(rig, ['tail']), ['tail.rx', 'tail.tx']);
    assert.deepEqual(names(rig, ['tail'], 'rx'), ['tail.rx', 'fin.rx', 'hip.rx']);
    const unfree = rig.map((one) => ({ ...one, free: false }));
    assert.deepEqual(list.listedControls(unfree, null, ['tail'], '').map(({ simulated }) => simulated), [true, true], 'nodes of parts move');
  });
});

describe('a control', () => {
  const file = { kind: 'nodes', nodes: ['hip', 'tail'], morphs: ['body:wide'] };
  const half = Math.SQRT1_2;
  const artist = [0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 2, 0, half, 0, half, 1, 1, 1, 0];
  const turned = [0, 1.5, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 2, 0, 1, 0, 0, 1, 1, 1, 0.25];

  test('has the value that the frame shows', () => {
    const value = (name) => present.presentValue(file, { soft: turned, artist }, control(name));
    assert.equal(value('hip.ty'), 1.5);
    assert.equal(value('tail.sx'), 1);
    assert.equal(value('body:wide'), 0.25);
    close(value('tail.ry'), 90, 1e-6);
    close(value('tail.rx'), 0, 1e-6);
    assert.equal(value('smile'), null);
  });

  test('has a slider as long as its limits, and its value inside', () => {
    assert.deepEqual(units.sliderRange(control('a', { min: -20, max: 45 }), 10, 1), { min: -20, max: 45 });
    assert.deepEqual(units.sliderRange(control('a'), 200, 1), { min: -180, max: 200 });
    assert.deepEqual(units.sliderRange(control('a', { unit: 'length', rest: 1 }), 1, 2), { min: 0.5, max: 1.5 });
  });

  test('is read and written as people do', () => {
    assert.deepEqual(['1,5', '−2°', ' 3 s ', 'x', ''].map(units.numberOf), [1.5, -2, 3, null, null]);
    assert.deepEqual([units.numberText(-0.0001), units.numberText(-12.345), units.numberText(1234.56)], ['0.00', '−12.35', '1234.6']);
  });
});

describe('a collider', () => {
  test('is the word of the command', () => {
    const word = 'capsule:0,0.5,0,1,0.5,0,0.25';
    assert.equal(colliders.wordOf(colliders.shapeOf(word)), word);
    assert.deepEqual(colliders.shapeOf('sphere:1,2,3,0.5'), { kind: 'sphere', numbers: [1, 2, 3, 0.5] });
    assert.deepEqual(['self', 'other.glb', 'sphere:1,2', 'sphere:1,2,x,4'].map(colliders.shapeOf), [null, null, null, null]);
    const body = { min: { x: -1, y: 0, z: -1 }, max: { x: 1, y: 2, z: 1 } };
    assert.equal(colliders.shapeOf(colliders.wordOf(colliders.newShape('capsule', body))).numbers.length, 7);
    const [, , z, r] = colliders.newShape('sphere', body).numbers;
    assert.ok(z - r > 1, 'a new one stands before the body');
  });
});

describe('a joint', () => {
  let Vector3;
  before(async () => { ({ Vector3 } = await import('../../studio/viewer/node_modules/three/build/three.module.js')); });
  const vector = (x, y, z) => new Vector3(x, y, z);
  const still = () => {
    const none = turn.turnOf(vector(0, 0, 0));
    return { origin: vector(0, 0, 0), grabbed: vector(1, 0, 0), parent: none, local: none, clip: none };
  };

  test('turns by the angle between what is grabbed and the pointer', () => {
    const r = turn.turnToward(still(), vector(0, 5, 0));
    close(r.x, 0, 1e-6); close(r.y, 0, 1e-6); close(r.z, 90, 1e-6);
  });

  test('turns in its own axes, on top of its clip', () => {
    const parent = turn.turnOf(vector(0, 90, 0)), clip = turn.turnOf(vector(0, 0, 30)), local = clip.clone();
    const origin = vector(1, 2, 3), bone = vector(0, 1, 0);
    const place = (rotation) => bone.clone().applyQuaternion(rotation).applyQuaternion(parent).add(origin);
    const target = place(clip.clone().multiply(turn.turnOf(vector(25, 0, 0))));
    const r = turn.turnToward({ origin, grabbed: place(local), parent, local, clip }, target);
    const reached = place(clip.clone().multiply(turn.turnOf(r)));
    close(reached.distanceTo(target), 0, 1e-9);
    assert.ok(r.length() > 20);
  });

  test('that is held already starts from its clip again', () => {
    const held = vector(10, -20, 5), clip = turn.turnOf(vector(3, 40, -8)), artist = clip.clone().multiply(turn.turnOf(held));
    close(Math.abs(turn.clipTurn(artist, held).dot(clip)), 1, 1e-12);
    const joint = { ...still(), local: artist, clip: turn.clipTurn(artist, held), grabbed: vector(0, 1, 0) };
    const same = turn.turnToward(joint, vector(0, 2, 0));  // the pointer has not left the bone's line
    close(same.distanceTo(held), 0, 1e-6);
  });
});
