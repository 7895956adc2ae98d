// Pages to test, and a browser to open them in.

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

let template;

/// $RIGSPACE_VIEWER_HTML, else built here and now.
function viewerTemplate() {
  if (template) return template;
  let path = process.env.RIGSPACE_VIEWER_HTML;
  if (!path) {
    execFileSync(process.execPath, [join(root, 'studio/viewer/build.mjs'), scratch]);
    path = join(scratch, 'viewer.html');
  }
  return (template = readFileSync(path, 'utf8'));
}

/// What the library's view_page() does, for pages whose bytes the program would refuse.
export function fill(base64, { title = 'test', clip = '' } = {}) {
  const escaped = title.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const options = JSON.stringify({ title, clip }).replace(/</g, '\\u003c');
  return viewerTemplate().replace('@RIGSPACE_TITLE@', () => escaped).replace('@RIGSPACE_OPTIONS@', () => options)
    .replace('@RIGSPACE_CHARACTER@', () => base64);
}

let pages = 0;

/// Writes a page for the bytes of a GLB; returns its path.
export function writePage(glb, options) {
  const path = join(scratch, `page${pages++}.html`);
  writeFileSync(path, fill(Buffer.from(glb).toString('base64'), options));
  return path;
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

export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.RIGSPACE_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
           '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
           '--disable-quic'],
  });
}

/// Opens a page from disk. `log.console` gathers errors and warnings, `log.requests` whatever was asked for beyond the
/// page itself and what it made on its own (blob:, data:). The machine has no graphics card, and says so: that is not counted.
export async function openPage(browser, path, { ready = true, ...context } = {}) {
  const page = await browser.newPage({ viewport: { width: 960, height: 640 }, reducedMotion: 'reduce', ...context });
  const log = { console: [], requests: [] };
  const url = pathToFileURL(path).href;
  page.on('console', (message) => {
    const driver = /GL Driver Message|software WebGL|swiftshader/i.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !driver) log.console.push(message.text());
  });
  page.on('pageerror', (error) => log.console.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== url && !/^(blob|data):/.test(request.url())) log.requests.push(request.url());
  });
  await page.goto(url);
  if (ready) await page.evaluate(() => window.rigspace.ready);
  return { page, log };
}
