// A running `rigspace studio` and its page, for tests.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { builtPage, kPixels, launchBrowser, program, scratch } from './page.mjs';

const kPatience = 240000;  // ms: a machine under load takes long to find parts; a page that hangs still fails

/// Why there is no studio to test, or null.
export function whyNoStudio() {
  if (!program()) return 'the program is not built';
  const { stdout, stderr } = spawnSync(program(), ['studio', '--help'], { encoding: 'utf8' });
  return /--no-browser/.test(stdout + stderr) ? null : 'the program has no studio';
}

/// Starts one in a folder of its own; `files` are opened at once. Resolves to its address and how to stop it.
export function startStudio(...files) {
  const folder = mkdtempSync(join(scratch, 'studio_'));
  const child = spawn(program(), ['--json', 'studio', '--no-browser', '--port', '0', '--out', folder, '--page', builtPage('studio'), ...files],
                      { env: { ...process.env, RIGSPACE_STATE: join(folder, 'state') } });
  return new Promise((resolve, reject) => {
    let said = '', errors = '';
    child.stderr.on('data', (text) => { errors += text; });
    child.stdout.on('data', (text) => {
      said += text;
      if (said.includes('\n')) resolve({ folder, ...JSON.parse(said.split('\n')[0]), stop: () => child.kill('SIGKILL') });
    });
    child.on('exit', () => reject(new Error(`the studio ended: ${errors}`)));
  });
}

/// Its page. `log` gathers what the console complains of.
export async function openStudio(browser, address, pixels = kPixels) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: pixels, reducedMotion: 'reduce' });
  page.setDefaultTimeout(kPatience);
  const log = [];
  page.on('console', (message) => {
    const driver = /GL Driver Message|software WebGL|swiftshader/i.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !driver) log.push(message.text());
  });
  page.on('pageerror', (error) => log.push(String(error)));
  await page.goto(address);
  await page.evaluate(() => window.rigspace.ready);
  return { page, log };
}

/// Waits until the page's slices are such that `holds`. (The page's policy forbids to evaluate a condition in it.)
export async function until(page, holds) {
  const end = Date.now() + kPatience;
  while (!holds(await page.evaluate(() => window.rigspace.slices()))) {
    if (Date.now() > end) throw new Error(`waited in vain for ${holds}`);
    await page.waitForTimeout(100);
  }
}

/// The character is there, and nothing is being prepared.
export async function opened(page) {
  await until(page, (slices) => slices.file && slices.job === null);
  await page.waitForFunction(() => window.rigspace.positions().length > 0 && !document.querySelector('body.empty'), null, { polling: 100 });
}

/// A built-in character, opened in the page of a studio of its own; `close` ends both.
export async function openMember(name) {
  const file = join(scratch, `${name}.glb`);
  execFileSync(program(), ['cast', name, '-o', file], { stdio: 'ignore' });
  const browser = await launchBrowser();
  let studio;
  const close = async () => {
    await browser.close();
    studio?.stop();
  };
  try {
    studio = await startStudio(file);
    const shown = await openStudio(browser, studio.address);
    await opened(shown.page);
    return { ...shown, studio, browser, close };
  } catch (error) {
    await close();
    throw error;
  }
}
