// The panel Weights: a joint is chosen, weights are computed and painted, taken back, and kept; the skin follows.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { moduleOf } from './module.mjs';
import { coloured } from './page.mjs';
import { opened, openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;
const kYellow = [[170, 150, 0], [255, 255, 165]];  // a weight near 1, as the least and the most of red, green and blue
const kWhole = [0, 1, 0, 1];

/// weights.bin of studio/PROTOCOL.md; `lists`: per point joint, weight, joint, weight ..
function bytesOf(version, lists) {
  const entries = lists.flatMap((list) => list.flatMap((_, k) => (k % 2 === 0 ? [[list[k], list[k + 1]]] : [])));
  const starts = lists.reduce((all, list) => [...all, all.at(-1) + list.length / 2], [0]);
  const view = new DataView(new ArrayBuffer(12 + 4 * (starts.length + 2 * entries.length)));
  [version, lists.length, entries.length, ...starts, ...entries.map(([joint]) => joint)].forEach((value, i) => view.setUint32(4 * i, value, true));
  entries.forEach(([, weight], i) => view.setFloat32(12 + 4 * (starts.length + entries.length + i), weight, true));
  return view.buffer;
}

describe('weights that arrive', () => {
  const lists = [[0, 0.25, 3, 0.75], [], [2, 1], [0, 0.1, 1, 0.2, 2, 0.3, 3, 0.2, 4, 0.2]];
  let WeightLists;
  before(async () => ({ WeightLists } = await moduleOf('studio/weights/lists')));

  test('are read as they are, the largest first; a point without a skin has none', () => {
    const read = WeightLists.read(bytesOf(7, lists));
    assert.deepEqual([read.version, read.points], [7, 4]);
    assert.deepEqual(read.at(0), [{ joint: 3, weight: 0.75 }, { joint: 0, weight: 0.25 }]);
    assert.deepEqual(read.at(1), []);
    assert.equal(read.at(3).length, 5);
    assert.deepEqual([read.weightOf(0, 0), read.weightOf(0, 1), read.weightOf(1, 0)], [0.25, 0, -1]);
    assert.deepEqual(read.counts(5), [2, 1, 2, 2, 1]);
  });

  test('change by what a stroke answers', () => {
    const read = WeightLists.read(bytesOf(7, lists));
    read.set(2, [1, 0.5, 4, 0.5]);
    assert.deepEqual(read.at(2).map(({ joint }) => joint).sort(), [1, 4]);
    assert.equal(read.weightOf(2, 2), 0);
    assert.deepEqual(read.at(0).map(({ joint }) => joint), [3, 0]);
  });

  test('that are cut short are refused', () => {
    const bytes = bytesOf(7, lists);
    for (const length of [12, 40, bytes.byteLength - 4]) assert.throws(() => WeightLists.read(bytes.slice(0, length)));
  });
});

describe('weights in the studio', { skip, timeout: 600_000 }, () => {
  let page, log, browser, close = () => {};
  before(async () => ({ page, log, browser, close } = await openMember('arm')));
  after(() => close());

  const slices = () => page.evaluate(() => window.rigspace.slices());
  const weights = async () => (await slices()).weights;
  const positions = () => page.evaluate(() => Array.from(window.rigspace.positions()));
  const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
  const yellows = async () => (await coloured(browser, page.locator('#stage'), [kWhole], kYellow))[0];
  const yellow = async () => (await yellows()).part;
  async function eventually(holds, what) {
    const end = Date.now() + 60000;
    while (!await holds()) {
      assert.ok(Date.now() < end, what);
      await page.waitForTimeout(100);
    }
  }
  const choose = async (name) => {
    await page.getByRole('option', { name, exact: true }).click();
    await page.locator('.weights-legend b').filter({ hasText: name }).waitFor();
  };
  let joints;

  test('a joint of the list, or of the skeleton, is on the skin as colours', async () => {
    await page.getByRole('button', { name: 'Single' }).click();
    await page.getByRole('tab', { name: 'Weights' }).click();
    await until(page, ({ weights }) => weights.state === 'ready');
    await page.locator('.weights-legend').waitFor();
    joints = (await weights()).joints.map(({ name }) => name);
    const shown = await page.locator('.joint-row').allInnerTexts();
    assert.deepEqual([...shown].sort(), [...joints].sort());
    const seen = {};
    for (const name of joints) {
      await choose(name);
      await page.waitForTimeout(400);
      seen[name] = await yellows();
    }
    const all = Object.values(seen), middles = all.map(({ x }) => x).sort((a, b) => a - b);
    assert.ok(all.every(({ part }) => part > 0.003), JSON.stringify(seen));
    assert.ok(middles.every((x, k) => k === 0 || x > middles[k - 1] + 0.05), `each somewhere else: ${JSON.stringify(seen)}`);
    const { x, y } = await page.evaluate((name) => window.rigspace.nodeOnScreen(name), joints[0]);
    await page.mouse.click(x, y);
    await page.locator('.weights-legend b').filter({ hasText: joints[0] }).waitFor();
    await page.getByRole('searchbox', { name: 'Search joints' }).fill('no such joint');
    assert.equal(await page.locator('.joint-row').count(), 0);
    await page.getByRole('searchbox', { name: 'Search joints' }).fill('');
  });

  test('a point of the skin says what it follows', async () => {
    const i = Math.floor((await slices()).file.points / 2), { x, y } = await page.evaluate((i) => window.rigspace.pointOnScreen(i), i);
    await page.mouse.move(x + 1, y);
    await page.mouse.move(x, y);
    await page.locator('.weights-tip .weight-row').first().waitFor();
    const numbers = (await page.locator('.weights-tip .number').allInnerTexts()).map(Number);
    assert.ok(Math.abs(numbers.reduce((a, b) => a + b, 0) - 1) < 0.03, numbers.join());
  });

  test('weights by another method move the skin after, not before, and undo brings the file’s back', async () => {
    const clip = (await slices()).file.clips[0].name;
    await page.selectOption('select.clip', clip);
    await until(page, ({ play }) => play.clip !== null);
    await page.locator('.ruler').click({ position: { x: 300, y: 20 } });
    await eventually(async () => apart(await positions(), await page.evaluate(() => Array.from(window.rigspace.beforePositions()))) < 1e-6, 'both pictures show the artist’s pose');
    const start = await positions();
    await page.getByRole('combobox', { name: 'Method' }).selectOption('nearest');
    await page.getByRole('button', { name: 'Compute' }).click();
    await until(page, ({ weights: { state, method } }) => state === 'ready' && method === 'nearest');
    await eventually(async () => apart(await positions(), start) > 1e-3, 'the skin follows the nearest bones');
    assert.ok(apart(await page.evaluate(() => Array.from(window.rigspace.beforePositions())), start) < 1e-6);
    await until(page, ({ weights }) => weights.difference !== null);
    await page.getByText(/^[\d.]+ % of the swing from the file’s/).waitFor();
    assert.match((await weights()).command, /^rigspace rig weights \S*arm\.glb --method nearest -o \S*arm\.weights\.glb$/);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await eventually(async () => apart(await positions(), start) < 1e-6, 'undone');
  });

  test('a brush paints where it goes, in one step', async () => {
    await page.selectOption('select.clip', '');
    await until(page, ({ play }) => play.clip === null);
    await page.waitForTimeout(500);
    const last = joints.at(-1);
    await choose(last);
    await page.waitForTimeout(500);
    const before = await yellow(), { version } = await weights();
    await page.getByRole('radio', { name: 'Add' }).click();
    const strength = page.getByRole('textbox', { name: 'Strength' });
    await strength.fill('1');
    await strength.press('Enter');
    const from = await page.evaluate(() => {
      const p = window.rigspace.positions();
      let best = 0;  // in front, along the upper arm
      for (let i = 0; i < p.length / 3; ++i) if (Math.abs(p[3 * i] - 0.15) < 0.05 && p[3 * i + 2] > p[3 * best + 2]) best = i;
      return window.rigspace.pointOnScreen(best);
    });
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let k = 1; k <= 12; ++k) {
      await page.mouse.move(from.x + 5 * k, from.y);
      await page.waitForTimeout(30);
    }
    await eventually(async () => (await weights()).version > version + 1, 'it paints before the button is released');
    await page.mouse.up();
    await until(page, ({ weights: { painted, undo, stored, version: now } }) => painted && undo === 1 && stored === now);
    await eventually(async () => await yellow() > before + 0.002, 'the painted skin is yellow');
    await page.getByText('Painting has no command: Keep writes the file.').waitFor();
    if (process.env.RIGSPACE_PICTURE) await page.screenshot({ path: process.env.RIGSPACE_PICTURE });
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await until(page, ({ weights: { undo } }) => undo === 0);
    await eventually(async () => await yellow() < before + 0.001, 'undone');
    await page.getByRole('button', { name: 'Redo', exact: true }).last().click();
    await until(page, ({ weights: { undo } }) => undo === 1);
  });

  test('what is kept opens with its weights', async () => {
    const painted = await page.evaluate(async () => new Uint32Array(await (await fetch(`/weights/draft.bin${location.search}`)).arrayBuffer()).slice(1).join());
    await page.getByRole('button', { name: 'Keep' }).click();
    await until(page, ({ file, weights: { state } }) => file?.name === 'arm.weights.glb' && state === 'ready');
    await opened(page);
    const kept = await page.evaluate(async () => {
      const bytes = await (await fetch(`/weights/file.bin${location.search}`)).arrayBuffer();
      return { same: new Uint32Array(bytes).slice(1).join(), entries: new Uint32Array(bytes)[2] };
    });
    const entries = Number(painted.split(',')[1]);
    assert.ok(Math.abs(kept.entries - entries) <= 0.001 * entries, `${kept.entries} of ${entries} influences`);
    await page.getByText('These are the file’s own weights.').waitFor();
    assert.deepEqual(log, []);
  });
});
