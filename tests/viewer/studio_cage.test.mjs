// The panel Cage: a cage is made, a point is dragged by the mouse and the skin moves, and the rig is kept.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { opened, openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;

describe('a cage in the studio', { skip, timeout: 600_000 }, () => {
  let page, log, close = () => {};
  before(async () => ({ page, log, close } = await openMember('arm')));
  after(() => close());

  const slices = () => page.evaluate(() => window.rigspace.slices());
  const positions = () => page.evaluate(() => Array.from(window.rigspace.positions()));
  const apart = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
  async function eventually(holds, what) {
    const end = Date.now() + 60000;
    while (!await holds()) {
      assert.ok(Date.now() < end, what);
      await page.waitForTimeout(100);
    }
  }
  /// The point of the cage that is nearest to the camera, on the screen.
  const front = () => page.evaluate(() => {
    const { points } = window.rigspace.slices().cage_places;
    let best = 0;
    for (let j = 0; j < points.length / 3; ++j) if (points[3 * j + 2] > points[3 * best + 2]) best = j;
    return { point: best, ...window.rigspace.placeOnScreen(...points.slice(3 * best, 3 * best + 3)) };
  });
  async function drag({ x, y }, dx, dy) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 8; ++k) {
      await page.mouse.move(x + (dx * k) / 8, y + (dy * k) / 8);
      await page.waitForTimeout(30);
    }
  }

  test('is made as a job, and stands around the body', async () => {
    await page.selectOption('select.clip', '');
    await page.getByRole('button', { name: 'Single' }).click();
    await page.getByRole('tab', { name: 'Cage' }).click();
    const faces = page.getByRole('textbox', { name: 'Faces' });
    await faces.fill('80');
    await faces.press('Enter');
    await page.getByRole('button', { name: 'Make a cage' }).click();
    await until(page, ({ cage, cage_places, job }) => cage.state === 'draft' && cage_places.points.length > 0 && job === null);
    const { cage, cage_places: { points } } = await slices(), skin = await positions();
    assert.ok(cage.made.faces <= 80 && cage.made.points * 3 === points.length);
    assert.match(cage.command, /^cp \S*arm\.glb \S+ && rigspace rig cage \S*arm\.glb --faces 80 --coordinates mean-value -o \S*arm\.rig\.json$/);
    for (let k = 0; k < 3; ++k) {  // around it on all sides
      const along = (list) => list.filter((_, i) => i % 3 === k);
      assert.ok(Math.min(...along(points)) < Math.min(...along(skin)) && Math.max(...along(points)) > Math.max(...along(skin)), 'xyz'[k]);
    }
  });

  test('a point that is dragged takes the skin along; undo lets it go', async () => {
    const soft = page.getByRole('textbox', { name: 'Soft' });
    await soft.fill('40');
    await soft.press('Enter');
    const start = await positions(), held = await front();
    await drag(held, 0, -60);
    await eventually(async () => apart(await positions(), start) > 5e-3, 'the skin follows while the button is down');
    await page.mouse.up();
    await until(page, ({ cage }) => cage.undo === 1 && cage.moved > 1);  // others went along
    await page.getByText(/^\d+ points moved · [\d.]+ ms a change$/).waitFor();
    if (process.env.RIGSPACE_PICTURE) await page.screenshot({ path: process.env.RIGSPACE_PICTURE });
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await until(page, ({ cage }) => cage.undo === 0 && cage.moved === 0);
    await eventually(async () => apart(await positions(), start) < 1e-6, 'back at rest');
  });

  test('other coordinates bind the same cage anew', async () => {
    const before = (await slices()).cage;
    await page.getByRole('combobox', { name: 'Coordinates' }).selectOption('harmonic');
    await page.getByRole('button', { name: 'Bind anew' }).click();
    await until(page, ({ cage, job }) => cage.state === 'draft' && cage.coordinates === 'harmonic' && job === null);
    assert.deepEqual((await slices()).cage.triangles, before.triangles);
  });

  test('what is kept is a rig whose points are controls, held where they were dragged', async () => {
    const start = await positions();
    await drag(await front(), 0, -60);
    await page.mouse.up();
    await until(page, ({ cage }) => cage.undo === 1);
    await eventually(async () => apart(await positions(), start) > 5e-3, 'it moved');
    const dragged = await positions();
    await page.getByRole('button', { name: 'Keep' }).click();
    await until(page, ({ file, cage }) => file?.name === 'arm.rig.json' && cage.state === 'ready');
    await opened(page);
    const { controls: { controls } } = await slices();
    assert.ok(controls.some(({ name, held }) => name === 'cage_0.tx' && held === null || /^cage_/.test(name) && held !== null));
    await eventually(async () => { const now = await positions(); return now.length === dragged.length && apart(now, dragged) < 1e-4; }, 'the same shape');
    const held = await front();
    await drag(held, 20, 0);
    await page.mouse.up();
    await eventually(async () => apart(await positions(), dragged) > 2e-3, 'its points can be dragged on');
    await page.getByRole('button', { name: 'To rest' }).click();
    await eventually(async () => apart(await positions(), start) < 1e-4, 'at rest');
    assert.deepEqual(log, []);
  });
});
