// The page of before and after as a desk: a channel for each part, the command that keeps what is set, the ends of
// clips, the clip that is shown first, and the video.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { softStrip } from './glb.mjs';
import { checkPage, coloured, downloaded, launchBrowser, program, scratch, writeSoftPage } from './page.mjs';
import { framesOfWebm } from './webm.mjs';

let browser;
before(async () => { browser = await launchBrowser(); });
after(async () => { await browser?.close(); });

const kRerun = 'rigspace rerun hero.soft.json';
const head = { name: 'head', preset: 'ear', nodes: ['tip'], morphs: [], summary: '', amounts: [{ part: 'head', amount: 1 }] };
const girth = { name: 'girth', preset: 'belly', nodes: [], morphs: ['strip:wide'], summary: '',
                amounts: [{ part: 'girth', amount: 0.5 }] };
const nod = { base: 'nod', soft: 'nod_soft', loop: true, why: 'its name says "nod"', period: 1, parts: [head, girth] };
const lift = { base: 'lift', soft: 'lift_soft', why: 'its pose does not come back', parts: [head] };

const withPage = (path, check, options) => checkPage(browser, path, check, { viewport: { width: 1280, height: 800 }, ...options });
const strip = (pairs = [nod, lift], options) => writeSoftPage(softStrip(), pairs, { rerun: kRerun, ...options });
const seek = (page, time) => page.evaluate((t) => window.rigspace.seek(t), time);
const positions = (page, side) => page.evaluate((s) => Array.from(window.rigspace.positions(s)), side);
const amountOf = (page, part) => page.getByRole('slider', { name: `Amount of ${part}` });
const command = (page) => page.locator('.command code').textContent();

function assertClose(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) <= tolerance, `${i}: ${value} for ${expected[i]}`));
}

/// The strip's top row at t with `k` of the head's deviation and `w` of the girth's, by hand: T + Rz(t) Rx(k t/2) S v.
function topRow(t, k, w) {
  const wide = 0.5 * t + 0.25 * w * t;
  return [0, 1 + wide].flatMap((x) => {
    const [sx, cy, cz] = [(1 + 0.1 * k * t) * x, Math.cos(0.5 * k * t), Math.sin(0.5 * k * t)];
    return [Math.cos(t) * sx - Math.sin(t) * cy, 1 + 0.2 * k * t + Math.sin(t) * sx + Math.cos(t) * cy, cz];
  });
}

/// How far two skins are apart at most, percent of the strip's height, 2.
const farthest = (a, b) => Math.max(...Array.from({ length: a.length / 3 }, (_, i) =>
  50 * Math.hypot(...[0, 1, 2].map((c) => a[3 * i + c] - b[3 * i + c]))));

describe('a channel', () => {
  test('scales its part alone, and goes with the master', () =>
    withPage(strip(), async (page) => {
      await seek(page, 0.5);
      for (const [k, w, master] of [[1, 0, 1], [0.4, 1, 1], [2, 0.5, 1], [0.6, 1.5, 0.5]]) {
        await amountOf(page, 'head').fill(String(k));
        await amountOf(page, 'girth').fill(String(w));
        await page.evaluate((m) => window.rigspace.setAmount(m), master);
        assertClose((await positions(page, 'after')).slice(12), topRow(0.5, master * k, master * w), 2e-6);
        assertClose((await positions(page, 'before')).slice(12), topRow(0.5, 0, 0), 2e-6);
      }
    }));

  test('is silent while it is muted, and as it was afterwards', () =>
    withPage(strip(), async (page) => {
      await seek(page, 0.5);
      await amountOf(page, 'head').fill('1.5');
      const mute = page.getByRole('button', { name: 'Mute head' });
      await mute.click();
      assert.equal(await mute.getAttribute('aria-pressed'), 'true');
      assertClose((await positions(page, 'after')).slice(12), topRow(0.5, 0, 1), 2e-6);
      assert.match(await page.locator('.channel .now').first().textContent(), /^0\.0°$/);
      await mute.click();
      assertClose((await positions(page, 'after')).slice(12), topRow(0.5, 1.5, 1), 2e-6);
      await mute.click();
      await amountOf(page, 'head').fill('0.5');  // a hand on the slider wants to see it
      assert.equal(await mute.getAttribute('aria-pressed'), 'false');
      assertClose((await positions(page, 'after')).slice(12), topRow(0.5, 0.5, 1), 2e-6);
    }));

  test('keeps its setting from clip to clip', () =>
    withPage(strip(), async (page) => {
      await amountOf(page, 'head').fill('0.3');
      await page.evaluate(() => window.rigspace.choose('lift'));
      assert.equal(await amountOf(page, 'head').inputValue(), '0.3');
    }));

  test('moves the curves of its part', () =>
    withPage(strip(), async (page) => {
      await page.locator('.part', { hasText: 'girth' }).dblclick();
      const { x, y, width, height } = await page.locator('.chart').boundingBox();
      const shown = async () => {
        await page.mouse.move(x + 0.3 * width, y + 0.5 * height);
        await page.mouse.move(x + 0.6 * width, y + 0.5 * height);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        return Number((await page.locator('.values output').textContent()));
      };
      const whole = await shown();
      assert.ok(whole > 0.1, `a weight of ${whole}`);
      await amountOf(page, 'girth').fill('0.5');
      assertClose([await shown()], [whole / 2], 0.006);
    }));

  test('is missing where nothing of a recipe is behind it', () =>
    withPage(strip([{ ...nod, parts: [{ ...head, amounts: undefined }] }]), async (page) => {
      assert.equal(await page.locator('.channel input').count(), 0);
      assert.equal(await page.locator('.mute').count(), 0);
    }));
});

describe('the command', () => {
  test('is shown while something is changed, with the amounts of the recipe', () =>
    withPage(strip(), async (page) => {
      const bar = page.locator('.command');
      assert.equal(await bar.isVisible(), false);
      await amountOf(page, 'head').fill('0.6');
      assert.equal(await bar.isVisible(), true);
      assert.equal(await command(page), `${kRerun} --set head.amount=0.6`);
      await amountOf(page, 'girth').fill('1.5');  // of a half
      assert.equal(await command(page), `${kRerun} --set head.amount=0.6 --set girth.amount=0.75`);
      await page.getByRole('button', { name: 'Mute head' }).click();
      assert.equal(await command(page), `${kRerun} --set head.amount=0 --set girth.amount=0.75`);
      await page.evaluate(() => window.rigspace.setAmount(2));
      assert.equal(await command(page), `${kRerun} --set head.amount=0 --set girth.amount=1.5`);
      await page.getByRole('button', { name: 'Reset' }).click();
      assert.equal(await bar.isVisible(), false);
      assert.equal(await page.evaluate(() => window.rigspace.amount), 1);
      await seek(page, 0.5);
      assertClose((await positions(page, 'after')).slice(12), topRow(0.5, 1, 1), 2e-6);
    }));

  test('quotes what a shell would read otherwise', () => {
    const odd = [{ ...head, name: 'big belly', amounts: [{ part: 'big belly', amount: 1 }] },
                 { ...girth, name: "o'tail.001", amounts: [{ part: "o'tail.001", amount: 1 }] }];
    return withPage(strip([{ ...nod, parts: odd }]), async (page) => {
      await amountOf(page, 'big belly').fill('0.6');
      await amountOf(page, "o'tail.001").fill('0.4');
      assert.equal(await command(page), `${kRerun} --set 'big belly.amount=0.6' --set 'o'\\''tail.001.amount=0.4'`);
      const words = execFileSync('sh', ['-c', `printf '%s\\n' ${await command(page)}`], { encoding: 'utf8' });
      assert.deepEqual(words.trim().split('\n').slice(3), ['--set', 'big belly.amount=0.6', '--set', "o'tail.001.amount=0.4"]);
    });
  });

  test('names all parts at once where they get the same', () =>
    withPage(strip([{ ...nod, parts: [head, { ...girth, amounts: [{ part: 'girth', amount: 1 }] }] }]), async (page) => {
      await page.evaluate(() => window.rigspace.setAmount(0.5));
      assert.equal(await command(page), `${kRerun} --set '*.amount=0.5'`);
    }));

  test('scales keys, and names the clip where its amounts are its own', () => {
    const keyed = { ...head, amounts: [{ part: 'head', amount: 1, keys: [[0, 1], [0.5, 0.4]], interpolation: 'linear', clipOnly: true }] };
    return withPage(strip([{ ...nod, parts: [keyed] }, lift]), async (page) => {
      await amountOf(page, 'head').fill('0.5');
      assert.equal(await command(page), `${kRerun} --set head.amount=0:0.5,0.5:0.2,linear --clip nod`);
      await page.evaluate(() => window.rigspace.choose('lift'));
      assert.equal(await command(page), `${kRerun} --set head.amount=0.5 --clip lift`);
    });
  });

  test('goes to the clipboard', () =>
    withPage(strip(), async (page) => {
      await amountOf(page, 'head').fill('0.6');
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${kRerun} --set head.amount=0.6`);
      await amountOf(page, 'head').fill('0.7');
      assert.equal(await page.locator('.copy').textContent(), 'Copy', 'another command is not copied yet');
    }, { permissions: ['clipboard-read', 'clipboard-write'] }));

  test('is not shown where the run cannot be repeated', () =>
    withPage(strip([nod], { rerun: undefined }), async (page) => {
      await amountOf(page, 'head').fill('0.6');
      assert.equal(await page.locator('.command').isVisible(), false);
    }));

  const built = program();
  test('makes what the page showed', { skip: built ? false : 'the program is not built' }, async () => {
    const hero = join(scratch, 'desk.glb'), html = join(scratch, 'desk.soft.html');
    execFileSync(built, ['cast', 'bobbin', '-o', hero]);
    execFileSync(built, ['simulate', hero, '--clip', 'Walk'], { stdio: 'ignore' });
    const after_ = () => withPageOf(html, async (page) => { await seek(page, 0.4); return positions(page, 'after'); });
    const { shown, simulated, words } = await withPageOf(html, async (page) => {
      await seek(page, 0.4);
      const simulated = await positions(page, 'after');
      await amountOf(page, 'tail').fill('0.5');
      await page.getByRole('button', { name: 'Mute ear_l' }).click();
      return { simulated, shown: await positions(page, 'after'), words: await command(page) };
    });
    assert.equal(words, 'rigspace rerun desk.soft.json --set tail.amount=0.5 --set ear_l.amount=0');
    const path = `${dirname(built)}${delimiter}${process.env.PATH}`;
    execFileSync('sh', ['-c', words], { cwd: scratch, env: { ...process.env, PATH: path }, stdio: 'ignore' });
    const rerun = await after_();
    const size = Math.max(...shown) - Math.min(...shown);
    // Amounts below one scale the deviation of the finished run: the page and the run do the same to float32 keys.
    const apart = Math.max(...shown.map((v, i) => Math.abs(v - rerun[i]))) / size;
    const changed = Math.max(...shown.map((v, i) => Math.abs(v - simulated[i]))) / size;
    assert.ok(changed > 0.01 && apart < 0.02 * changed, `apart by ${apart} of the size, after a change of ${changed}`);
    const recipe = JSON.parse(readFileSync(join(scratch, 'desk.soft.json'), 'utf8'));
    assert.equal(recipe.parts.find((part) => part.name === 'tail').look.amount, 0.5);
  });

  async function withPageOf(path, take) {
    let taken;
    await withPage(path, async (page) => { taken = await take(page); });
    return taken;
  }
});

describe('the ends of a clip', () => {
  const seam = (page) => page.evaluate(() => window.rigspace.seam());

  test('of a loop are its last and its first frame, with the gap of the deviation', () =>
    withPage(strip(), async (page) => {
      await seek(page, 1);
      const gap = farthest(await positions(page, 'after'), await positions(page, 'before'));  // at its start there is none
      await page.getByRole('button', { name: 'Seam', exact: true }).click();
      const found = await seam(page);
      assert.ok(gap > 1);
      assertClose([found.percent, found.start, found.end], [gap, 0, gap], 1e-4);
      assert.equal(found.lastStep, null);
      assert.deepEqual((await page.locator('.side.end').allTextContents()).map((text) => text.trim()),
                       ['last frame 24, 1.00 s', 'first frame 0, 0.00 s']);
      assert.match(await page.locator('.clip-line').textContent(), new RegExp(`seam ${gap.toFixed(2)} %`));
    }));

  test('mark the point that differs most, on both pictures', () =>
    withPage(strip(), async (page) => {
      await page.keyboard.press('e');
      const marks = page.locator('.seam-mark:visible');
      assert.equal(await marks.count(), 2);
      const stage = await page.locator('#stage').boundingBox();
      const boxes = await Promise.all([0, 1].map((i) => marks.nth(i).boundingBox()));
      const middle = boxes.map(({ x, width }) => (x + width / 2 - stage.x) / stage.width);
      assert.ok(middle[0] < 0.5 && middle[1] > 0.5, `${middle}`);
      assert.match(await marks.first().textContent(), /^\d+\.\d\d %$/);
      await page.evaluate(() => window.rigspace.setAmount(0));  // nothing is added, so nothing differs
      assert.equal(await marks.count(), 0);
      assert.equal((await seam(page)).percent, 0);
    }));

  test('show the other end as a ghost', () =>
    withPage(strip(), async (page) => {
      const blue = async () =>
        (await coloured(browser, page.locator('#stage'), [[0, 0.5, 0, 1], [0.5, 1, 0, 1]], [[60, 90, 180], [200, 205, 255]])).map(({ part }) => part);
      const without = await blue();
      await page.keyboard.press('e');
      (await blue()).forEach((part, i) => assert.ok(part > without[i] + 0.002, `${part} after ${without[i]}`));
    }, { colorScheme: 'light' }));

  test('of a clip that plays once are held against the artist’s pose', () =>
    withPage(strip(), async (page) => {
      await page.evaluate(() => window.rigspace.choose('lift'));
      await page.keyboard.press('e');
      await seek(page, 1);
      assert.equal(await page.evaluate(() => window.rigspace.mode), 'side', 'a time is seen in the split view');
      const end = farthest(await positions(page, 'after'), await positions(page, 'before'));
      await page.keyboard.press('e');
      const found = await seam(page);
      assertClose([found.start, found.end, found.percent], [0, end, end], 1e-4);
      assert.deepEqual((await page.locator('.side.end').allTextContents()).map((text) => text.trim()),
                       ['start frame 0, 0.00 s', 'end frame 24, 1.00 s']);
      assert.equal(await page.locator('.seam-mark:visible').count(), 1);
    }));

  test('of a loop without its closing frame are one frame apart, as the file says', () =>
    withPage(strip([{ ...nod, period: 1 + 1 / 24 }]), async (page) => {
      await seek(page, 23 / 24);
      const [before_, after_] = [await positions(page, 'before'), await positions(page, 'after')];
      await seek(page, 1);
      const [lastBefore, lastAfter] = [await positions(page, 'before'), await positions(page, 'after')];
      const change = lastAfter.map((v, i) => v - lastBefore[i] - (after_[i] - before_[i]));
      assertClose([(await seam(page)).lastStep], [farthest(change, change.map(() => 0))], 1e-4);
      assert.match(await page.locator('.clip-line').textContent(), /step at the seam \d+\.\d\d %, before it \d+\.\d\d %/);
    }));

  test('give way when the clip is played', () =>
    withPage(strip(), async (page) => {
      await page.keyboard.press('e');
      assert.equal(await page.evaluate(() => window.rigspace.mode), 'seam');
      await page.keyboard.press('Space');
      assert.equal(await page.evaluate(() => window.rigspace.mode), 'side');
    }));
});

describe('a clip', () => {
  test('is marked as a loop or not, with the reason', () =>
    withPage(strip(), async (page) => {
      assert.deepEqual(await page.locator('select.clip option').allTextContents(), ['nod · loop', 'lift · once']);
      assert.equal(await page.locator('.play-mark').textContent(), 'loop');
      assert.equal(await page.locator('.why').textContent(), 'since its name says "nod"');
      await page.evaluate(() => window.rigspace.choose('lift'));
      assert.equal(await page.locator('.play-mark').textContent(), 'once');
      assert.equal(await page.locator('.why').textContent(), 'since its pose does not come back');
    }));

  test('is shown first where its deviation is largest', () =>
    withPage(strip([{ ...nod, largest: { percent: 3, at: 0.5 } }, { ...lift, largest: { percent: 8.26, at: 0.75 } }]), async (page) => {
      assert.equal(await page.evaluate(() => window.rigspace.pair), 'lift');
      const most = page.locator('.figure', { hasText: 'most' });
      assert.equal(await most.textContent(), 'most 8.3 % of the height at frame 18');
      await most.click();
      assert.equal(await page.evaluate(() => window.rigspace.time), 0.75);
    }));

  test('is shown first where the address names it', () =>
    withPage(strip(), async (page) => {
      assert.equal(await page.evaluate(() => window.rigspace.pair), 'lift');
      await page.evaluate(() => { location.hash = '#clip=nod'; });
      await page.waitForFunction(() => window.rigspace.pair === 'nod');
    }, { hash: '#clip=lift' }));
});

describe('a video', () => {
  const viewport = { width: 640, height: 480 };  // a small stage: frames are counted, not looked at
  const recorded = async (page) => {
    const [download] = await Promise.all([page.waitForEvent('download', { timeout: 240_000 }), page.keyboard.press('r')]);
    return { name: download.suggestedFilename(), ...framesOfWebm(await downloaded(download)) };
  };

  test('holds one turn of a loop, frame by frame, and is named after both', () =>
    withPage(strip([nod, lift], { title: 'hero.soft.glb' }), async (page) => {
      const film = await recorded(page);
      assert.equal(film.name, 'hero_nod.webm');
      assert.equal(film.frames, 24);
      assertClose(film.times, Array.from({ length: 24 }, (_, i) => (1000 * i) / 24), 0.5);
      const { width, height } = await page.locator('#stage').evaluate((stage) => ({ width: stage.clientWidth, height: stage.clientHeight }));
      assert.deepEqual([film.width, film.height], [width - (width % 2), height - (height % 2)]);
      assert.equal(await page.locator('.recording').textContent(), 'Saved hero_nod.webm');
    }, { viewport, deviceScaleFactor: 1 }));

  test('holds the whole of a clip that plays once, both ends included', () =>
    withPage(strip([{ ...lift, base: 'lift' }], { title: 'a b.glb' }), async (page) => {
      await seek(page, 0.3);
      const film = await recorded(page);
      assert.equal(film.name, 'a_b_lift.webm');
      assert.equal(film.frames, 25);
      await page.waitForFunction(() => window.rigspace.time === 0.3, null, { timeout: 5000 });
    }, { viewport }));

  test('is refused in a sentence where the browser cannot record', () =>
    withPage(strip(), async (page) => {
      await page.keyboard.press('r');
      assert.match(await page.locator('.recording').textContent(), /^This browser cannot record video; open the page in/);
    }, { before: () => { delete window.MediaRecorder; delete window.VideoEncoder; } }));

  test('is recorded as it is drawn where the browser encodes no single frames', () =>
    withPage(strip(), async (page) => {
      const film = await recorded(page);
      assert.equal(film.name, 'test_nod.webm');
      assert.ok(film.frames > 0 && film.frames <= 24, `${film.frames} frames`);
    }, { viewport, before: () => { delete window.VideoEncoder; } }));

  test('stops without a file when the key is pressed again', () =>
    withPage(strip(), async (page) => {
      await page.keyboard.press('r');
      await page.locator('.recording', { hasText: 'Recording' }).waitFor();
      await page.keyboard.press('r');
      await page.locator('.recording', { hasText: 'Stopped, without a file' }).waitFor();
    }));
});
