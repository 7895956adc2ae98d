// The curve editor's mathematics: evaluation, edits, what is under the pointer.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { moduleOf } from './module.mjs';

let hermite, edits, hit, view;
before(async () => {
  [hermite, edits, hit, view] = await Promise.all(['hermite', 'edits', 'hit', 'view'].map((name) => moduleOf(`studio/curves/${name}`)));
});

const key = (time, value, slope = 0, mode = 'free') => ({ time, value, in: slope, out: slope, mode });
const kField = { left: 40, top: 10, width: 400, height: 200 }, kView = { from: 0, to: 2, low: -10, high: 10 };  // 200 px/s, 10 px/unit
const close = (actual, expected, tolerance = 1e-9) => assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} for ${expected}`);
const cubic = (t) => t ** 3 - 2 * t ** 2 + 0.5 * t + 1, cubicSlope = (t) => 3 * t ** 2 - 4 * t + 0.5;
const wave = () => [0, 0.4, 1.1, 2].map((t) => key(t, cubic(t), cubicSlope(t)));

describe('a curve', () => {
  test('is any cubic whose values and slopes its keys have', () => {
    for (let t = 0; t <= 2; t += 0.05) {
      close(hermite.curveAt(wave(), t).value, cubic(t));
      if (t < 2) close(hermite.curveAt(wave(), t).slope, cubicSlope(t), 1e-8);
    }
  });

  test('is constant outside its keys', () => {
    assert.deepEqual(hermite.curveAt(wave(), -1), { value: 1, slope: 0 });
    assert.deepEqual(hermite.curveAt(wave(), 3), { value: 2, slope: 0 });
    assert.deepEqual(hermite.curveAt([], 1), { value: 0, slope: 0 });
  });

  test('takes the slope of either side where a key has two', () => {
    const keys = [key(0, 0), { ...key(1, 0), in: 1, out: -3 }, key(2, 0)];
    close(hermite.curveAt(keys, 1 - 1e-7).slope, 1, 1e-5);
    close(hermite.curveAt(keys, 1 + 1e-7).slope, -3, 1e-5);
  });

  test('is drawn as the path that is its graph', () => {
    const [a, b] = [key(0.5, 2, 3), key(1.4, -1, -2)];
    const [c, d] = hermite.bezierOf(a, b);
    const mix = (p, s) => (1 - s) ** 3 * p[0] + 3 * s * (1 - s) ** 2 * p[1] + 3 * s * s * (1 - s) * p[2] + s ** 3 * p[3];
    for (const s of [0.1, 0.35, 0.8]) {
      const time = mix([a.time, c.time, d.time, b.time], s);
      close(mix([a.value, c.value, d.value, b.value], s), hermite.curveAt([a, b], time).value);
    }
  });

  test('with automatic slopes does not pass beyond its keys', () => {
    const keys = hermite.withSlopes([[0, 0], [0.5, 0.1], [0.6, 5], [1, 5.2], [2, -3]].map(([t, v]) => key(t, v, 9, 'auto')));
    assert.ok(keys[1].out > 0);
    assert.equal(keys[3].out, 0, 'an extremum is level');
    for (let i = 0; i + 1 < keys.length; ++i)
      for (let s = 0; s <= 1; s += 0.05) {
        const { value } = hermite.curveAt(keys, keys[i].time + s * (keys[i + 1].time - keys[i].time));
        assert.ok(value >= Math.min(keys[i].value, keys[i + 1].value) - 1e-9 && value <= Math.max(keys[i].value, keys[i + 1].value) + 1e-9);
      }
  });

  test('shows by its slopes how they are kept', () => {
    const auto = (keys) => hermite.autoSlope(keys, 1);
    const keys = [key(0, 0), key(1, 1), key(2, 3)];
    const slope = auto(keys);
    assert.deepEqual(hermite.withModes([keys[0], key(1, 1, slope), key(2, 3, 0.7)]).map(({ mode }) => mode), ['flat', 'auto', 'free']);
  });
});

describe('an edit', () => {
  test('moves the selected keys together', () => {
    const moved = edits.moveKeys(wave(), new Set([1, 2]), 0.1, 3, 2);
    assert.deepEqual(moved.map(({ time }) => time), [0, 0.5, 1.2000000000000002, 2]);
    close(moved[1].value, cubic(0.4) + 3);
    assert.equal(moved[0].value, 1);
  });

  test('keeps the order of keys, and the clip’s ends', () => {
    close(edits.moveKeys(wave(), new Set([1]), 5, 0, 2)[1].time, 1.1 - edits.kLeastGap);
    close(edits.moveKeys(wave(), new Set([1]), -5, 0, 2)[1].time, edits.kLeastGap);
    const all = edits.moveKeys(wave(), new Set([0, 1, 2, 3]), 0.5, 0, 2);
    assert.deepEqual(all.map(({ time }) => time), [0, 0.4, 1.1, 2], 'there is no room to either side');
  });

  test('that inserts a key does not change the curve', () => {
    const keys = hermite.withSlopes([[0, 0], [1, 2], [2, 5], [3, 4]].map(([t, v]) => key(t, v, 0, 'auto')));
    const { keys: more, selected } = edits.insertKey(keys, 1.3);
    assert.deepEqual([more.length, [...selected]], [5, [2]]);
    for (let t = 0; t <= 3; t += 0.1) close(hermite.curveAt(more, t).value, hermite.curveAt(keys, t).value);
    for (let t = 0; t <= 3; t += 0.1) close(hermite.curveAt(hermite.withSlopes(more), t).value, hermite.curveAt(keys, t).value);
    assert.equal(edits.insertKey(more, 1.3).keys.length, 5, 'on a key there is one already');
  });

  test('that inserts a key leaves one and the same curve; one that moves it does not', () => {
    const { keys } = edits.insertKey(wave(), 0.7), times = Array.from({ length: 41 }, (_, i) => 0.05 * i);
    assert.ok(hermite.sameCurve(wave(), keys, times));
    assert.ok(!hermite.sameCurve(wave(), edits.moveKeys(keys, new Set([2]), 0, 0.1, 2), times));
  });

  test('that removes all keys leaves one', () => {
    assert.deepEqual(edits.removeKeys(wave(), new Set([1, 2])).keys.map(({ time }) => time), [0, 2]);
    assert.equal(edits.removeKeys(wave(), new Set([0, 1, 2, 3])).keys.length, 1);
  });

  test('turns both sides of a tangent, or one alone', () => {
    const [, both] = edits.setSlope(wave(), 1, 'in', 7, false), [, one] = edits.setSlope(wave(), 1, 'in', 7, true);
    assert.deepEqual([both.in, both.out, both.mode], [7, 7, 'free']);
    assert.equal(one.in, 7);
    close(one.out, cubicSlope(0.4));
  });

  test('of one key lets automatic neighbours follow', () => {
    const keys = hermite.withSlopes([key(0, 0, 0, 'auto'), key(1, 1, 0, 'auto'), key(2, 2, 0, 'auto')]);
    const moved = edits.setKey(keys, 2, { value: 3 }, 2);
    assert.equal(keys[1].out, 1);
    assert.equal(moved[1].out, 1.5);
    assert.equal(edits.setModes(moved, new Set([1]), 'flat')[1].out, 0);
  });

  test('is sent without what the page alone needs', () => {
    assert.deepEqual(edits.plain([key(1, 2, 3, 'auto')]), [{ time: 1, value: 2, in: 3, out: 3 }]);
  });
});

describe('the pointer', () => {
  const at = (time, value, dx = 0, dy = 0) => ({ x: 40 + 200 * time + dx, y: 110 - 10 * value + dy });
  const keys = [key(0, 0), key(1, 5), key(2, -5)];
  const test_ = (where, selected = []) => hit.hitTest(kView, kField, keys, new Set(selected), where);

  test('finds a key within eight pixels', () => {
    assert.deepEqual(test_(at(1, 5, 5, 5)), { kind: 'key', index: 1 });
    assert.equal(test_(at(1, 5, 0, -9)), null);
  });

  test('finds the tangents of selected keys alone', () => {
    const end = hit.tangentEnd(kView, kField, keys[1], 'out');
    close(end.x, at(1, 5).x + hit.kTangentPixels);
    assert.deepEqual(test_(end, [1]), { kind: 'tangent', index: 1, side: 'out' });
    assert.notEqual(test_(end)?.kind, 'tangent');
    assert.notEqual(test_(hit.tangentEnd(kView, kField, keys[2], 'out'), [2])?.kind, 'tangent', 'the curve ends there');
  });

  test('turns a tangent to where it is', () => {
    for (const [side, where, slope] of [['out', at(1.1, 6), 10], ['in', at(0.9, 6), -10]]) {
      close(hit.slopeTo(kView, kField, keys[1], side, where), slope, 1e-6);
      const turned = { ...keys[1], [side]: slope }, end = hit.tangentEnd(kView, kField, turned, side);
      close(hit.slopeTo(kView, kField, turned, side, end), slope, 1e-6);
    }
    assert.ok(Number.isFinite(hit.slopeTo(kView, kField, keys[1], 'out', at(0.5, 9))));
  });

  test('finds the curve across its direction, steep or level', () => {
    const { value } = hermite.curveAt(keys, 0.5);
    assert.deepEqual(test_(at(0.5, value, 0, 6)), { kind: 'curve', time: 0.5 });
    assert.equal(test_(at(0.5, value, 0, 30)), null);
    const steep = [key(0, -9), key(0.1, 9)];
    assert.equal(hit.hitTest(kView, kField, steep, new Set(), at(0.05, 0, 0, 25))?.kind, 'curve');
  });

  test('takes all keys of a box, from any corner', () => {
    assert.deepEqual([...hit.keysInBox(kView, kField, keys, at(2.1, 6), at(0.9, -6))], [1, 2]);
  });
});

describe('the view', () => {
  test('goes from pixels to values and back', () => {
    close(view.timeOf(kView, kField, view.xOf(kView, kField, 0.7)), 0.7);
    close(view.valueOf(kView, kField, view.yOf(kView, kField, -3)), -3);
  });

  test('zooms about the pointer, and pans with it', () => {
    const nearer = view.zoomed(kView, 0.5, { time: 0.5, value: 5 });
    close(view.xOf(nearer, kField, 0.5), view.xOf(kView, kField, 0.5));
    close(view.yOf(nearer, kField, 5), view.yOf(kView, kField, 5));
    close(nearer.to - nearer.from, 1);
    assert.deepEqual(view.zoomed(kView, 0.5, { time: 0.5, value: null }).low, -10);
    const moved = view.panned(kView, kField, 20, 30);
    close(view.xOf(moved, kField, 1), view.xOf(kView, kField, 1) + 20);
    close(view.yOf(moved, kField, 1), view.yOf(kView, kField, 1) + 30);
  });

  test('frames all points, and a level curve as level', () => {
    const all = view.framing(wave(), 0);
    for (const { time, value } of wave()) assert.ok(all.from < time && time < all.to && all.low < value && value < all.high);
    const level = view.framing([key(0, 3), key(1, 3)], 1);
    assert.ok(level.low <= 2.5 && level.high >= 3.5);
  });

  test('has round ticks', () => {
    assert.deepEqual([view.tickStep(10, 5), view.tickStep(7, 5), view.tickStep(0.9, 5)], [2, 2, 0.2]);
    assert.deepEqual(view.ticks(-0.5, 1.05, 0.5).map((tick) => view.tickText(tick, 0.5)), ['−0.5', '0.0', '0.5', '1.0']);
  });
});
