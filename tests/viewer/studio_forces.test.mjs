// The panel Forces: a character becomes flesh, a template is dropped on its skin, the skin is pulled, and the rig is kept.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { opened, openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;

describe('forces in the studio', { skip, timeout: 600_000 }, () => {
  let page, log, close = () => {};
  before(async () => ({ page, log, close } = await openMember('arm')));
  after(() => close());

  const slices = () => page.evaluate(() => window.rigspace.slices());
  const forces = async () => (await slices()).forces;
  const positions = () => page.evaluate(() => Array.from(window.rigspace.positions()));
  const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
  async function eventually(holds) {
    while (!await holds()) await page.waitForTimeout(50);
  }
  /// Of points that are seen in the middle of the page: in front of the upper arm.
  async function pointSeen() {
    const seen = await page.evaluate(() => {
      const p = window.rigspace.positions(), places = [];
      for (let i = 0; i < p.length / 3; ++i) if (p[3 * i] > 0.1 && p[3 * i] < 0.2 && p[3 * i + 2] > 0.03) places.push({ i, ...window.rigspace.pointOnScreen(i) });
      return places;
    });
    return seen[Math.floor(seen.length / 2)];
  }

  test('flesh is made of a character, and opened as a rig', async () => {
    await page.selectOption('select.clip', '');
    await page.getByRole('tab', { name: 'Forces' }).click();
    await until(page, ({ forces }) => forces.state === 'plain');
    assert.match((await forces()).command, /^rigspace forces lattice \S*arm\.glb -o \S*arm\.rig\.json$/);
    await page.getByRole('spinbutton', { name: 'Cells' }).fill('60');
    await page.getByRole('button', { name: 'Make flesh' }).click();
    await until(page, ({ forces, file }) => file?.name === 'arm.rig.json' && forces.state === 'ready');
    await opened(page);
    assert.deepEqual((await forces()).rigs, []);
    assert.equal((await slices()).file.kind, 'points');
  });

  test('a template that is dropped on the skin lifts it, and follows the hand', async () => {
    await page.getByRole('button', { name: 'Single' }).click();
    const start = await positions(), { i, x, y } = await pointSeen();
    const stage = page.locator('canvas').first(), box = await stage.boundingBox();
    await page.getByRole('button', { name: 'bump', exact: true }).dragTo(stage, { targetPosition: { x: x - box.x, y: y - box.y } });
    await until(page, ({ forces }) => forces.selected === 'bump' && forces.changed);
    await eventually(async () => apart(await positions(), start) > 1e-3);
    const numbers = async () => (await forces()).rigs[0].numbers.map(({ value }) => value);
    const placed = await numbers(), lifted = await page.evaluate((i) => window.rigspace.pointOnScreen(i), i);
    await page.mouse.move(lifted.x, lifted.y);
    await page.mouse.down();
    for (let k = 1; k <= 8; ++k) await page.mouse.move(lifted.x, lifted.y - 3 * k);
    await eventually(async () => (await forces()).ms !== null);  // before the button is released
    await eventually(async () => apart(await numbers(), placed) > 1e-3);
    await page.mouse.up();
    await until(page, ({ forces }) => forces.pins.length === 1 && forces.undo === 2);
    const { before, after: left } = await forces();
    assert.ok(left <= before, `${left} of ${before}`);
    await page.getByText(/cells · [\d.e-]+ off · \d+ ms an update/).waitFor();
    const field = page.getByRole('spinbutton', { name: 'strength of bump' });
    assert.equal(Number(await field.inputValue()), Number((await numbers())[0].toPrecision(4)));
    if (process.env.RIGSPACE_PICTURE) await page.screenshot({ path: process.env.RIGSPACE_PICTURE });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await until(page, ({ forces }) => forces.undo === 1);
    assert.ok(apart(await numbers(), placed) < 1e-9);
    await field.fill('-1');
    await field.press('Enter');
    await until(page, ({ forces }) => forces.rigs[0].numbers[0].value === -1);
  });

  test('what is kept is a control of the character; what cannot be is said in a sentence', async () => {
    await page.getByRole('button', { name: 'Keep' }).click();
    await until(page, ({ forces, controls }) => forces.state === 'ready' && !forces.changed && controls.controls.some(({ name }) => name === 'bump'));
    await opened(page);
    assert.equal((await forces()).rigs[0].numbers[0].value, -1);
    const square = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n';
    await page.locator('.forces-panel input[type="file"]').setInputFiles({ name: 'other.obj', mimeType: 'text/plain', buffer: Buffer.from(square) });
    await page.getByText(/has 3 points, the character/).first().waitFor();
    assert.equal((await forces()).rigs.length, 1);
    assert.deepEqual(log, []);
  });
});
