// node validate.mjs FILE...: checks glTF files with Khronos' validator. Prints JSON; exits 1 on any error, 2 on usage.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import validator from 'gltf-validator';

/// { file, errors: [{ code, message, pointer }], warnings: count }
export async function validate(file) {
  const described = { file, errors: [], warnings: 0 };
  try {
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
      uri: file, maxIssues: 0,
      externalResourceFunction: async (uri) => new Uint8Array(await readFile(join(dirname(file), decodeURIComponent(uri)))),
    });
    const kError = 0;
    described.errors = report.issues.messages.filter((issue) => issue.severity === kError)
      .map(({ code, message, pointer }) => ({ code, message, pointer }));
    described.warnings = report.issues.numWarnings;
  } catch (error) {
    described.errors = [{ code: 'UNREADABLE', message: String(error?.message ?? error), pointer: '' }];
  }
  return described;
}

async function main(files) {
  if (files.length === 0) {
    console.error('usage: node validate.mjs FILE...');
    return 2;
  }
  const reports = [];
  for (const file of files) reports.push(await validate(file));
  console.log(JSON.stringify(reports, null, 2));
  return reports.some((report) => report.errors.length > 0) ? 1 : 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main(process.argv.slice(2));
