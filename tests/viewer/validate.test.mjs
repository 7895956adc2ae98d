// The validator accepts what is right and names what is wrong.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { square } from './glb.mjs';
import { scratch } from './page.mjs';

const run = (...files) => spawnSync(process.execPath, [fileURLToPath(new URL('validate.mjs', import.meta.url)), ...files],
                                    { encoding: 'utf8' });

describe('validate.mjs', () => {
  test('passes a valid file', () => {
    const path = join(scratch, 'right.glb');
    writeFileSync(path, square());
    const { status, stdout } = run(path);
    assert.deepEqual(JSON.parse(stdout)[0].errors, []);
    assert.equal(status, 0);
  });

  test('names the error of a broken one', () => {
    const path = join(scratch, 'wrong.glb');
    const text = square().toString('latin1').replace('"indices":1', '"indices":9');
    writeFileSync(path, Buffer.from(text, 'latin1'));
    const { status, stdout } = run(path);
    assert.equal(JSON.parse(stdout)[0].errors[0].code, 'UNRESOLVED_REFERENCE');
    assert.equal(status, 1);
  });

  test('names a file that is not there', () => {
    const { status, stdout } = run(join(scratch, 'absent.glb'));
    assert.equal(JSON.parse(stdout)[0].errors[0].code, 'UNREADABLE');
    assert.equal(status, 1);
  });
});
