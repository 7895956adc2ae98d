// node tests/viewer/studio_live.mjs [CHARACTER of the cast, or a file]: outside of the tests. Plays in Chromium and
// prints, as the page measures them, solved frames a second, latencies of 200 slider steps, and what software drew.

import { existsSync } from 'node:fs';
import { launchBrowser } from './page.mjs';
import { opened, openStudio, startStudio, until } from './studio_page.mjs';

const who = process.argv[2] ?? 'peanut';
const browser = await launchBrowser();
const studio = await startStudio(...(existsSync(who) ? [who] : []));
const { page } = await openStudio(browser, studio.address);
if (!existsSync(who)) await page.locator('.welcome .opener', { hasText: who }).click();
await opened(page);
await until(page, ({ bake }) => bake.state === 'ready');
await page.getByRole('button', { name: 'Single' }).click();
if (!(await page.evaluate(() => window.rigspace.slices().play.playing))) await page.keyboard.press('Space');
await page.waitForTimeout(6000);
const slider = page.getByRole('slider', { name: /^Amount/ }).first();
await slider.focus();
for (let k = 0; k < 200; ++k) {
  await slider.press(k % 2 ? 'ArrowRight' : 'ArrowLeft');
  await page.waitForTimeout(30);
}
await page.waitForTimeout(2000);
const { framesPerSecond, drawnPerSecond, latencies } = await page.evaluate(() => window.rigspace.stats());
const sorted = latencies.slice(-200).sort((a, b) => a - b), at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(0);
const paint = await page.evaluate(() => performance.getEntriesByType('paint').map(({ name, startTime }) => `${name} ${startTime.toFixed(0)} ms`));
const { live, file, parts } = await page.evaluate(() => window.rigspace.slices());
console.log(`${file.name}: ${file.points} points, ${parts.chosen.length} parts; ${paint.join(', ')}`);
console.log(`${framesPerSecond} frames a second in the page (solved ${live.rate.toFixed(1)}, ${live.ms.toFixed(1)} ms each), ${drawnPerSecond} drawn by software`);
console.log(`latency of ${sorted.length} steps: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms`);
await browser.close();
studio.stop();
