// The page of many characters in a real browser, opened from disk.

import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { softStrip } from './glb.mjs';
import { launchBrowser, openPage, scratch, writeBatchPage, writePage, writeSoftPage } from './page.mjs';

let browser;
before(async () => { browser = await launchBrowser(); });
after(async () => { await browser?.close(); });

const head = { name: 'head', preset: 'ear', nodes: ['tip'], morphs: [], summary: '' };
const kPairs = [{ base: 'nod', soft: 'nod_soft', loop: true, largest: { percent: 5, at: 0.75 }, parts: [head] }, { base: 'lift', soft: 'lift_soft', parts: [head] }];
const clip = (name, more = {}) => ({ name, loop: false, duration: 1, problems: [], ...more });
const nods = { name: 'nods.glb', parts: [{ name: 'tail', preset: 'tail', reason: 'called Tail1, a word for tail' }],
               clips: [clip('nod', { loop: true, why: 'its name says so', seam: 0, typical: 1.234, largest: 12.34, seconds: 3.21 }), clip('lift')] };
const jumps = { name: 'jumps.glb', clips: [clip('Rig|Jump', { seam: 0.4, problems: ['jumps where it repeats by 0.4 % of the height', 'buzzes'] }), clip('Rig|Walk')],
                warnings: ['It measures 154.7 units.'] };
const chair = { name: 'chair.glb', failure: 'chair.glb has nothing that could move; bind it to joints' };

/// The page of a strip in the scratch folder, under this name.
function ownPage(name) {
  copyFileSync(writeSoftPage(softStrip(), kPairs), join(scratch, name));
  return name;
}

/// Opens a batch and requires that it asked for nothing but the characters' own pages, and did not complain.
async function withBatch(characters, check, { batch, ...options } = {}) {
  const { page, log, close } = await openPage(browser, writeBatchPage(characters, batch),
                                              { ready: false, viewport: { width: 1200, height: 800 }, ...options });
  let failed = true;
  try {
    await check(page);
    const own = characters.filter((c) => c.page).map((c) => pathToFileURL(join(scratch, c.page)).href);
    assert.deepEqual(log.requests.filter((url) => !own.includes(url.split('#')[0])), []);
    assert.deepEqual(log.console, []);
    failed = false;
  } finally {
    await close(failed);
  }
}

const names = (page) => page.locator('.card:visible h2').allTextContents();
const card = (page, name) => page.locator(`.card[data-name="${name}"]`);
/// The frame of a live view, once its page is ready.
async function liveFrame(page, name) {
  const handle = await card(page, name).locator('iframe').elementHandle();
  const frame = await handle.contentFrame();
  await frame.waitForFunction(() => window.rigspace);
  await frame.evaluate(() => window.rigspace.ready);
  return frame;
}

describe('the head', () => {
  test('counts characters, clips and failures', () =>
    withBatch([nods, jumps, chair], async (page) => {
      assert.equal(await page.title(), 'bunch');
      assert.deepEqual(await page.locator('.counts li').allTextContents(),
                       ['1 of 3 characters right', '3 of 4 clips pass', '1 failure', '2.0 min in all']);
    }, { batch: { title: 'bunch', seconds: 121 } }));

  test('says so where all is right', () =>
    withBatch([nods], async (page) => {
      assert.deepEqual(await page.locator('.counts li').allTextContents(), ['1 character right', '2 clips pass']);
    }));

  test('filters by problems and by name', () =>
    withBatch([nods, jumps, chair], async (page) => {
      assert.deepEqual(await names(page), ['nods.glb', 'jumps.glb', 'chair.glb']);
      const only = page.getByLabel('only those with problems');
      await only.check();
      assert.deepEqual(await names(page), ['jumps.glb', 'chair.glb']);
      await page.getByRole('searchbox').fill('CHAIR');
      assert.deepEqual(await names(page), ['chair.glb']);
      await page.getByRole('searchbox').fill('nods');
      assert.deepEqual(await names(page), []);
      assert.ok(await page.getByText('No character is left').isVisible());
      await only.uncheck();
      assert.deepEqual(await names(page), ['nods.glb']);
    }));
});

describe('a card', () => {
  test('tells parts with reasons, and of each clip loop or once and its figures', () =>
    withBatch([nods], async (page) => {
      assert.equal(await page.locator('dt').textContent(), 'tail');
      assert.equal(await page.locator('dd').textContent(), 'called Tail1, a word for tail');
      const cells = (name) => page.locator(`tr[data-clip="${name}"] td`).allTextContents();
      assert.deepEqual(await cells('nod'), ['nod', 'loop', '0 %', '1.23 %', '12.3 %', '3.2 s']);
      assert.deepEqual(await cells('lift'), ['lift', 'once', '', '', '', '']);
      assert.equal(await page.locator('.badge').textContent(), 'right');
    }));

  test('tells problems and warnings in their words', () =>
    withBatch([jumps], async (page) => {
      assert.deepEqual(await page.locator('.problem').allTextContents(), jumps.clips[0].problems);
      assert.equal(await page.locator('.caution').textContent(), jumps.warnings[0]);
      assert.equal(await page.locator('.badge').textContent(), '1 of 2 clips has problems');
      assert.equal(await page.locator('tr[data-clip="Rig|Jump"] td span').first().textContent(), 'Jump');
    }));

  test('of a failure is red, with its one sentence and no view', () =>
    withBatch([chair], async (page) => {
      const sentence = page.locator('p.failure');
      assert.equal(await sentence.textContent(), chair.failure);
      const [red, green, blue] = (await sentence.evaluate((e) => getComputedStyle(e).color)).match(/\d+/g).map(Number);
      assert.ok(red > 2 * green && red > 2 * blue, `${red} ${green} ${blue}`);
      assert.equal(await page.locator('.live').count(), 0);
    }, { colorScheme: 'light' }));

  test('keeps a long list short, but not what has problems', () =>
    withBatch([{ name: 'many.glb', clips: Array.from({ length: 30 }, (_, i) => clip(`c${i}`, i === 25 ? { problems: ['buzzes'] } : {})) }], async (page) => {
      assert.equal(await page.locator('.clip-row:visible').count(), 11);
      assert.ok(await page.locator('tr[data-clip="c25"]').isVisible());
      await page.getByRole('button', { name: '19 more clips that pass' }).click();
      assert.equal(await page.locator('.clip-row:visible').count(), 30);
    }));

  test('links to its own page, whatever its name', () =>
    withBatch([{ ...nods, page: ownPage('a b#1?100%.soft.html') }], async (page) => {
      await liveFrame(page, 'nods.glb');
      await page.locator('h2 a').click();
      await page.waitForFunction(() => window.rigspace?.pairs !== undefined);
      assert.equal(decodeURIComponent(basename(page.url())), 'a b#1?100%.soft.html');
    }));

  test('shows text as text', () => {
    const hostile = '<img src=x onerror=alert(1)>&"\'';
    return withBatch([{ name: hostile, parts: [{ name: hostile, preset: hostile, reason: hostile }], remark: hostile,
                        clips: [clip(hostile, { problems: [hostile] })], warnings: [hostile] }], async (page) => {
      assert.equal(await page.locator('h2').textContent(), hostile);
      assert.equal(await page.locator('.problem').textContent(), hostile);
      assert.equal(await page.locator('img').count(), 0);
    });
  });
});

describe('live views', () => {
  test('are the characters’ own pages, compact', () =>
    withBatch([{ ...nods, page: ownPage('nods.soft.html') }], async (page) => {
      const frame = await liveFrame(page, 'nods.glb');
      assert.match(frame.url(), /nods\.soft\.html#compact$/);
      const { pair, stage, height } = await frame.evaluate(() => ({ pair: window.rigspace.pair, height: innerHeight,
        stage: document.getElementById('stage').getBoundingClientRect().height }));
      assert.equal(pair, 'nod');
      assert.equal(await frame.evaluate(() => window.rigspace.time), 0.75, 'where nothing is to move, the largest deviation stands');
      assert.equal(stage, height, 'the picture fills the view');
      assert.equal(await frame.locator('.timeline, .topbar, .dock').filter({ visible: true }).count(), 0);
      assert.equal(await frame.locator('.compact-clip').textContent(), 'nod');
    }));

  test('play the clip whose name is clicked, without being loaded again', () =>
    withBatch([{ ...nods, page: ownPage('nods.soft.html') }], async (page) => {
      const frame = await liveFrame(page, 'nods.glb');
      await frame.evaluate(() => { window.same = true; });
      await page.getByRole('button', { name: 'lift' }).click();
      await frame.waitForFunction(() => window.rigspace.pair === 'lift');
      assert.equal(await frame.evaluate(() => window.same), true);
    }));

  test('are a few at a time: those that are seen', () =>
    withBatch(Array.from({ length: 9 }, (_, i) => ({ ...nods, name: `c${i}`, page: ownPage(`c${i}.html`) })), async (page) => {
      const alive = () => page.locator('.card:has(iframe)').evaluateAll((cards) => cards.map((c) => c.dataset.name));
      await page.waitForFunction(() => window.rigspace.alive > 0);
      assert.ok((await alive()).includes('c0') && !(await alive()).includes('c8'));
      for (let i = 0; i < 9; ++i) {
        await card(page, `c${i}`).scrollIntoViewIfNeeded();
        await page.waitForFunction((name) => document.querySelector(`[data-name="${name}"] iframe`), `c${i}`);
        assert.ok((await alive()).length <= 4, `${await alive()}`);
      }
      assert.ok(!(await alive()).includes('c0'), 'what is far away is taken out');
    }));

  test('let the wheel scroll the page around them', () =>
    withBatch(Array.from({ length: 4 }, (_, i) => ({ ...nods, name: `c${i}`, page: ownPage(`c${i}.html`) })), async (page) => {
      await liveFrame(page, 'c0');
      const { x, y, width, height } = await card(page, 'c0').locator('.live').boundingBox();
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.wheel(0, 300);
      await page.waitForFunction(() => scrollY > 100);
    }));

  test('of a result where nothing moves are compact as well', async () => {
    copyFileSync(writePage(softStrip()), join(scratch, 'still.html'));
    await withBatch([{ name: 'still.glb', page: 'still.html', remark: 'Nothing obvious moves.' }], async (page) => {
      const frame = await liveFrame(page, 'still.glb');
      assert.equal(await frame.locator('.timeline, .topbar, .dock').filter({ visible: true }).count(), 0);
      assert.equal(await page.locator('.badge').textContent(), 'nothing to move');
    });
  });
});
