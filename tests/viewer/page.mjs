// Pages to test, and a browser to open them in.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');

/// A folder for this process, removed at its end.
export const scratch = mkdtempSync(join(tmpdir(), 'rigspace_viewer_'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const templates = new Map();

/// The path of a page without its character: beside $RIGSPACE_VIEWER_HTML, else built here and now. `name` is viewer,
/// soft, batch or studio.
export function builtPage(name) {
  const built = process.env.RIGSPACE_VIEWER_HTML;
  if (!built && !existsSync(join(scratch, `${name}.html`)))
    execFileSync(process.execPath, [join(root, 'studio/viewer/build.mjs'), scratch]);
  return join(built ? dirname(built) : scratch, `${name}.html`);
}

function templateOf(name) {
  if (!templates.has(name)) templates.set(name, readFileSync(builtPage(name), 'utf8'));
  return templates.get(name);
}

/// What filled_page() of the library does, for pages whose bytes the program would refuse.
function fillTemplate(name, base64, options) {
  const escaped = options.title.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  return templateOf(name).replace('@RIGSPACE_TITLE@', () => escaped)
    .replace('@RIGSPACE_OPTIONS@', () => JSON.stringify(options).replace(/</g, '\\u003c'))
    .replace('@RIGSPACE_CHARACTER@', () => base64);
}

export const fill = (base64, { title = 'test', clip = '' } = {}) => fillTemplate('viewer', base64, { title, clip });

let pages = 0;

function write(html) {
  const path = join(scratch, `page${pages++}.html`);
  writeFileSync(path, html);
  return path;
}

/// Writes a page for the bytes of a GLB; returns its path.
export const writePage = (glb, options) => write(fill(Buffer.from(glb).toString('base64'), options));

/// The same, before and after. A pair's parts may be left out.
export function writeSoftPage(glb, pairs, { title = 'test', notes = [], labels, rerun } = {}) {
  return write(fillTemplate('soft', Buffer.from(glb).toString('base64'), { title, notes, labels, rerun,
    pairs: pairs.map((pair) => ({ loop: false, parts: [], ...pair })) }));
}

/// A batch of characters (BatchOptions of studio/viewer), whose own pages lie beside it.
export function writeBatchPage(characters, { title = 'batch', ...options } = {}) {
  return write(fillTemplate('batch', '', { title, ...options,
    characters: characters.map((character) => ({ parts: [], clips: [], warnings: [], ...character })) }));
}

/// The path of a third-party asset, or null where it is absent (an error under RIGSPACE_REQUIRE_ASSETS=1).
export function asset(relative) {
  const path = join(process.env.RIGSPACE_ASSETS ?? join(root, '../shared/assets'), relative);
  if (existsSync(path)) return path;
  if (process.env.RIGSPACE_REQUIRE_ASSETS) throw new Error(`asset ${relative} is required`);
  return null;
}

/// The built program, or null.
export function program() {
  const path = process.env.RIGSPACE_PROGRAM ?? join(root, 'build/bin/rigspace');
  return existsSync(path) ? path : null;
}

const kLaunch = {
  executablePath: process.env.RIGSPACE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
         '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
         '--disable-quic',
         '--disable-gpu-compositing'],  // without a graphics card the page around the stage is put together faster without GL
};

/// The one at $RIGSPACE_BROWSER, of which close() closes what was opened here; else a new one.
export function launchBrowser() {
  const shared = process.env.RIGSPACE_BROWSER;
  return shared ? chromium.connect(shared) : chromium.launch(kLaunch);
}

/// A browser for several processes.
export function serveBrowser() { return chromium.launchServer({ ...kLaunch, host: '127.0.0.1' }); }

/// The bytes of a file that the browser saved.
export async function downloaded(download) {
  const path = join(scratch, `download${pages++}`);
  await download.saveAs(path);
  return readFileSync(path);
}

/// Pixels of a display for one of the page's, along a side: fewer are drawn in a fraction of the time without a graphics card.
export const kPixels = 0.5;

const kDefaults = { viewport: { width: 960, height: 640 }, reducedMotion: 'reduce', colorScheme: 'light' };
const free = new WeakMap();  // by browser: a page that has been used and can be used again

/// A page without a document. `close` gives it back: the next one goes on in its process, which saves more time than many
/// a test takes. Nothing of the last document stays. A page that gets a script or rights is of its own and is used once.
async function blankPage(browser, script, { viewport, reducedMotion, colorScheme, ...rights }) {
  if (script || Object.keys(rights).length > 0) {
    const page = await browser.newPage({ viewport, reducedMotion, colorScheme, deviceScaleFactor: kPixels, ...rights });
    if (script) await page.addInitScript(script);
    return { page, close: () => page.close() };
  }
  const page = free.get(browser) ?? await browser.newPage({ deviceScaleFactor: kPixels });
  free.delete(browser);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ reducedMotion, colorScheme });
  return { page, close: async (failed) => {
    if (failed) return page.close();
    page.removeAllListeners();
    await page.mouse.move(0, 0);
    await page.evaluate(() => { localStorage.clear(); sessionStorage.clear(); });
    await page.goto('about:blank');
    return free.set(browser, page);
  } };
}

/// Opens a page from disk. `log.console` gathers errors and warnings, `log.requests` whatever was asked for beyond the
/// page itself and what it made on its own (blob:, data:). The machine has no graphics card, and says so: that is not counted.
/// `close(failed)` ends it.
export async function openPage(browser, path, { ready = true, hash = '', before = null, ...context } = {}) {
  const { page, close } = await blankPage(browser, before, { ...kDefaults, ...context });
  const log = { console: [], requests: [] };
  const url = pathToFileURL(path).href + hash;
  page.on('console', (message) => {
    const driver = /GL Driver Message|software WebGL|swiftshader/i.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !driver) log.console.push(message.text());
  });
  page.on('pageerror', (error) => log.console.push(String(error)));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url.split('#')[0] && !/^(blob|data):/.test(request.url())) log.requests.push(request.url());
  });
  await page.goto(url);
  if (ready) await page.evaluate(() => window.rigspace.ready);
  return { page, log, close };
}

/// Opens a page, hands it to `check`, and requires that it neither complained nor asked the network for anything.
export async function checkPage(browser, path, check, options) {
  const { page, log, close } = await openPage(browser, path, options);
  let failed = true;
  try {
    await check(page);
    assert.deepEqual(log, { console: [], requests: [] });
    failed = false;
  } finally {
    await close(failed);
  }
}

/// The test files' own colour, as the least and the most of red, green and blue.
const kMagenta = [[151, 0, 151], [255, 109, 255]];
const kWhole = [0, 1, 0, 1];
const counters = new WeakMap();  // by browser: a page that counts pixels

/// For each area (left, right, top, bottom, in fractions of what is shown) the part of its pixels (0 to 1) whose colour
/// lies between two, and the middle of those in fractions of the area. All areas are of one picture.
export async function coloured(browser, locator, areas, [low, high]) {
  await locator.page().evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const shot = (await locator.screenshot()).toString('base64');
  if (!counters.has(browser)) counters.set(browser, browser.newPage());
  const counter = await counters.get(browser);
  return counter.evaluate(async ([base64, wanted, least, most]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
    canvas.drawImage(image, 0, 0);
    return wanted.map(([left, right, top, bottom]) => {
      const width = Math.round((right - left) * image.width), height = Math.round((bottom - top) * image.height);
      const { data } = canvas.getImageData(Math.round(left * image.width), Math.round(top * image.height), width, height);
      const total = { count: 0, x: 0, y: 0 };
      for (let i = 0; i < data.length; i += 4)
        if ([0, 1, 2].every((c) => data[i + c] >= least[c] && data[i + c] <= most[c])) {
          total.count += 1;
          total.x += ((i / 4) % width) / width;
          total.y += Math.floor(i / 4 / width) / height;
        }
      const some = Math.max(1, total.count);
      return { part: total.count / (data.length / 4), x: total.x / some, y: total.y / some };
    });
  }, [shot, areas, low, high]);
}

/// The same for the test files' own colour on areas of the stage.
export const magentaIn = (browser, page, areas) => coloured(browser, page.locator('#stage'), areas, kMagenta);
export const magenta = async (browser, page) => (await magentaIn(browser, page, [kWhole]))[0];
