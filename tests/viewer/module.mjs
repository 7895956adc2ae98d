// Modules of the pages that need no browser, as Node can import them.

import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { scratch } from './page.mjs';

const viewer = resolve(dirname(fileURLToPath(import.meta.url)), '../../studio/viewer');

/// What studio/viewer/src/NAME.ts exports; or what `contents`, a module beside it, does.
export async function moduleOf(name, contents) {
  const { build } = createRequire(join(viewer, 'package.json'))('esbuild');
  const outfile = join(scratch, `${name.replaceAll('/', '_')}.mjs`);
  const source = join(viewer, 'src', `${name}.ts`);
  const entry = contents ? { stdin: { contents, resolveDir: dirname(source), loader: 'ts' } } : { entryPoints: [source] };
  await build({ ...entry, bundle: true, format: 'esm', target: 'es2022', outfile, logLevel: 'silent' });
  return import(pathToFileURL(outfile).href);
}
