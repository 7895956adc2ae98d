// The page of `rigspace studio`, with the program behind it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchBrowser } from './page.mjs';
import { opened, openStudio, startStudio, until, whyNoStudio } from './studio_page.mjs';

const skip = whyNoStudio() ?? false;
const slices = (page) => page.evaluate(() => window.rigspace.slices());

describe('the studio’s page', { skip }, () => {
  let browser, studio, page, log;
  before(async () => {
    browser = await launchBrowser();
    studio = await startStudio();
    ({ page, log } = await openStudio(browser, studio.address));
  });
  after(async () => {
    await browser?.close();
    studio?.stop();
  });

  test('without a file offers the cast, and says what is wrong with a file that is none', async () => {
    const { server } = await slices(page);
    assert.deepEqual(await page.locator('.welcome .openers[aria-label^=Built] b').allTextContents(), server.cast.map(({ name }) => name));
    await page.locator('.welcome input[type=file]').setInputFiles({ name: 'no model.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from('nothing') });
    const words = await page.locator('.toast.error').innerText();
    assert.match(words, /no_model\.glb/);
    await page.locator('.toast .icon').click();
  });

  test('a character of the cast is there with its parts, and a clip is chosen', async () => {
    await page.locator('.welcome .opener', { hasText: 'bobbin' }).click();
    await opened(page);
    await until(page, ({ play }) => play.clip !== null);
    const { file, parts } = await slices(page);
    assert.ok(parts.chosen.length > 0);
    assert.deepEqual(await page.locator('.rows').first().locator('.row-name b').allTextContents(), parts.chosen.map(({ name }) => name));
    assert.deepEqual(await page.locator('.legend .chip').allTextContents(), parts.chosen.map(({ name }) => name));
    assert.equal(await page.evaluate(() => window.rigspace.positions().length), 3 * file.points);
    assert.equal(await page.locator('.row.selected b').textContent(), parts.chosen[0].name, 'there is something to drag');
  });

  test('plays: frames come, and the soft pose parts from the artist’s; muted it does not', async () => {
    const apart = () => page.evaluate(() => {
      const soft = window.rigspace.positions(), artist = window.rigspace.beforePositions();
      return soft.reduce((most, x, i) => Math.max(most, Math.abs(x - artist[i])), 0);
    });
    await page.keyboard.press('Space');
    await until(page, ({ play }) => play.playing);
    await page.waitForFunction(() => {
      const soft = window.rigspace.positions(), artist = window.rigspace.beforePositions();
      return soft.some((x, i) => Math.abs(x - artist[i]) > 1e-3);
    }, null, { polling: 200 });
    assert.ok(await page.evaluate(() => window.rigspace.stats().framesPerSecond) > 0);
    await page.keyboard.press('m');
    await until(page, ({ play }) => play.muted);
    await page.waitForFunction(() => {
      const soft = window.rigspace.positions(), artist = window.rigspace.beforePositions();
      return soft.every((x, i) => Math.abs(x - artist[i]) < 1e-6);
    }, null, { polling: 200 });
    assert.ok(await apart() < 1e-6);
    await page.keyboard.press('m');
    await page.keyboard.press('Space');
    await until(page, ({ play }) => !play.playing && !play.muted);
  });

  test('a number that is typed is set, and Ctrl Z takes it back', async () => {
    const { parts: { chosen: [{ name }] } } = await slices(page);
    const number = page.getByRole('textbox', { name: 'Amount, ×' });
    await number.fill('1.75');
    await number.press('Enter');
    await until(page, ({ parts }) => parts.chosen[0].set.amount === 1.75);
    assert.equal(await page.getByRole('button', { name: new RegExp(`^Undo .*${name}`) }).isEnabled(), true);
    await page.keyboard.press('Control+z');
    await until(page, ({ parts }) => parts.chosen[0].set.amount === undefined);
    await page.keyboard.press('Control+Shift+z');
    await until(page, ({ parts }) => parts.chosen[0].set.amount === 1.75);
    await page.locator('.value-name', { hasText: 'Amount' }).dblclick();
    await until(page, ({ parts }) => parts.chosen[0].set.amount === undefined);
  });

  test('a click on the body selects the part that is seen there', async () => {
    const { parts } = await slices(page);
    const shares = await page.evaluate(async () => {
      const { file, parts: { candidates } } = window.rigspace.slices();
      const bytes = new Uint8Array(await (await fetch(`/file/${file.revision}/shares.bin`)).arrayBuffer());
      return candidates.map((_, c) => [...bytes.subarray(c * file.points, (c + 1) * file.points).entries()].filter(([, share]) => share === 255).map(([point]) => point));
    });
    const part = parts.chosen.at(-1);
    for (const point of shares[part.candidate].filter((_, i) => i % 40 === 0)) {
      const place = await page.evaluate((p) => window.rigspace.pointOnScreen(p), point);
      await page.mouse.move(place.x, place.y);
      await page.waitForTimeout(50);
      await page.mouse.click(place.x, place.y);
      if ((await page.locator('.row.selected b').allTextContents()).includes(part.name)) return;  // a hidden point may be behind what is firm
    }
    assert.fail(`no point of ${part.name} could be clicked`);
  });

  test('shift and drag on the time line selects a range, for which a field is set alone', async () => {
    const box = await page.locator('.ruler').boundingBox(), y = box.y + box.height / 2;
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 0.25 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, y, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const range = page.getByRole('radiogroup', { name: 'Holds for' }).getByRole('radio').nth(2);
    assert.match(await range.textContent(), /^\d+–\d+$/);
    await range.click();
    const { parts } = await slices(page), name = await page.locator('.row.selected b').textContent();
    const number = page.getByRole('textbox', { name: 'Amount, ×' });
    await number.fill('0.5');
    await number.press('Enter');
    await until(page, (now) => now.parts.chosen.find((part) => part.name === name).clip?.amount?.length > 0);
    assert.deepEqual((await slices(page)).parts.chosen.find((part) => part.name === name).set, parts.chosen.find((part) => part.name === name).set, 'elsewhere nothing is set');
    await page.keyboard.press('x');
    assert.equal(await range.textContent(), 'Range');
  });

  test('firm takes a part away and soft brings it back, in its colour', async () => {
    const { parts: { chosen } } = await slices(page), [first, second] = chosen;
    const color = () => page.locator('.legend .chip', { hasText: second.name }).getAttribute('style');
    const before = await color(), revision = (await slices(page)).file.revision;
    const row = page.locator('.row', { has: page.locator(`b:text-is("${first.name}")`) });
    await row.getByRole('radio', { name: 'Firm' }).click();
    await until(page, ({ parts }) => !parts.chosen.some(({ name }) => name === first.name));
    await opened(page);
    assert.equal(await color(), before);
    await row.getByRole('radio', { name: 'Soft' }).click();
    await until(page, ({ parts }) => parts.chosen.some(({ name }) => name === first.name));
    await opened(page);
    assert.ok((await slices(page)).file.revision >= revision);
  });

  test('complains of nothing', () => assert.deepEqual(log, []));
});
