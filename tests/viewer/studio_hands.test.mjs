// What hands do in the studio: keys of curves, controls, joints on the stage, colliders.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;

describe('hands in the studio', { skip, timeout: 900_000 }, () => {
  let page, log, close = () => {};
  before(async () => ({ page, log, close } = await openMember('bobbin')));
  after(() => close());

  const slices = () => page.evaluate(() => window.rigspace.slices());
  const positions = (side = 'positions') => page.evaluate((which) => Array.from(window.rigspace[which]()), side);
  const apart = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));
  const held = ({ controls }) => controls.controls.filter((control) => control.held !== null).length;
  const numberIn = async (name) => parseFloat((await page.getByLabel(`${name} of the key`).inputValue()).replace('−', '-'));
  const keyCount = async () => Number((await page.locator('.curve-bar .count').textContent()).split('→')[1]);

  /// Asks again until it holds; the runner ends a test that never does.
  async function eventually(holds) {
    while (!await holds()) await page.waitForTimeout(100);
  }

  /// Stands at the start of a clip, or in the rest pose; simulated.
  async function stand(clip) {
    await page.selectOption('select.clip', clip ?? '');
    await until(page, ({ play }) => play.clip === clip);
    if ((await slices()).play.playing) await page.keyboard.press('Space');
    await until(page, ({ play }) => !play.playing);
    if (clip) await page.keyboard.press('Home');
    if (clip) await until(page, ({ play, bake }) => bake.clip === play.clip && bake.state === 'ready');
  }

  async function openCurves() {
    await stand('Walk');
    if (await page.locator('.curve-panel').count() === 0) await page.getByRole('tab', { name: 'Curves' }).click();
    await page.locator('.curve-list .row.active small').waitFor();  // what moves most is known, and shown
    await eventually(async () => (await keyCount()) > 1);
    return page.locator('.curve-graph canvas');
  }

  test('move keys by keyboard alone: the pose changes, and is as before when it is undone', async () => {
    const graph = await openCurves();
    await graph.focus();
    await graph.press('.');
    const value = await numberIn('Value'), start = await positions();
    await graph.press('Shift+ArrowUp');
    assert.ok(await numberIn('Value') > value);
    await until(page, ({ curves }) => curves.edited.Walk?.length === 1);
    await eventually(async () => apart(await positions(), start) > 1e-4);
    await page.keyboard.press('Control+z');
    await until(page, ({ curves }) => !curves.edited.Walk?.length);
    await eventually(async () => apart(await positions(), start) < 1e-6);
    await eventually(async () => await numberIn('Value') === value);
  });

  /// A place of the graph, in pixels of the window, whose cursor says that there is something to take: nearest to its middle.
  const takenAt = (graph, cursor) => graph.evaluate((canvas, wanted) => {
    const { left, top, width, height } = canvas.getBoundingClientRect(), found = [];
    for (let y = 24; y < height - 8; y += 3)
      for (let x = 0.15 * width; x < 0.85 * width; x += 3) {
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + x, clientY: top + y }));
        if (canvas.style.cursor === wanted) found.push({ x: left + x, y: top + y, off: Math.abs(x - width / 2) });
      }
    return found.sort((a, b) => a.off - b.off)[0] ?? null;
  }, cursor);

  async function drag(from, dx, dy) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + dx, from.y + dy, { steps: 4 });
    await page.mouse.up();
  }

  test('drag a key and then its tangent by mouse', async () => {
    const graph = await openCurves(), key = await takenAt(graph, 'move');
    assert.ok(key, 'a key is there');
    const known = (await slices()).history.undo.length;
    await page.mouse.click(key.x, key.y);
    const value = await numberIn('Value'), start = await positions();
    await drag(key, 0, -24);
    const dragged = await numberIn('Value');
    assert.ok(dragged > value, `${dragged} above ${value}`);
    await until(page, ({ curves }) => curves.edited.Walk?.length === 1);
    const tangent = await takenAt(graph, 'grab');
    assert.ok(tangent, 'the selected key has a tangent');
    const undos = (await slices()).history.undo.length;
    await page.waitForTimeout(1100);  // edits within a second are one step of the history
    await drag(tangent, 0, -20);
    await until(page, ({ history }) => history.undo.length > undos);
    assert.equal(await numberIn('Value'), dragged, 'the key itself stays');
    for (let steps; (steps = (await slices()).history.undo.length) > known;) {  // on a busy machine a drag is more than one
      await page.keyboard.press('Control+z');
      await until(page, ({ history }) => history.undo.length < steps);
    }
    await until(page, ({ curves }) => !curves.edited.Walk?.length);
    await eventually(async () => apart(await positions(), start) < 1e-6);
  });

  test('insert a key that changes nothing, remove it, type its value, clear the edits', async () => {
    const graph = await openCurves(), keys = await keyCount(), { width, height } = await graph.boundingBox();
    await graph.dblclick({ position: { x: 0.53 * width, y: height - 14 } });
    assert.equal(await keyCount(), keys + 1);
    await until(page, ({ history }) => history.undo.length > 0);
    await page.waitForTimeout(500);  // the server's answer does not take it away
    assert.equal(await keyCount(), keys + 1);
    await graph.press('Delete');
    assert.equal(await keyCount(), keys);
    await graph.dblclick({ position: { x: 0.53 * width, y: height - 14 } });
    await page.getByLabel('Value of the key').fill('2,5');
    await page.getByLabel('Value of the key').press('Enter');
    assert.equal(await numberIn('Value'), 2.5);
    await until(page, ({ curves }) => curves.edited.Walk?.length === 1);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await until(page, ({ curves }) => !curves.edited.Walk?.length);
    await eventually(async () => await keyCount() === keys);
  });

  test('take keys away by the tolerance', async () => {
    await openCurves();
    await page.getByLabel('Tolerance').fill('0');
    await until(page, ({ curves }) => curves.tolerance < 2e-5);
    await page.waitForTimeout(500);
    const exact = await keyCount();
    await page.getByLabel('Tolerance').fill('0.9');
    await eventually(async () => await keyCount() < exact);
  });

  test('turn a mode up, which moves the body, and put it back', async () => {
    await stand('Walk');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('tab', { name: 'Modes' }).click();
    await page.getByRole('button', { name: 'Find modes' }).click();
    await until(page, ({ modes }) => modes.modes.length > 0);
    const start = await positions(), slider = page.locator('.mode-row').first().getByRole('slider');
    await slider.fill('1000');
    await until(page, ({ modes }) => modes.modes[0].factor === 3);
    await eventually(async () => apart(await positions(), start) > 1e-3);
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await until(page, ({ modes }) => modes.modes[0].factor === 1);
    await eventually(async () => apart(await positions(), start) < 1e-6);
  });

  test('hold a control, which turns its joint until it is let go', async () => {
    await stand(null);
    await page.getByRole('tab', { name: 'Controls' }).click();
    await page.getByRole('searchbox', { name: 'Search controls' }).fill('head');
    const slider = page.getByRole('slider', { name: /^head.*\.rz$/i }).first(), start = await positions('beforePositions');
    await slider.fill('30');
    await eventually(async () => apart(await positions('beforePositions'), start) > 0.01);
    await until(page, ({ controls }) => controls.controls.some((control) => Math.abs(control.held - 30) < 1e-6));
    await page.getByRole('button', { name: 'Let go of 1' }).click();
    await eventually(async () => apart(await positions('beforePositions'), start) < 1e-5);
  });

  test('turn a joint on the stage after the pointer; with Alt it stays', async () => {
    await stand(null);
    await page.getByRole('button', { name: 'Single' }).click();
    await page.keyboard.press('j');
    const at = await findHandle(/^Turns .*arm/i);
    for (const alt of [false, true]) {
      await page.mouse.move(at.x, at.y);
      await page.mouse.down();
      await page.mouse.move(at.x + 10, at.y - 40, { steps: 5 });
      await eventually(async () => held(await slices()) === 3);
      if (alt) await page.keyboard.down('Alt');
      await page.mouse.up();
      if (alt) await page.keyboard.up('Alt');
      if (!alt) await eventually(async () => held(await slices()) === 0);
    }
    await page.waitForTimeout(500);
    assert.equal(held(await slices()), 3);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('button', { name: /^Move joints/ }).getAttribute('aria-pressed'), 'false');
  });

  /// Goes over the stage until the label under the pointer says what is wanted.
  async function findHandle(words) {
    const box = await page.locator('#stage').boundingBox();
    for (let y = box.y + 50; y < box.y + box.height - 40; y += 16)
      for (let x = box.x + 40; x < box.x + box.width - 40; x += 16) {
        await page.mouse.move(x, y);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const said = await page.evaluate(() => document.querySelector('.stage-label:not([hidden])')?.textContent ?? '');
        if (words.test(said)) return { x, y };
      }
    return assert.fail(`no handle says ${words}`);
  }

  test('add, move and remove a collider', async () => {
    await page.getByRole('tab', { name: 'World' }).click();
    await page.getByRole('button', { name: 'Add sphere' }).click();
    await until(page, ({ world }) => world.collide.length === 1);
    await page.getByLabel('x of the sphere').fill('1.5');
    await until(page, ({ world }) => /^sphere:1\.5,/.test(world.collide[0]));
    await page.getByRole('button', { name: 'Ground', exact: true }).click();
    await until(page, ({ world }) => world.collide.length === 2);
    await page.getByRole('button', { name: /^Remove sphere/ }).click();
    await until(page, ({ world }) => world.collide.join() === 'ground');
  });

  test('find no complaint in the console', () => assert.deepEqual(log, []));
});
