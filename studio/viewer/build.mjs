// node build.mjs OUTDIR: bundles the page into OUTDIR/viewer.html, a template that view_page() of the library fills.

import * as esbuild from 'esbuild';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kPages = [{ name: 'viewer', entry: 'src/viewer.ts', html: 'page.html', style: 'src/style.css',
                  slots: ['@RIGSPACE_TITLE@', '@RIGSPACE_OPTIONS@', '@RIGSPACE_CHARACTER@'] }];

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, logLevel: 'warning',
    format: 'iife', target: 'es2022', legalComments: 'none', charset: 'ascii' });
  return result.outputFiles[0].text;
}

async function minified(style) {
  const css = await esbuild.transform(await readFile(join(here, style), 'utf8'), { loader: 'css', minify: true });
  return css.code;
}

/// MIT asks that its text goes along with every copy.
async function threeLicence() {
  const text = await readFile(join(here, 'node_modules/three/LICENSE'), 'utf8');
  return `/*! three.js\n${text.trim()}\n*/\n`;
}

async function buildPage(page) {
  const [template, script, style, licence] = await Promise.all([
    readFile(join(here, page.html), 'utf8'), bundle(page.entry), minified(page.style), threeLicence()]);
  // Functions as replacements: in a string, $ would be read as a pattern.
  const html = template.replace('/*@STYLE@*/', () => style).replace('/*@SCRIPT@*/', () => licence + script);
  for (const slot of page.slots)
    if (html.split(slot).length !== 2) throw new Error(`${page.html}: ${slot} must occur exactly once`);
  if (/<\/script/i.test(script)) throw new Error(`${page.entry}: the bundle would close its own script element`);
  return html;
}

const [outDir] = process.argv.slice(2);
if (!outDir) {
  console.error('usage: node build.mjs OUTDIR');
  process.exit(2);
}
await mkdir(resolve(outDir), { recursive: true });
for (const page of kPages) {
  const path = join(resolve(outDir), `${page.name}.html`);
  const html = await buildPage(page);
  await writeFile(`${path}.part`, html);
  await rename(`${path}.part`, path);
}
