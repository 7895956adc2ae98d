// The viewer's page in a real browser, opened from disk.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bendingStrip, GlbWriter, square, squareOfEightInfluences } from './glb.mjs';
import { asset, checkPage, fill, launchBrowser, magenta, program, scratch, writePage } from './page.mjs';

let browser;
before(async () => { browser = await launchBrowser(); });
after(async () => { await browser?.close(); });

const withPage = (path, check, options) => checkPage(browser, path, check, options);
const positions = (page) => page.evaluate(() => Array.from(window.rigspace.positions()));
const showAt = (page, clip, time) => page.evaluate(([c, t]) => {
  window.rigspace.setClip(c);
  window.rigspace.setTime(t);
}, [clip, time]);

// The file's own numbers are floats, and so are key times and weights: 1e-6 of a size of 2.
function assertClose(actual, expected, tolerance = 2e-6) {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) <= tolerance, `${i}: ${value} for ${expected[i]}`));
}

describe('the page', () => {
  test('lists every clip by a name of its own, and the rest pose', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      const listed = await page.locator('select.clip option').allTextContents();
      assert.deepEqual(listed, ['bend', 'bend#2', 'animation2', 'pose', 'Rest pose']);
      assert.equal(await page.evaluate(() => window.rigspace.clip), 'bend');
      assert.equal(await page.locator('.stats').textContent(), '6 vertices · 4 triangles · 2 joints · 1 morph · 4 clips');
    }));

  test('starts with the clip that was asked for', () =>
    withPage(writePage(bendingStrip(), { clip: 'animation2' }), async (page) => {
      assert.equal(await page.evaluate(() => window.rigspace.clip), 'animation2');
    }));

  test('plays: time goes on, and the skin with it', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      const still = await positions(page);
      await page.evaluate(() => window.rigspace.play());
      await page.waitForFunction(() => window.rigspace.time > 0);
      assert.notDeepEqual(await positions(page), still);
    }));

  test('is played without being asked where motion is welcome', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      await page.waitForFunction(() => window.rigspace.playing && window.rigspace.time > 0);
    }, { reducedMotion: 'no-preference' }));

  test('shows a title as text, whatever is in it', () => {
    const title = '<img src=x onerror=alert(1)>&"\'.glb';
    return withPage(writePage(square(), { title }), async (page) => {
      assert.equal(await page.title(), title);
      assert.equal(await page.locator('h1').textContent(), title);
    });
  });

  test('opens a file of 20 MB', () => {
    const glb = new GlbWriter();
    glb.json.nodes = [{ mesh: 0 }];
    const position = glb.accessor(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), 'VEC3');
    glb.json.meshes = [{ primitives: [{ attributes: { POSITION: position } }] }];
    glb.bytes(new Uint8Array(20e6).map((_, i) => (i * 7) & 255));
    return withPage(writePage(glb.finish()), async (page) => {
      assert.deepEqual(await positions(page), [0, 0, 0, 1, 0, 0, 0, 1, 0]);
    });
  });
});

describe('positions', () => {
  test('are skinned by normalised weights, apart from the place of the mesh itself', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      await showAt(page, 'bend', 0);
      assertClose(await positions(page), [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0]);
      await showAt(page, 'bend', 1);  // the tip at (0, 1) turned a quarter: (x, 1 + y) goes to (-y, 1 + x)
      assertClose(await positions(page), [0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 1.5, 0, -1, 1, 0, -1, 2, 0]);
      await showAt(page, 'bend', 0.5);
      const c = Math.SQRT1_2;
      assertClose((await positions(page)).slice(12, 15), [-c, 1 + c, 0]);
    }));

  test('depend on clip and time alone, not on what was shown before', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      await showAt(page, null, 0);
      const rest = await positions(page);
      await showAt(page, 'bend', 0.3);
      const bent = await positions(page);
      await showAt(page, 'animation2', 0.7);
      await showAt(page, 'bend#2', 1);
      await showAt(page, 'pose', 0);
      assertClose((await positions(page)).slice(0, 3), [0, 0.5, 0]);
      await showAt(page, 'bend', 0.3);
      assert.deepEqual(await positions(page), bent);
      await showAt(page, null, 0);
      assert.deepEqual(await positions(page), rest);
    }));

  test('are morphed by the clip, or by the hand that holds a slider', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      const right = async () => (await positions(page))[3];
      await showAt(page, 'bend#2', 0.5);
      assertClose([await right()], [1.5]);
      await page.evaluate(() => window.rigspace.setMorph('strip:wide', 0.25));
      assertClose([await right()], [1.25]);
      await page.evaluate(() => window.rigspace.setTime(1));
      assertClose([await right()], [1.25]);
      await page.evaluate(() => window.rigspace.setMorph('strip:wide', null));
      assertClose([await right()], [2]);
      await showAt(page, null, 0);
      assertClose([await right()], [1]);
    }));

  test('count every influence, and the picture does too', async () => {
    let plain;
    await withPage(writePage(square({ y: 3 })), async (page) => { plain = await magenta(browser, page); });
    assert.ok(plain.part > 0.05, `the square covers ${plain.part} of the picture`);
    await withPage(writePage(squareOfEightInfluences()), async (page) => {
      assertClose((await positions(page)).slice(0, 3), [-0.5, 2.5, 0]);
      const skinned = await magenta(browser, page);
      // The camera frames where positions() are: a square drawn elsewhere, or smaller, would be seen so.
      assert.ok(Math.abs(skinned.part - plain.part) < 0.002 && Math.abs(skinned.y - plain.y) < 0.002,
                JSON.stringify({ skinned, plain }));
    });
  });
});

describe('the picture', () => {
  test('is alike for a character of any size', async () => {
    const parts = [];
    for (const scale of [1, 1e-3, 1e4])
      await withPage(writePage(bendingStrip({ scale })), async (page) => { parts.push((await magenta(browser, page)).part); });
    assert.ok(parts[0] > 0.05, `the strip covers ${parts[0]} of the picture`);
    // The grid is drawn over none of it, so only the rasteriser's rounding is left: a few pixels of the outline.
    for (const part of parts) assert.ok(Math.abs(part - parts[0]) < 0.003, parts.join(' '));
  });

  test('changes with the pose', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      await showAt(page, 'animation2', 0);
      const low = await magenta(browser, page);
      await page.evaluate(() => window.rigspace.setTime(1));
      const high = await magenta(browser, page);
      // Lifted by half its height, in a view that shows the whole motion: by about a fifth of the picture.
      assert.ok(low.y - high.y > 0.1 && Math.abs(low.part - high.part) < 0.2 * low.part, JSON.stringify({ low, high }));
    }));
});

describe('keys', () => {
  test('play, step, choose and show', () =>
    withPage(writePage(bendingStrip()), async (page) => {
      const state = () => page.evaluate(() => ({ clip: window.rigspace.clip, playing: window.rigspace.playing }));
      const frame = () => page.locator('.frames').textContent();
      await page.keyboard.press('ArrowRight');
      assert.equal(await frame(), 'frame 1 / 24');
      await page.keyboard.press('Shift+ArrowRight');
      assert.equal(await frame(), 'frame 11 / 24');
      await page.keyboard.press('End');
      assert.equal(await page.evaluate(() => window.rigspace.time), 1);
      await page.keyboard.press('Space');
      assert.equal((await state()).playing, true);
      await page.keyboard.press('Space');
      assert.equal((await state()).playing, false);
      await page.keyboard.press('[');
      assert.equal((await state()).clip, null);
      await page.keyboard.press(']');
      assert.equal((await state()).clip, 'bend');
      for (const [key, name] of [['s', 'Skeleton (S)'], ['w', 'Wireframe (W)'], ['m', 'Morphs (M)'],
                                 ['c', 'Follow the character (C)']]) {
        await page.keyboard.press(key);
        assert.equal(await page.getByRole('button', { name }).getAttribute('aria-pressed'), 'true', name);
      }
      await page.keyboard.press('?');
      assert.ok(await page.locator('dialog.help').isVisible());
      await page.keyboard.press('Escape');
      assert.ok(!(await page.locator('dialog.help').isVisible()));
    }));

  test('a single pose and the rest pose do not play', () =>
    withPage(writePage(bendingStrip(), { clip: 'pose' }), async (page) => {
      await page.keyboard.press('Space');
      assert.equal(await page.evaluate(() => window.rigspace.playing), false);
    }));
});

describe('on a telephone', () => {
  test('nothing sticks out, and the controls are there', () =>
    withPage(writePage(bendingStrip(), { title: 'a_rather_long_file_name_of_a_character_v0123.glb' }), async (page) => {
      const outside = await page.evaluate(() => [...document.querySelectorAll('button, select, input, h1, .time')]
        .filter((e) => e.offsetParent).map((e) => e.getBoundingClientRect())
        .filter((r) => r.left < 0 || r.right > innerWidth || r.bottom > innerHeight || r.top < 0).length);
      assert.equal(outside, 0);
      assert.ok(await page.locator('select.speed').isVisible());
      assert.ok((await magenta(browser, page)).part > 0.02);
    }, { viewport: { width: 360, height: 640 } }));
});

describe('what cannot be shown is said in a sentence', () => {
  const sentence = async (path, expected) => {
    await withPage(path, async (page) => {
      assert.match(await page.getByRole('alert').textContent(), expected);
      assert.match(await page.evaluate(() => window.rigspace.ready.catch((error) => error.message)), expected);
    }, { ready: false });
  };
  test('a damaged page', () => {
    const path = join(scratch, 'damaged.html');
    writeFileSync(path, fill('***'));
    return sentence(path, /^The file inside this page is damaged; write the page again/);
  });
  test('a file cut short', () => sentence(writePage(bendingStrip().subarray(0, 900)), /^The file cannot be read: .+\.$/));
  test('an extension that the page does not know', () =>
    sentence(writePage(square({ required: ['KHR_draco_mesh_compression'] })),
             /^The file requires KHR_draco_mesh_compression, which this page cannot read; export it without\.$/));
  test('a file without a mesh', () => {
    const glb = new GlbWriter();
    glb.json.nodes = [{ name: 'nothing' }];
    glb.bytes(new Uint8Array(4));
    return sentence(writePage(glb.finish()), /^The file holds nothing to draw/);
  });
  test('a picture that the file only points to', () =>
    withPage(writePage(square({ image: 'skin.png' })), async (page) => {
      assert.equal(await page.locator('.warning').textContent(), 'The picture “skin.png” is not inside the file.');
    }));
});

describe('real characters', () => {
  const cases = [
    { path: 'khr_Fox/Fox.glb', clips: 3, vertices: 1728, clip: 'Run' },
    { path: 'three_RobotExpressive/RobotExpressive.glb', clips: 14, vertices: 7214, clip: 'Walking' },
    { path: 'kaykit_Knight/Knight.glb', clips: 76, vertices: 7024, clip: 'Walking_A' },
    { path: 'khr_MorphStressTest/MorphStressTest.glb', clips: 3, vertices: 1528, clip: 'TheWave' },
    { path: 'webxr_generic_hand/left.glb', clips: 0, vertices: 1360, clip: null },
  ];
  for (const { path, clips, vertices, clip } of cases) {
    const file = asset(path);
    test(path, { skip: file ? false : `asset ${path} is absent` }, () =>
      withPage(writePage(readFileSync(file)), async (page) => {
        assert.equal(await page.evaluate(() => window.rigspace.clips.length), clips);
        await showAt(page, clip, 0);
        const start = await positions(page);
        assert.equal(start.length, 3 * vertices);
        assert.ok(start.every(Number.isFinite));
        await showAt(page, clip, 0.4);
        if (clip) assert.notDeepEqual(await positions(page), start);
        else assert.deepEqual(await positions(page), start);
      }));
  }
});

describe('the program', () => {
  const built = program();
  test('writes a page that plays', { skip: built ? false : 'build/bin/rigspace is not built' }, () => {
    const input = join(scratch, 'a <b> & "c".glb'), output = join(scratch, 'written.html');
    writeFileSync(input, bendingStrip());
    execFileSync(built, ['view', input, '-o', output]);
    return withPage(output, async (page) => {
      assert.equal(await page.evaluate(() => window.rigspace.clips.length), 4);
      await showAt(page, 'bend', 1);
      assertClose((await positions(page)).slice(12, 15), [-1, 1, 0]);
    });
  });
});
