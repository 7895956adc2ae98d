// Full-body IK in the studio's page: effectors that are dragged with a real mouse.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;

describe('effectors in the studio', { skip, timeout: 600_000 }, () => {
  let page, log, close = () => {};
  before(async () => ({ page, log, close } = await openMember('toon')));
  after(() => close());

  const slice = async () => (await page.evaluate(() => window.rigspace.slices())).effectors;
  const positions = () => page.evaluate(() => Array.from(window.rigspace.positions()));
  const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
  const joint = async (name) => (await slice()).effectors.find((each) => each.name === name).joint;
  const onScreen = async (name) => page.evaluate((node) => window.rigspace.nodeOnScreen(node), await joint(name));
  async function eventually(holds) {
    while (!await holds()) await page.waitForTimeout(50);
  }
  /// With the real mouse, in steps of a few pixels; the button stays down.
  async function take(name, dx, dy, steps = 12) {
    const { x, y } = await onScreen(name);
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= steps; ++k) await page.mouse.move(x + (dx * k) / steps, y + (dy * k) / steps);
    return { x: x + dx, y: y + dy };
  }

  test('a hand that is dragged takes the body along, feet stay, and the pose is one step to undo', async () => {
    await page.selectOption('select.clip', '');
    await until(page, ({ play }) => play.clip === null);
    await page.getByRole('tab', { name: 'Body' }).click();
    await until(page, ({ effectors }) => effectors.state === 'ready');
    assert.deepEqual((await slice()).effectors.map(({ name, pinned }) => [name, pinned]).sort(),
      ['chest', 'head', 'hips', 'left foot', 'left hand', 'right foot', 'right hand'].map((name) => [name, true]));
    for (const name of ['chest', 'head']) await page.getByRole('button', { name, exact: true }).click();  // these go along
    await until(page, ({ effectors: { effectors } }) => effectors.filter(({ pinned }) => !pinned).length === 2);
    const start = await positions(), feet = [await onScreen('left foot'), await onScreen('right foot')];
    const goal = await take('left hand', -30, -70);
    await eventually(async () => apart(await positions(), start) > 0.02);  // before the button is released
    assert.deepEqual((await slice()).keys, []);
    await page.mouse.up();
    await until(page, ({ effectors }) => effectors.keys.length === 1 && effectors.dragged === null);
    const off = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
    await eventually(async () => off(await onScreen('left hand'), goal) < 6);
    for (const [k, name] of ['left foot', 'right foot'].entries()) assert.ok(off(await onScreen(name), feet[k]) < 3, name);
    assert.equal((await page.evaluate(() => window.rigspace.slices())).history.undo.at(-1), 'drag the left hand');
    await page.getByText(/updates a second · [\d.]+ ms each · [\d.]+ % off/).waitFor();
    await page.keyboard.press('Control+z');
    await until(page, ({ effectors }) => effectors.keys.length === 0);
    await eventually(async () => apart(await positions(), start) < 1e-6);
  });

  test('in a clip the pose is a correction of that time; Escape while dragging leaves nothing', async () => {
    const { clips } = (await page.evaluate(() => window.rigspace.slices())).file;
    await page.selectOption('select.clip', clips[0].name);
    await until(page, ({ play }) => play.clip !== null);
    if ((await page.evaluate(() => window.rigspace.slices())).play.playing) await page.keyboard.press(' ');
    await page.keyboard.press('Home');
    for (let k = 0; k < 4; ++k) await page.keyboard.press('ArrowRight');
    await until(page, ({ play }) => !play.playing && play.time > 0);
    const settled = async () => { const a = await positions(); await page.waitForTimeout(600); return apart(a, await positions()) < 1e-6; };
    await eventually(settled);
    const start = await positions();
    await take('right hand', 40, -30);
    await eventually(async () => apart(await positions(), start) > 0.01);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await until(page, ({ effectors }) => effectors.dragged === null);
    await eventually(async () => apart(await positions(), start) < 1e-4);
    await page.keyboard.press('u');
    await take('right hand', 40, -30);
    await page.mouse.up();
    await until(page, ({ effectors, export: { command } }) => effectors.keys.length === 1 && effectors.keys[0] > 0 && command.includes('--fix'));
    await eventually(async () => apart(await positions(), start) > 0.01);
  });

  test('without a complaint in the console', () => { assert.deepEqual(log, []); });
});
