// node suite.mjs: `node --test` here, with one browser for all files: starting one and compiling its shaders anew takes
// longer than many a test.

import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveBrowser } from './page.mjs';

const server = await serveBrowser();
const tests = spawn(process.execPath, ['--test', ...process.argv.slice(2)], { stdio: 'inherit',
  cwd: dirname(fileURLToPath(import.meta.url)), env: { ...process.env, RIGSPACE_BROWSER: server.wsEndpoint() } });
const code = await new Promise((done) => tests.on('exit', (status) => done(status ?? 1)));
await server.close();
process.exit(code);
