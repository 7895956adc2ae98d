// Poses that are drawn with a real mouse over the character in the studio's page.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { moduleOf } from './module.mjs';
import { openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;

describe('the pen', () => {
  const line = Array.from({ length: 60 }, (_, i) => [5 * i, 40 + (i % 2 ? 4 : -4)]);  // a hand that trembles
  test('smooths a line and leaves its ends where they are', async () => {
    const { Pen } = await moduleOf('studio/sketch/pen'), pen = new Pen();
    for (const [x, y] of line) pen.add(x, y);
    const smooth = pen.line(), off = (points) => Math.max(...points.slice(3, -3).map(([, y]) => Math.abs(y - 40)));
    assert.ok(off(smooth) < 0.2 * off(line), `${off(smooth)} against ${off(line)}`);
    for (const [a, b] of [[smooth[0], line[0]], [smooth.at(-1), line.at(-1)]]) assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 1e-9);
  });
  test('takes a tap for no line', async () => {
    const { Pen } = await moduleOf('studio/sketch/pen'), pen = new Pen();
    pen.add(10, 10), pen.add(13, 12);
    assert.deepEqual(pen.line(), []);
  });
});

describe('drawing in the studio', { skip, timeout: 600_000 }, () => {
  let page, log, close = () => {};
  before(async () => ({ page, log, close } = await openMember('bobbin')));
  after(() => close());

  const slices = () => page.evaluate(() => window.rigspace.slices());
  const positions = () => page.evaluate(() => Array.from(window.rigspace.positions()));
  const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
  async function eventually(holds) {
    while (!await holds()) await page.waitForTimeout(50);
  }
  /// The curves of the abstraction on the screen, by name.
  const lines = () => page.evaluate(() => Object.fromEntries(window.rigspace.slices().sketch_lines.curves.map(({ name, points }) =>
    [name, Array.from({ length: points.length / 3 }, (_, i) => window.rigspace.placeOnScreen(...points.slice(3 * i, 3 * i + 3)))])));
  const turned = (line, degrees) => {
    const c = Math.cos(degrees * Math.PI / 180), s = Math.sin(degrees * Math.PI / 180), [{ x: u, y: v }] = line;
    return line.map(({ x, y }) => ({ x: u + c * (x - u) - s * (y - v), y: v + s * (x - u) + c * (y - v) }));
  };
  const gap = (a, b) => a.reduce((sum, { x, y }, i) => sum + Math.hypot(x - b[i].x, y - b[i].y), 0) / a.length;
  /// Every fourth of the points, and the last one.
  const few = (line) => line.filter((_, i) => i > 0 && (i % 4 === 0 || i === line.length - 1));
  /// The character alone, without the lines that are drawn over it.
  async function picture() {
    const show = (visibility) => page.evaluate((value) => { document.querySelector('.sketch-overlay').style.visibility = value; }, visibility);
    await show('hidden');
    const shot = await page.locator('#stage canvas').first().screenshot();
    await show('');
    return shot;
  }

  /// The limb that is seen longest.
  async function limb() {
    await until(page, ({ sketch_lines: shown, sketch }) => shown.curves.length > 1 && !sketch.solving);
    const long = (line) => Math.hypot(line.at(-1).x - line[0].x, line.at(-1).y - line[0].y);
    const [, ...others] = Object.entries(await lines());
    return others.sort((a, b) => long(b[1]) - long(a[1]))[0];
  }

  test('a real stroke previews, poses the character, and undo brings it back', async () => {
    await page.selectOption('select.clip', '');
    await page.getByRole('tab', { name: 'Sketch' }).click();
    await until(page, ({ play }) => play.clip === null);
    assert.match(await page.locator('.sketch-panel').innerText(), /Draw a line along an arm/);
    const [name, before] = await limb(), line = turned(before, 24), start = await positions(), still = await picture();
    await page.mouse.move(line[0].x, line[0].y);
    await page.mouse.down();
    for (const { x, y } of few(line)) await page.mouse.move(x, y);
    await eventually(async () => apart(await positions(), start) > 1e-3);  // before the pen is lifted
    assert.deepEqual((await slices()).sketch.strokes, []);
    await page.mouse.up();
    await until(page, ({ sketch }) => sketch.strokes.length === 1 && !sketch.solving);
    const { sketch } = await slices();
    assert.equal(sketch.strokes[0].curve, name);
    assert.ok(sketch.strokes[0].reached && sketch.residual < 0.02, `${sketch.residual}`);
    await eventually(async () => gap((await lines())[name], line) < 0.25 * gap(before, line));
    assert.ok(apart(await positions(), start) > 0.02, 'points have moved');
    await eventually(async () => !(await picture()).equals(still));
    await page.getByText(/Solved in [\d.]+ ms · [\d.]+ % off/).waitFor();
    await page.getByRole('button', { name: 'Undo stroke', exact: true }).click();
    await until(page, ({ sketch: now }) => now.strokes.length === 0);
    await eventually(async () => apart(await positions(), start) < 1e-6);
    await eventually(async () => gap((await lines())[name], before) < 0.5);
  });

  test('strokes are locked, named and cleared by keyboard; another key holds another pose', async () => {
    const [name, before] = await limb(), start = await positions();
    const draw = async (line) => {
      await page.mouse.move(line[0].x, line[0].y);
      await page.mouse.down();
      for (const { x, y } of few(line)) await page.mouse.move(x, y);
      await page.mouse.up();
    };
    await draw(turned(before, 20));
    await until(page, ({ sketch }) => sketch.strokes.length === 1 && !sketch.solving);
    const lock = page.getByRole('button', { name: 'Lock stroke 1' });
    await lock.focus();
    await lock.press('Enter');
    await until(page, ({ sketch }) => sketch.strokes[0]?.locked);
    await page.getByRole('button', { name: 'Clear', exact: true }).press('Enter');
    await until(page, ({ sketch }) => !sketch.solving);
    assert.equal((await slices()).sketch.strokes.length, 1, 'a locked stroke stays');
    await page.getByRole('button', { name: 'Add key' }).click();
    await until(page, ({ play, sketch }) => play.length === 0.5 && sketch.strokes.length === 0);
    const [, now] = await limb();
    assert.ok(gap(now, before) > 5, 'the pose of the key before it');
    await draw(before);
    await until(page, ({ sketch }) => sketch.keys.length === 2 && sketch.strokes[0]?.curve === name);
    await eventually(async () => apart(await positions(), start) < 0.2 * Math.max(...start.map(Math.abs)));
    await page.keyboard.press('Escape');  // the pen is down, the panel stays
    await page.getByRole('button', { name: 'Draw', exact: true }).click();
  });

  test('without a complaint in the console', () => { assert.deepEqual(log, []); });
});
