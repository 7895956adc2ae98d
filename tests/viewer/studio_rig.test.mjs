// A rig file in the studio's page: points that the server evaluates, controls that are freed, stiffness and cells on the body.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launchBrowser, program, scratch } from './page.mjs';
import { opened, openStudio, startStudio, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;
const slices = (page) => page.evaluate(() => window.rigspace.slices());

describe('a rig file in the studio', { skip }, () => {
  let browser, studio, page, log;
  before(async () => {
    const file = join(mkdtempSync(join(scratch, 'rig_')), 'bar.rig.json');
    assert.equal(spawnSync(program(), ['cast', 'bar', '-o', file]).status, 0);
    browser = await launchBrowser();
    studio = await startStudio(file);
    ({ page, log } = await openStudio(browser, studio.address));
  });
  after(async () => {
    await browser?.close();
    studio?.stop();
  });
  const apart = () => page.evaluate(() => {
    const soft = window.rigspace.positions(), artist = window.rigspace.beforePositions();
    return soft.reduce((most, x, i) => Math.max(most, Math.abs(x - artist[i])), 0);
  });

  test('is drawn by points, and bends with its own control', async () => {
    await opened(page);
    const { file } = await slices(page), positions = () => page.evaluate(() => [...window.rigspace.beforePositions()]);
    assert.equal(file.kind, 'points');
    const before = await positions();
    assert.equal(before.length, 3 * file.points);
    await page.getByRole('tab', { name: 'Controls' }).click();
    await page.getByRole('slider', { name: 'p1', exact: true }).fill('25');
    await until(page, ({ controls }) => controls.controls.some(({ name, held }) => name === 'p1' && held !== null));
    const end = Date.now() + 60000, bent = async () => (await positions()).some((x, i) => Math.abs(x - before[i]) > 0.01);
    while (!await bent()) assert.ok(Date.now() < end, 'nothing bends');
    await page.getByRole('button', { name: 'Let go of 1' }).click();
  });

  test('moves once its controls are freed by a pattern, with cells and stiffness on the body', async () => {
    const { file: { revision } } = await slices(page);
    await page.getByRole('searchbox', { name: 'Search controls' }).fill('p?');
    await page.getByRole('button', { name: 'Free', exact: true }).click();
    await until(page, ({ file, job, parts }) => file.revision > revision && job === null && parts.chosen.length === 1);
    await page.getByRole('button', { name: 'Stiffness on the body' }).click();
    await page.getByRole('button', { name: /^Cells/ }).click();
    await until(page, ({ play }) => play.cells);
    await page.keyboard.press('Escape');
    await page.locator('canvas').first().focus().catch(() => undefined);
    const { play } = await slices(page);
    if (!play.playing) await page.getByRole('button', { name: /^Play/ }).first().click();
    await until(page, ({ play: now }) => now.playing);
    const end = Date.now() + 60000;
    while (await apart() < 1e-3) assert.ok(Date.now() < end, 'nothing swings');
  });

  test('without a complaint in the console', () => { assert.deepEqual(log, []); });
});
