// node docs/figures/studio_sketch.mjs [CHARACTER] [OUTDIR]: pictures of the sketch panel, light and dark, into OUTDIR
// (out/studio); the light ones without and with strokes are docs/figures/studio_sketch.png and studio_sketch_strokes.png, as
// palette PNG. Needs the built program, Chromium and `npm ci` in tests/viewer. Every movement of the mouse waits for a frame,
// which software drawing makes slow: more than four minutes on busy cores.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../tests/viewer/page.mjs';
import { opened, openStudio, startStudio, until } from '../../tests/viewer/studio_page.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const character = process.argv[2] ?? 'bobbin';
const out = resolve(process.argv[3] ?? join(root, 'out/studio'));
mkdirSync(out, { recursive: true });

const browser = await launchBrowser();
const studio = await startStudio(...(character.includes('.') ? [character] : []));
const { page, log } = await openStudio(browser, studio.address);
if (!character.includes('.')) await page.locator('.welcome .opener', { hasText: character }).click();
await opened(page);

async function shot(name) {
  for (const theme of ['light', 'dark']) {
    await page.waitForTimeout(1500);  // the best picture is drawn
    await page.screenshot({ path: join(out, `sketch_${name}_${theme}.png`) });
    await page.keyboard.press('b');
  }
}

/// The curves of the abstraction on the screen.
const lines = () => page.evaluate(() => window.rigspace.slices().sketch_lines.curves.map(({ points }) =>
  Array.from({ length: points.length / 3 }, (_, i) => window.rigspace.placeOnScreen(...points.slice(3 * i, 3 * i + 3)))));
const long = (line) => Math.hypot(line.at(-1).x - line[0].x, line.at(-1).y - line[0].y);
/// A line that bends away from where it was, as a hand draws it.
const bent = (line, degrees, wobble = 1.5) => line.map(({ x, y }, i) => {
  const angle = degrees * (0.4 + 0.6 * i / line.length) * Math.PI / 180, c = Math.cos(angle), s = Math.sin(angle), [{ x: u, y: v }] = line;
  return { x: u + c * (x - u) - s * (y - v) + wobble * Math.sin(2.1 * i), y: v + s * (x - u) + c * (y - v) + wobble * Math.cos(1.7 * i) };
});
// A line along a limb that was drawn before takes the place of that stroke, so their number may stay.
async function draw(line) {
  const before = await page.evaluate(() => JSON.stringify(window.rigspace.slices().sketch.strokes));
  await page.mouse.move(line[0].x, line[0].y);
  await page.mouse.down();
  for (const [i, { x, y }] of line.entries()) if (i % 4 === 3 || i === line.length - 1) await page.mouse.move(x, y);
  await page.mouse.up();
  await until(page, ({ sketch }) => (JSON.stringify(sketch.strokes) !== before || sketch.problem) && !sketch.solving);
}
const limbs = async () => (await lines()).slice(1).sort((a, b) => long(b) - long(a));

await page.selectOption('select.clip', '');
await page.getByRole('tab', { name: 'Sketch' }).click();
await until(page, ({ sketch_lines: shown }) => shown.curves.length > 0);
await shot('empty');
const [first, second, third] = await limbs();
await draw(bent(first, 40));
await draw(bent(second, -35));
if (third) await draw(bent(third, 30).map(({ x, y }, i, all) => ({ x: all[0].x + 1.6 * (x - all[0].x), y: all[0].y + 1.6 * (y - all[0].y) })));
await page.getByRole('button', { name: 'Lock stroke 1' }).click();
await page.mouse.move(20, 400);
await shot('strokes');
for (const kind of ['Outline', 'Action', 'Draw over']) {
  await page.getByRole('radio', { name: kind }).click();
  await page.waitForTimeout(1000);
  await shot(kind.toLowerCase().replace(' ', '_'));
}
await browser.close();
studio.stop();
if (log.length > 0) console.error(log.join('\n'));
for (const [name, file] of [['empty', 'studio_sketch'], ['strokes', 'studio_sketch_strokes']])
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', join(out, `sketch_${name}_light.png`), '-vf',
    'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=bayer:bayer_scale=4', join(root, `docs/figures/${file}.png`)]);
