// node docs/figures/studio.mjs [OUTDIR]: pictures of the studio's panels with Peanut, light and dark, into OUTDIR
// (out/studio); that of Parts is docs/figures/studio.png, as palette PNG. Needs the built program,
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
const settled = () => page.waitForTimeout(1500);  // the best picture is drawn, panels have their answers
const kPanels = ['Parts', 'Controls', 'World', 'Modes', 'Export', 'File'];  // Sketch: studio_sketch.mjs

/// In light and in dark.
async function shot(name) {
  for (const theme of ['light', 'dark']) {
    await settled();
    await page.screenshot({ path: join(out, `${name}_${theme}.png`) });
    await page.keyboard.press('b');
  }
}

await shot('welcome');
await page.locator('.welcome .opener', { hasText: 'peanut' }).click();
await opened(page);
await until(page, ({ bake }) => bake.state === 'ready');
await page.evaluate(() => window.rigspace.ready);
for (const panel of kPanels) {
  const tab = page.getByRole('tab', { name: panel, exact: true });
  if (await tab.getAttribute('aria-selected') !== 'true') await tab.click();
  if (panel === 'Modes') {
    await page.getByRole('button', { name: 'Find modes' }).click();
    await until(page, ({ modes }) => modes.modes.length > 0);
  }
  await shot(panel.toLowerCase());
}
await page.getByRole('tab', { name: 'File', exact: true }).click();
await page.getByRole('tab', { name: 'Curves' }).click();
await shot('curves');
await page.keyboard.press('?');
await shot('keys');
await browser.close();
studio.stop();
if (log.length > 0) console.error(log.join('\n'));
execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', join(out, 'parts_light.png'), '-vf',
  'split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=bayer:bayer_scale=4', join(root, 'docs/figures/studio.png')]);
