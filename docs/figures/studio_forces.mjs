// node docs/figures/studio_forces.mjs [OUTDIR]: a picture of the panel Forces into OUTDIR (out/studio), and
// docs/figures/studio_forces.png, as palette PNG; prints the time of an update while the skin was pulled. Needs the built
// program, Chromium and `npm ci` in tests/viewer.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openMember, until } from '../../tests/viewer/studio_page.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const out = resolve(process.argv[2] ?? join(root, 'out/studio'));
mkdirSync(out, { recursive: true });

const { page, close } = await openMember('arm');
const forces = async () => (await page.evaluate(() => window.rigspace.slices())).forces;
await page.selectOption('select.clip', '');
await page.getByRole('tab', { name: 'Forces' }).click();
await page.getByRole('button', { name: 'Make flesh' }).click();
await until(page, ({ forces: { state }, file }) => file?.name === 'arm.rig.json' && state === 'ready');
await page.getByRole('button', { name: 'Single' }).click();
await page.waitForTimeout(1500);
const canvas = page.locator('canvas').first(), box = await canvas.boundingBox(), times = [];
/// The topmost point of the skin so far along the arm.
const pointAlong = (at) => page.evaluate((at) => {
  const p = window.rigspace.positions(), height = (i) => p[3 * i + 1] + p[3 * i + 2];
  const near = [...Array(p.length / 3).keys()].filter((i) => Math.abs(p[3 * i] - at) < 0.02);
  return near.reduce((best, i) => (height(i) > height(best) ? i : best));
}, at);
for (const [template, at, up] of [['bulge', 0.17, -14], ['bump', 0.42, -10]]) {
  const point = await pointAlong(at), { x, y } = await page.evaluate((i) => window.rigspace.pointOnScreen(i), point);
  await page.getByRole('button', { name: template, exact: true }).first().dragTo(canvas, { targetPosition: { x: x - box.x, y: y - box.y } });
  await until(page, ({ forces }) => forces.rigs.at(-1)?.template && forces.selected === forces.rigs.at(-1).name);
  await page.waitForTimeout(400);
  const seen = await page.evaluate((i) => window.rigspace.pointOnScreen(i), point);
  await page.mouse.move(seen.x, seen.y + 3);
  await page.mouse.down();
  for (let k = 1; k <= 20; ++k) {
    await page.mouse.move(seen.x, seen.y + 3 + (up * k) / 20);
    await page.waitForTimeout(40);
    times.push((await forces()).ms);
  }
  await page.mouse.up();
  await page.waitForTimeout(400);
}
times.sort((a, b) => a - b);
console.log(`an update takes ${times[times.length >> 1]} ms in the median, ${times.at(-1)} at most; ${JSON.stringify((await forces()).rigs.map(({ name, numbers }) => [name, ...numbers.map(({ name, value }) => `${name} ${value.toPrecision(3)}`)]))}`);
await page.mouse.move(10, 300);
await page.waitForTimeout(8000);  // the hint has gone
await page.screenshot({ path: join(out, 'forces.png') });
execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', join(out, 'forces.png'), '-vf',
  'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=bayer:bayer_scale=4', join(root, 'docs/figures/studio_forces.png')]);
await close();
