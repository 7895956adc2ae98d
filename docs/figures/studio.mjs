// node docs/figures/studio.mjs [OUTDIR]: pictures of the studio's panels with Peanut, light and dark, into OUTDIR
// (out/studio); the first is docs/figures/studio.png, as palette PNG where ffmpeg is there. Needs the built program,
// Chromium and `npm ci` in tests/viewer.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../tests/viewer/page.mjs';
import { opened, openStudio, startStudio, until } from '../../tests/viewer/studio_page.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const out = resolve(process.argv[2] ?? join(root, 'out/studio'));
mkdirSync(out, { recursive: true });

const browser = await launchBrowser();
const studio = await startStudio();
const { page, log } = await openStudio(browser, studio.address);
const shot = (name) => page.screenshot({ path: join(out, `${name}.png`) });
await shot('welcome');
await page.locator('.welcome .opener', { hasText: 'peanut' }).click();
await opened(page);
await until(page, ({ bake }) => bake.state === 'ready');
await page.evaluate(() => window.rigspace.ready);
await page.waitForTimeout(1500);
await shot('parts');
for (const panel of ['Controls', 'World', 'Modes', 'Export']) {
  await page.getByRole('button', { name: panel, exact: true }).or(page.getByRole('tab', { name: panel, exact: true })).first().click();
  await page.waitForTimeout(600);
  await shot(panel.toLowerCase());
}
await page.getByRole('button', { name: 'Curves' }).or(page.getByRole('tab', { name: 'Curves' })).first().click();
await page.waitForTimeout(1500);
await shot('curves');
await page.keyboard.press('b');
await page.waitForTimeout(600);
await shot('curves_dark');
await browser.close();
studio.stop();
if (log.length > 0) console.error(log.join('\n'));
execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', join(out, 'parts.png'), '-vf',
  'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=bayer:bayer_scale=4', join(root, 'docs/figures/studio.png')]);
