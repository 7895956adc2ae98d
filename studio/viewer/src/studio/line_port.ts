// Starts the worker that holds the line, from the text that build.mjs put into the page.

import code from './line_worker.ts?worker';
import { LinePort } from './connection';

export function startLine(): LinePort {
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker as LinePort;
}
