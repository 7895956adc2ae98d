// The panel Cloth: a garment from a file over a clip of the open character, and its result, opened.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openMember, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;

/// A square of 3 x 3 points at a height.
function square(x, y, z, size) {
  const lines = [];
  for (let j = 0; j < 3; ++j) for (let i = 0; i < 3; ++i) lines.push(`v ${x + size * (i / 2 - 0.5)} ${y} ${z + size * (j / 2 - 0.5)}`);
  for (const a of [1, 2, 4, 5]) lines.push(`f ${a} ${a + 3} ${a + 4} ${a + 1}`);
  return `${lines.join('\n')}\n`;
}

describe('cloth in the studio', { skip, timeout: 600_000 }, () => {
  let page, log, close = () => {};
  before(async () => ({ page, log, close } = await openMember('toon')));
  after(() => close());
  const slices = () => page.evaluate(() => window.rigspace.slices());

  test('a square over the head is simulated, and the result opens with its morph targets', async () => {
    await page.getByRole('tab', { name: 'Cloth' }).click();
    await until(page, ({ cloth, file }) => cloth.garments.length > 0 && file);
    const { cloth, file } = await slices();
    assert.ok(cloth.garments.every(({ name, points }) => name && points > 0));
    const clip = file.clips.reduce((a, b) => (b.duration < a.duration && b.duration > 0 ? b : a));
    await page.selectOption('select.clip', clip.name);
    await until(page, ({ play }) => play.clip !== null);
    const garment = Buffer.from(square(0, 1.2 * file.height, 0, 0.2 * file.height));
    await page.locator('input[accept=".obj"]').setInputFiles({ name: 'hat.obj', mimeType: 'text/plain', buffer: garment });
    await until(page, ({ cloth }) => cloth.garment.endsWith('.obj'));
    assert.match((await slices()).cloth.command, /^rigspace cloth simulate \S*toon\.glb --garment \S*hat\.obj -o \S*toon\.cloth\.glb$/);
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await until(page, ({ cloth }) => cloth.state === 'ready');
    await page.getByText(/simulated with 9 points, 0 held/).waitFor();
    await page.getByRole('button', { name: 'Show it' }).click();
    await until(page, ({ file }) => file?.name === 'toon.cloth.glb');
    assert.ok((await slices()).file.morphs.some((name) => name.startsWith('hat:fold_')));
    assert.deepEqual(log, []);
  });
});
