// The page of before and after in a real browser, opened from disk.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { softStrip } from './glb.mjs';
import { asset, checkPage, coloured, launchBrowser, magenta, magentaIn, program, scratch, writeSoftPage } from './page.mjs';

let browser;
before(async () => { browser = await launchBrowser(); });
after(async () => { await browser?.close(); });

const withPage = (path, check, options) => checkPage(browser, path, check, options);
const kPairs = [
  { base: 'nod', soft: 'nod_soft', loop: true,
    parts: [{ name: 'head', preset: 'ear', nodes: ['tip', 'absent'], morphs: [], summary: 'Nods.' },
            { name: 'girth', preset: 'belly', nodes: [], morphs: ['strip:wide'], summary: '' }] },
  { base: 'lift', soft: 'lift_soft', parts: [{ name: 'head', preset: 'ear', nodes: ['tip'], morphs: [], summary: '' }] },
];
const strip = (pairs = kPairs, options) => writeSoftPage(softStrip(), pairs, options);

const showAt = (page, time, amount) => page.evaluate(([t, k]) => {
  window.rigspace.seek(t);
  window.rigspace.setAmount(k);
}, [time, amount]);
const positions = (page, side) => page.evaluate((s) => Array.from(window.rigspace.positions(s)), side);
const state = (page) => page.evaluate(() => ({ time: window.rigspace.time, amount: window.rigspace.amount,
                                               playing: window.rigspace.playing, pair: window.rigspace.pair }));
const drawnPart = async (page) => (await magenta(browser, page)).part;
const halves = (page) => magentaIn(browser, page, [[0, 0.5, 0, 1], [0.5, 1, 0, 1]]);

function assertClose(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) <= tolerance, `${i}: ${value} for ${expected[i]}`));
}

/// The strip's top row at t with k of the deviation, by hand: T + Rz(t) Rx(k t/2) S v.
function topRow(t, k) {
  const wide = 0.5 * t + 0.25 * k * t;
  return [0, 1 + wide].flatMap((x) => {
    const [sx, cy, cz] = [(1 + 0.1 * k * t) * x, Math.cos(0.5 * k * t), Math.sin(0.5 * k * t)];
    return [Math.cos(t) * sx - Math.sin(t) * cy, 1 + 0.2 * k * t + Math.sin(t) * sx + Math.cos(t) * cy, cz];
  });
}

describe('two methods', () => {
  const distance = { name: 'distance of vertices', preset: 'both motions', nodes: [], morphs: [], summary: '',
                     curves: [{ name: 'largest', percent: [0, 1, 0.5] }, { name: 'mean', percent: [0, 0.25, 0.125] }] };
  const compared = () => strip([{ base: 'nod', soft: 'nod_soft', parts: [distance] }],
                               { labels: { before: 'full', after: 'fast' } });

  test('are called by their own names', () =>
    withPage(compared(), async (page) => {
      assert.equal(await page.locator('.side').first().textContent(), 'full');
      assert.equal((await page.locator('.side.after').textContent()).trim(), 'fast ×1.00');
      assert.match(await page.getByRole('button', { name: 'Overlay' }).getAttribute('title'), /^fast, with full as a ghost/);
    }));

  test('show the distances that were measured, over the length of the clip', () =>
    withPage(compared(), async (page) => {
      const { times, curves } = await page.evaluate(() => window.rigspace.deviation());
      assert.deepEqual(curves.map(({ name, quantity }) => [name, quantity]), [['largest', 'distance'], ['mean', 'distance']]);
      const last = times.length - 1;
      assert.equal(curves[0].values[0][0], 0);
      assert.equal(curves[0].values[0][last], 0.5);
      assertClose([Math.max(...curves[0].values[0]), Math.max(...curves[1].values[0])], [1, 0.25], 0.06);
      assert.equal(await page.evaluate(() => window.rigspace.curvesDrawn), 2);
      await showAt(page, times[last], 1);
      assert.match(await page.locator('.channel .now').textContent(), /^0\.50 %$/);
    }));
});

describe('before and after', () => {
  test('are the artist’s clip and base + k (soft - base), rotations along their axis', () =>
    withPage(strip(), async (page) => {
      // The file's numbers are floats: 1e-6 of a size of 2. Times are those of keys.
      for (const t of [0, 0.25, 0.5, 1])
        for (const k of [0, 0.4, 1, 2]) {
          await showAt(page, t, k);
          assertClose((await positions(page, 'before')).slice(12), topRow(t, 0), 2e-6);
          assertClose((await positions(page, 'after')).slice(12), topRow(t, k), 2e-6);
        }
    }));

  test('are the same to the bit at amount 0', () =>
    withPage(strip(), async (page) => {
      for (const t of [0.1, 0.77]) {
        await showAt(page, t, 0);
        assert.deepEqual(await positions(page, 'after'), await positions(page, 'before'));
      }
    }));

  test('depend on pair, time and amount alone, not on what was shown before', () =>
    withPage(strip(), async (page) => {
      const lift = async () => {
        await page.evaluate(() => window.rigspace.choose('lift'));
        await showAt(page, 0.5, 2);
        return [await positions(page, 'before'), await positions(page, 'after')];
      };
      const first = await lift();
      // lift_soft leaves the root alone, so twice the deviation puts it as far below as the artist put it above.
      assertClose([first[0][1], first[1][1]], [0.5, -0.5], 2e-6);
      await page.evaluate(() => window.rigspace.choose('nod'));
      await showAt(page, 1, 1.5);
      assert.deepEqual(await lift(), first);
      await showAt(page, 0.9, 0.3);
      await showAt(page, 0.5, 2);
      assert.deepEqual([await positions(page, 'before'), await positions(page, 'after')], first);
    }));
});

describe('the pictures', () => {
  test('of both halves are one at amount 0, from wherever they are looked at', () =>
    withPage(strip(), async (page) => {
      await showAt(page, 1, 0);
      const { x, y, width, height } = await page.locator('#stage').boundingBox();
      const alike = ([a, b]) => {
        assert.ok(a.part > 0.01, `the strip covers ${a.part} of its half`);
        // The same triangles under the same camera: rounding of the outline alone.
        for (const key of ['part', 'x', 'y']) assert.ok(Math.abs(a[key] - b[key]) < 0.004, JSON.stringify([a, b]));
      };
      const straight = await halves(page);
      alike(straight);
      for (const from of [0.25, 0.75]) {  // a hand on either half moves both cameras
        await page.mouse.move(x + from * width, y + 0.6 * height);
        await page.mouse.down();
        await page.mouse.move(x + (from - 0.06) * width, y + 0.7 * height, { steps: 3 });
        await page.mouse.up();
        const turned = await halves(page);
        alike(turned);
        assert.ok(Math.abs(turned[0].part - straight[0].part) + Math.abs(turned[0].y - straight[0].y) > 0.004,
                  JSON.stringify([turned, straight]));
      }
    }));

  test('differ by what the simulation did', () =>
    withPage(strip(), async (page) => {
      await page.evaluate(() => window.rigspace.choose('lift'));
      await showAt(page, 1, 1);
      const [a, b] = await halves(page);
      assert.ok(b.y - a.y > 0.1, `lifted before at ${a.y}, not lifted after at ${b.y}`);
    }));

  test('wipe where the line is dragged', () =>
    withPage(strip(), async (page) => {
      await page.evaluate(() => window.rigspace.choose('lift'));
      await showAt(page, 1, 1);
      await page.getByRole('button', { name: 'Wipe' }).click();
      const { x, y, width, height } = await page.locator('#stage').boundingBox();
      const wiped = async (from, to) => {
        await page.mouse.move(x + from * width, y + 0.3 * height);
        await page.mouse.down();
        await page.mouse.move(x + to * width, y + 0.3 * height, { steps: 3 });
        await page.mouse.up();
        return magenta(browser, page);
      };
      const before = await wiped(0.5, 0.98), after = await wiped(0.98, 0.02);
      assert.ok(after.y - before.y > 0.1, JSON.stringify({ before, after }));
      assert.equal(await page.getByRole('separator').getAttribute('aria-valuenow'), '2');
    }));

  test('lie over each other', () =>
    withPage(strip(), async (page) => {
      await showAt(page, 0, 1);
      const alone = await drawnPart(page);
      await page.keyboard.press('v');
      await page.keyboard.press('v');
      assert.equal(await page.locator('#stage').getAttribute('data-split'), 'overlay');
      assert.ok(alone > 0.02);
      // Where the poses agree the ghost is hidden: the whole strip shows its own colour.
      const solid = await drawnPart(page);
      for (const mode of ['seam', 'side', 'wipe']) {
        await page.keyboard.press('v');
        assert.equal(await page.evaluate(() => window.rigspace.mode), mode);
      }
      assert.ok(Math.abs(solid - await drawnPart(page)) < 0.003, 'as a wipe of two equal poses');
    }));
});

describe('the curves', () => {
  test('are the deviation: degrees, percent of the size, weights', () =>
    withPage(strip(), async (page) => {
      const { times, curves } = await page.evaluate(() => window.rigspace.deviation());
      assert.equal(times.length, 25);
      const named = (name, quantity) => curves.find((c) => c.name === name && c.quantity === quantity).values;
      assert.equal(curves.length, 3);
      times.forEach((t, i) => {
        const at = (values) => values.map((component) => component[i]);
        assertClose(at(named('tip', 'turn')), [(0.5 * t * 180) / Math.PI, 0, 0], 1e-4);
        assertClose(at(named('tip', 'shift')), [0, 10 * t, 0], 1e-4);
        assertClose(at(named('wide', 'weight')), [0.25 * t, 0, 0], 1e-6);
      });
    }));

  test('are drawn for the parts that are chosen', () =>
    withPage(strip(), async (page) => {
      const drawn = () => page.evaluate(() => window.rigspace.curvesDrawn);
      const part = (name) => page.getByRole('group', { name: 'Parts' }).locator('.part', { hasText: name });
      assert.equal(await drawn(), 3);
      await part('head').click();
      assert.equal(await drawn(), 1);
      await part('girth').click();
      assert.equal(await drawn(), 0);
      await part('girth').dblclick();
      assert.equal(await drawn(), 1);
    }));

  test('are drawn in the colours of their parts', () =>
    withPage(strip(), async (page) => {
      // The second part's vermillion, #d55e00.
      const ink = async () =>
        (await coloured(browser, page.locator('.chart'), [[0, 1, 0, 1]], [[200, 70, 0], [230, 130, 60]]))[0].part;
      assert.ok((await ink()) > 5e-4, `${await ink()} of the field`);
      await page.getByRole('button', { name: /^girth/ }).click();
      assert.equal(await ink(), 0);
    }, { colorScheme: 'light' }));

  test('scrub both sides when the playhead is dragged, and tell values under the cursor', () =>
    withPage(strip(), async (page) => {
      await showAt(page, 0, 1);
      const start = [await positions(page, 'before'), await positions(page, 'after')];
      const { x, y, width, height } = await page.locator('.chart').boundingBox();
      await page.mouse.move(x + 0.2 * width, y + 0.5 * height);
      await page.mouse.down();
      await page.mouse.move(x + 0.6 * width, y + 0.5 * height, { steps: 3 });
      const { time } = await state(page);
      assert.ok(time > 0.4 && time < 0.7, `at ${time}`);
      assert.notDeepEqual(await positions(page, 'before'), start[0]);
      assert.notDeepEqual(await positions(page, 'after'), start[1]);
      await page.mouse.move(x + 2 * width, y + 0.5 * height);
      assert.equal((await state(page)).time, 1, 'the end holds');
      await page.mouse.up();
      await page.mouse.move(x + 0.6 * width, y + 0.5 * height);
      const values = page.locator('.values');
      await values.waitFor({ state: 'visible' });
      assert.match(await values.textContent(), /s.*tip.*°/);
    }));
});

describe('keys and controls', () => {
  test('play, step, and set the amount', () =>
    withPage(strip(), async (page) => {
      for (const k of [0, 2, 1]) {
        await page.keyboard.press(String(k));
        assert.equal((await state(page)).amount, k);
        assert.equal(await page.locator('.amount .reading').textContent(), `×${k}.00`);
      }
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.locator('.frames').textContent(), 'frame 1 / 24');
      await page.keyboard.press('Space');
      await page.waitForFunction(() => window.rigspace.playing && window.rigspace.time > 0.1);
      await page.keyboard.press('Space');
      assert.equal((await state(page)).playing, false);
      await page.getByRole('slider', { name: 'Amount' }).fill('1.5');
      assert.equal((await state(page)).amount, 1.5);
      await page.getByRole('slider', { name: 'Amount' }).fill('0.97');
      assert.equal((await state(page)).amount, 1, 'near a mark the slider snaps to it');
    }, { viewport: { width: 1280, height: 720 } }));

  test('choose the pair by the artist’s name', () =>
    withPage(strip(), async (page) => {
      assert.deepEqual(await page.locator('select.clip option').allTextContents(), ['nod · loop', 'lift · once']);
      await page.locator('select.clip').selectOption({ label: 'lift · once' });
      assert.equal((await state(page)).pair, 'lift');
      assert.deepEqual(await page.locator('.part b').allTextContents(), ['head']);
      await page.keyboard.press('[');
      assert.equal((await state(page)).pair, 'nod');
      assert.deepEqual(await page.evaluate(() => window.rigspace.pairs.map(({ soft, loop, parts }) => [soft, loop, parts])),
                       [['nod_soft', true, ['head', 'girth']], ['lift_soft', false, ['head']]]);
    }));

  test('show title, notes and names as text, whatever is in them', () => {
    const hostile = '<img src=x onerror=alert(1)>&"\'';
    const pairs = [{ ...kPairs[0], parts: [{ ...kPairs[0].parts[0], name: hostile, summary: hostile }] }];
    return withPage(strip(pairs, { title: hostile, notes: [hostile] }), async (page) => {
      assert.equal(await page.title(), hostile);
      assert.equal(await page.locator('h1').textContent(), hostile);
      assert.equal(await page.locator('.part b').textContent(), hostile);
      assert.equal(await page.locator('.note').textContent(), hostile);
    });
  });

  for (const viewport of [{ width: 360, height: 640 }, { width: 640, height: 480 }])
    test(`stay inside a window of ${viewport.width} by ${viewport.height}`, () =>
      withPage(strip(kPairs, { title: 'a_rather_long_file_name_of_a_character_v0123.soft.glb' }), async (page) => {
        const outside = await page.evaluate(() => [...document.querySelectorAll('button, select, input, h1, .time, .chart')]
          .filter((e) => e.offsetParent && !e.closest('.parts')).map((e) => [e.className, e.getBoundingClientRect()])
          .filter(([, r]) => r.left < 0 || r.right > innerWidth || r.bottom > innerHeight || r.top < 0).map(([name]) => name));
        assert.deepEqual(outside, []);
        assert.ok((await drawnPart(page)) > 0.01);
        const chart = await page.locator('.chart').boundingBox();
        assert.ok(chart.width > 300 && chart.height > 90, JSON.stringify(chart));
      }, { viewport }));
});

describe('what cannot be shown is said in a sentence', () => {
  const sentence = (path, expected) => withPage(path, async (page) => {
    assert.match(await page.getByRole('alert').textContent(), expected);
    assert.match(await page.evaluate(() => window.rigspace.ready.catch((error) => error.message)), expected);
  }, { ready: false });
  test('a clip that is not there', () =>
    sentence(strip([{ base: 'nod', soft: 'nod_hard' }]), /^The file has no clip “nod_hard”; write the page again\.$/));
  test('no pair', () => sentence(strip([]), /^The page holds no two clips to compare; write it again\.$/));
});

describe('the program agrees', () => {
  const built = program();
  const skip = built ? false : 'build/bin/rigspace is not built';

  /// Rows of x y z from a .npy of float64, as rigspace eval writes it.
  function evaluated(file, clip, time) {
    const output = join(scratch, 'x.npy');
    execFileSync(built, ['eval', file, '--clip', clip, '--time', String(time), '-o', output]);
    const bytes = readFileSync(output);
    const start = 10 + bytes.readUInt16LE(8);
    assert.match(bytes.toString('latin1', 10, start), /'<f8', 'fortran_order': False/);
    return Array.from({ length: (bytes.length - start) / 8 }, (_, i) => bytes.readDoubleLE(start + 8 * i));
  }

  const sizeOf = (x) => Math.max(...[0, 1, 2].map((c) => {
    const column = x.filter((_, i) => i % 3 === c);
    return column.reduce((a, b) => Math.max(a, b)) - column.reduce((a, b) => Math.min(a, b));
  }));

  /// The page that `simulate` wrote: before is the base clip, after the soft one, at times on keys and between them.
  /// Returns the nodes that the page draws curves for.
  async function agrees(file, { base, soft, parts }, times) {
    const nodes = new Set();
    await withPage(file.replace(/\.glb$/, '.html'), async (page) => {
      await page.evaluate((name) => window.rigspace.choose(name), base);
      const pair = await page.evaluate((name) => window.rigspace.pairs.find((p) => p.base === name), base);
      assert.deepEqual([pair.soft, pair.parts], [soft, parts]);
      assert.ok((await page.evaluate(() => window.rigspace.curvesDrawn)) > 0);
      for (const time of times) {
        await showAt(page, time, 1);
        const [artist, ours] = [evaluated(file, base, time), evaluated(file, soft, time)];
        const tolerance = 1e-5 * sizeOf(artist);
        assertClose(await positions(page, 'before'), artist, tolerance);
        assertClose(await positions(page, 'after'), ours, tolerance);
        const moved = Math.max(...artist.map((v, i) => Math.abs(v - ours[i])));
        assert.ok(moved > 20 * tolerance, `the clips differ by ${moved} alone`);
      }
      const { curves } = await page.evaluate(() => window.rigspace.deviation());
      for (const { name } of curves) nodes.add(name);
    });
    return nodes;
  }

  test('on the built-in creature, belly and all', { skip }, async () => {
    const hero = join(scratch, 'hero.glb'), file = join(scratch, 'hero.soft.glb');
    execFileSync(built, ['cast', 'bobbin', '-o', hero]);
    execFileSync(built, ['simulate', hero, '--clip', 'Walk'], { stdio: 'ignore' });
    const nodes = await agrees(file, { base: 'Walk', soft: 'Walk_soft', parts: ['tail', 'ear_l', 'ear_r', 'belly'] }, [0.3, 0.4 + 1 / 77]);
    for (const name of ['tail_01', 'ear_l_01', 'ear_r_01', 'soft_belly_01']) assert.ok(nodes.has(name), [...nodes].join(' '));
  });

  const fox = asset('khr_Fox/Fox.glb');
  test('on a fox', { skip: skip || (fox ? false : 'asset khr_Fox is absent') }, async () => {
    const file = join(scratch, 'fox.soft.glb');
    execFileSync(built, ['simulate', fox, '--clip', 'Walk', '-o', file], { stdio: 'ignore' });
    await agrees(file, { base: 'Walk', soft: 'Walk_soft', parts: ['tail', 'belly'] }, [0.25, 0.5 + 1 / 77]);
  });
});
