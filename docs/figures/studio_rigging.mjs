// node docs/figures/studio_rigging.mjs [OUTDIR]: pictures of the panels Weights and Cage, light and dark, into OUTDIR (out/studio);
// docs/figures/studio_weights.png and studio_cage.png, as palette PNG. Prints the time of a stroke's message and of a change of the
// cage. Needs the built program, Chromium and `npm ci` in tests/viewer.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser, program, scratch } from '../../tests/viewer/page.mjs';
import { opened, openStudio, startStudio, until } from '../../tests/viewer/studio_page.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const out = resolve(process.argv[2] ?? join(root, 'out/studio'));
mkdirSync(out, { recursive: true });

const file = join(scratch, 'hound.glb');
execFileSync(program(), ['cast', 'hound', '-o', file], { stdio: 'ignore' });
const browser = await launchBrowser(), studio = await startStudio(file);
const { page } = await openStudio(browser, studio.address, 1);
await opened(page);
const slices = () => page.evaluate(() => window.rigspace.slices());
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/// Light, then dark; the light one as a palette PNG for the docs.
async function pictures(name) {
  await page.waitForTimeout(9000);  // the hint has gone
  for (const theme of ['light', 'dark']) {
    const now = await page.evaluate(() => document.documentElement.dataset.theme);
    if (now !== theme) await page.keyboard.press('b');
    await page.waitForTimeout(2500);
    await page.screenshot({ path: join(out, `${name}_${theme}.png`) });
  }
  await page.keyboard.press('b');
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', join(out, `${name}_light.png`), '-vf',
    'split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=bayer:bayer_scale=4', join(root, `docs/figures/studio_${name}.png`)]);
}

/// The point of the skin nearest to the camera around a joint.
const pointBy = (node, reach) => page.evaluate(([node, reach]) => {
  const p = window.rigspace.positions(), at = window.rigspace.nodeOnScreen(node);
  let best = null;
  for (let i = 0; i < p.length / 3; i += 3) {
    const seen = window.rigspace.pointOnScreen(i), off = seen ? Math.hypot(seen.x - at.x, seen.y - at.y) : Infinity;
    if (off < reach && (!best || p[3 * i] > best.x3)) best = { ...seen, x3: p[3 * i] };
  }
  return best;
}, [node, reach]);

await page.getByRole('tab', { name: 'Weights' }).click();
await until(page, ({ weights: { state } }) => state === 'ready');
const joints = (await slices()).weights.joints.map(({ name }) => name);
console.log(joints.join(' '));
const wanted = joints.find((name) => /^(neck|spine|chest)/.test(name)) ?? joints[0];
await page.getByRole('combobox', { name: 'Method' }).selectOption('nearest');
await page.getByRole('button', { name: 'Compute' }).click();
await until(page, ({ weights: { method, difference } }) => method === 'nearest' && difference !== null);
await page.getByRole('option', { name: wanted, exact: true }).click();
const clips = (await slices()).file.clips.map(({ name }) => name);
await page.selectOption('select.clip', clips.find((name) => /beg|sit|stretch/i.test(name)) ?? clips[0]);
await until(page, ({ play: { clip } }) => clip !== null);
await page.waitForTimeout(1500);
await page.keyboard.press('f');
await page.locator('.ruler').click({ position: { x: 300, y: 20 } });
await page.waitForTimeout(1500);
await pictures('weights');

await page.getByRole('radio', { name: 'Smooth' }).click();
const spot = await pointBy(wanted, 40);
const times = [];
await page.mouse.move(spot.x, spot.y);
await page.mouse.down();
for (let k = 1; k <= 12; ++k) {
  const { version } = (await slices()).weights, begin = Date.now();
  await page.mouse.move(spot.x + 2 * k, spot.y - k);
  while ((await slices()).weights.version === version && Date.now() - begin < 1000) await page.waitForTimeout(2);
  times.push(Date.now() - begin);
}
await page.mouse.up();
console.log(`a touch of the brush is in the page's state after ${median(times)} ms in the median`);
await page.getByRole('radio', { name: 'Look' }).click();
for (let k = 0; k < 2; ++k) await page.getByRole('button', { name: 'Undo', exact: true }).last().click();

await page.selectOption('select.clip', '');
await page.getByRole('button', { name: 'Single' }).click();
await page.getByRole('tab', { name: 'Cage' }).click();
const faces = page.getByRole('textbox', { name: 'Faces' });
await faces.fill('240');
await faces.press('Enter');
await page.getByRole('combobox', { name: 'Coordinates' }).selectOption('harmonic');
await page.getByRole('button', { name: 'Make a cage' }).click();
await until(page, ({ cage: { state }, cage_places: { points } }) => state === 'draft' && points.length > 0);
const top = await page.evaluate(() => {
  const { points } = window.rigspace.slices().cage_places, along = (k) => points.filter((_, i) => i % 3 === k);
  const spans = [0, 2].map((k) => Math.max(...along(k)) - Math.min(...along(k))), k = spans[0] > spans[1] ? 0 : 2;
  const middle = (Math.max(...along(k)) + Math.min(...along(k))) / 2;
  let best = -1;  // the highest of those in the middle of the back
  for (let j = 0; j < points.length / 3; ++j)
    if (Math.abs(points[3 * j + k] - middle) < 0.2 * Math.max(...spans) && (best < 0 || points[3 * j + 1] > points[3 * best + 1])) best = j;
  return { ...window.rigspace.placeOnScreen(...points.slice(3 * best, 3 * best + 3)) };
});
const changes = [];
await page.mouse.move(top.x, top.y);
await page.mouse.down();
for (let k = 1; k <= 24; ++k) {
  await page.mouse.move(top.x, top.y - 4 * k);
  await page.waitForTimeout(50);
  changes.push((await slices()).cage.ms);
}
await pictures('cage');
await page.mouse.up();
console.log(`a change of the cage takes ${median(changes.filter((ms) => ms !== null)).toFixed(2)} ms in the median`);
await browser.close();
studio.stop();
