// node tests/viewer/studio_live.mjs [CHARACTER of the cast, or a file] [RUNS]: outside of the tests. Plays in Chromium and
// prints, as the page measures them, solved frames a second, latencies of 200 slider steps from the key press on, and what
// software drew, in two arrangements of the stage.

import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { launchBrowser } from './page.mjs';
import { opened, openStudio, startStudio, until } from './studio_page.mjs';

const [who = 'peanut', runs = '1'] = process.argv.slice(2);
const browser = await launchBrowser();
const studio = await startStudio(...(existsSync(who) ? [who] : []));
const { page } = await openStudio(browser, studio.address);
if (!existsSync(who)) await page.locator('.welcome .opener', { hasText: new RegExp('^' + who) }).click();
await opened(page);
await until(page, ({ bake }) => bake.state === 'ready');
const paint = await page.evaluate(() => performance.getEntriesByType('paint').map(({ name, startTime }) => `${name} ${startTime.toFixed(0)} ms`));
const { file, parts } = await page.evaluate(() => window.rigspace.slices());
console.log(`${file.name}: ${file.points} points, ${parts.chosen.length} parts; ${paint.join(', ')}`);
if (!(await page.evaluate(() => window.rigspace.slices().play.playing))) await page.keyboard.press('Space');

/// Median and 99th percentile.
function percentiles(latencies) {
  const sorted = [...latencies].sort((a, b) => a - b), at = (share) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0);
  return `${at(0.5)} and ${at(0.99)} ms`;
}

for (let run = 0; run < Number(runs); ++run) {
  for (const mode of ['Side by side', 'Single']) {
    await page.getByRole('button', { name: mode }).click();
    await page.waitForTimeout(4000);
    const slider = page.getByRole('slider', { name: /^Amount/ }).first();
    await slider.focus();
    for (let k = 0; k < 200; ++k) {
      await slider.press(k % 2 ? 'ArrowRight' : 'ArrowLeft');
      await page.waitForTimeout(30);
    }
    await page.waitForTimeout(1000);
    const { framesPerSecond, drawnPerSecond, latencies, seenLatencies = [] } = await page.evaluate(() => window.rigspace.stats());
    const { live } = await page.evaluate(() => window.rigspace.slices());
    console.log(`${mode}: ${framesPerSecond} frames a second arrive (solved ${live.rate.toFixed(1)}, ${live.ms.toFixed(1)} ms each), ` +
                `${drawnPerSecond} drawn by software; load ${loadavg()[0].toFixed(1)}`);
    console.log(`  from the key to the changed frame, median and 99th percentile of ${latencies.slice(-200).length}: ` +
                `${percentiles(latencies.slice(-200))} in the page, ${percentiles(seenLatencies.slice(-200))} in its own thread`);
  }
}
await browser.close();
studio.stop();
