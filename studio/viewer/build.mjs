// node build.mjs OUTDIR: bundles the page into OUTDIR/viewer.html and OUTDIR/soft.html, templates that view_page() and
// soft_page() of the library fill, and OUTDIR/studio.html, which `rigspace studio` serves as it is: one script and one style in
// all three. OUTDIR/batch.html, which batch_page() fills, shows many of them.

import * as esbuild from 'esbuild';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kStyles = ['src/style.css', 'src/ui/shell.css', 'src/soft/soft.css', 'src/studio/studio.css', ...await panelStyles()];
const kPages = [
  { name: 'viewer', entry: 'src/page.ts', html: 'page.html', styles: kStyles },
  { name: 'soft', entry: 'src/page.ts', html: 'page.html', styles: kStyles },
  { name: 'batch', entry: 'src/batch.ts', html: 'batch_page.html', styles: ['src/style.css', 'src/batch/batch.css'] },
  { name: 'studio', entry: 'src/page.ts', html: 'studio_page.html', styles: kStyles },
];
const kSlots = { 'page.html': ['@RIGSPACE_TITLE@', '@RIGSPACE_OPTIONS@', '@RIGSPACE_CHARACTER@'],
                 'batch_page.html': ['@RIGSPACE_TITLE@', '@RIGSPACE_OPTIONS@'], 'studio_page.html': [] };

/// What panels bring along: every style below src/studio but the page's own, by name.
async function panelStyles() {
  const found = await readdir(join(here, 'src/studio'), { recursive: true });
  return found.filter((name) => name.endsWith('.css') && name !== 'studio.css').sort().map((name) => join('src/studio', name));
}

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [resolve(here, entry)], bundle: true, minify: true, write: false, logLevel: 'warning', plugins: [workerTexts],
    format: 'iife', target: 'es2022', legalComments: 'none', charset: 'ascii' });
  return result.outputFiles[0].text;
}

/// import code from './x.ts?worker': x.ts as a script of its own, as text. A page of one file makes its workers of such.
const workerTexts = {
  name: 'worker texts',
  setup(build) {
    build.onResolve({ filter: /\?worker$/ }, ({ path, resolveDir }) =>
      ({ path: join(resolveDir, path.replace(/\?worker$/, '')), namespace: 'worker-text' }));
    build.onLoad({ filter: /./, namespace: 'worker-text' }, async ({ path }) => ({ contents: await bundle(path), loader: 'text' }));
  },
};

async function minified(styles) {
  const texts = await Promise.all(styles.map((style) => readFile(join(here, style), 'utf8')));
  const css = await esbuild.transform(texts.join('\n'), { loader: 'css', minify: true });
  return css.code;
}

/// MIT asks that its text goes along with every copy.
async function threeLicence() {
  const text = await readFile(join(here, 'node_modules/three/LICENSE'), 'utf8');
  return `/*! three.js\n${text.trim()}\n*/\n`;
}

async function buildPage(page) {
  const [template, script, style, licence] = await Promise.all([
    readFile(join(here, page.html), 'utf8'), bundle(page.entry), minified(page.styles),
    page.html === 'batch_page.html' ? '' : threeLicence()]);
  // Functions as replacements: in a string, $ would be read as a pattern.
  const html = template.replace('/*@STYLE@*/', () => style).replace('/*@SCRIPT@*/', () => licence + script);
  for (const slot of kSlots[page.html])
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
