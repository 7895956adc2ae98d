// node docs/figures/studio_effectors.mjs [CHARACTER] [OUTDIR]: a picture of the panel Body into OUTDIR (out/studio), and
// docs/figures/studio_effectors.png, as palette PNG; prints how many updates a second followed the mouse while hands were
// dragged in circles. Needs the built program, Chromium and `npm ci` in tests/viewer.

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
const { page, log } = await openStudio(browser, studio.address, 1);
if (!character.includes('.')) await page.locator('.welcome .opener', { hasText: character }).click();
await opened(page);
await page.selectOption('select.clip', '');
await page.getByRole('tab', { name: 'Body' }).click();
await until(page, ({ effectors }) => effectors.state === 'ready');
for (const name of ['chest', 'head', 'hips']) await page.getByRole('button', { name, exact: true }).click();

const body = async () => (await page.evaluate(() => window.rigspace.slices())).effectors;
const onScreen = async (name) => page.evaluate((node) => window.rigspace.nodeOnScreen(node), (await body()).effectors.find((each) => each.name === name).joint);
/// Drags an effector along a line, then in circles for some seconds; lets go where the line ended.
async function drag(name, dx, dy, seconds) {
  const { x, y } = await onScreen(name), rates = [], times = [];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 10; ++k) await page.mouse.move(x + (dx * k) / 10, y + (dy * k) / 10);
  const begin = Date.now();
  for (let k = 0; Date.now() - begin < 1000 * seconds; ++k) {
    await page.mouse.move(x + dx + 25 * Math.sin(0.15 * k), y + dy + 25 * (1 - Math.cos(0.15 * k)));
    if (k % 5 === 4 && Date.now() - begin > 1000) rates.push((await body()).rate), times.push((await body()).ms);
  }
  await page.mouse.move(x + dx, y + dy);
  await page.mouse.up();
  await until(page, ({ effectors }) => effectors.dragged === null);
  rates.sort((a, b) => a - b), times.sort((a, b) => a - b);
  const { framesPerSecond, drawnPerSecond } = await page.evaluate(() => window.rigspace.stats());
  console.log(`${character}, ${name}: updates a second ${rates[0]?.toFixed(0)} at least, ${rates[rates.length >> 1]?.toFixed(0)} in the median; ${times[times.length >> 1]?.toFixed(2)} ms each; ` +
              `frames that arrive ${framesPerSecond.toFixed(0)} a second, drawn ${drawnPerSecond.toFixed(0)} (by software)`);
}
await drag('left hand', 10, -110, 4);
await drag('right hand', 60, 30, 4);
await drag('left foot', 70, -60, 4);
const { x, y } = await onScreen('right hand');
await page.mouse.move(x, y);
await page.waitForTimeout(1500);  // the best picture is drawn
await page.screenshot({ path: join(out, 'effectors.png') });
await browser.close();
studio.stop();
if (log.length > 0) console.error(log.join('\n'));
execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', join(out, 'effectors.png'), '-vf',
  'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=bayer:bayer_scale=4', join(root, 'docs/figures/studio_effectors.png')]);
