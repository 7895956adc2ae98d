// Modules of the pages that need no browser, as Node can import them.

import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { scratch } from './page.mjs';

const viewer = resolve(dirname(fileURLToPath(import.meta.url)), '../../studio/viewer');

/// What studio/viewer/src/NAME.ts exports.
export async function moduleOf(name) {
  const { build } = createRequire(join(viewer, 'package.json'))('esbuild');
  const outfile = join(scratch, `${name.replaceAll('/', '_')}.mjs`);
  await build({ entryPoints: [join(viewer, 'src', `${name}.ts`)], bundle: true, format: 'esm', target: 'es2022', outfile,
                logLevel: 'silent' });
  return import(pathToFileURL(outfile).href);
}
