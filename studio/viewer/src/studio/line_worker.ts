// The worker that holds the line. build.mjs puts it into the page as a text, from which the page makes it.

import { Line } from './line';
import { ToLine } from './line_messages';

const worker = self as unknown as { postMessage(message: unknown, moved: Transferable[]): void;
                                    onmessage: ((event: MessageEvent<ToLine>) => void) | null };
const line = new Line((message, moved = []) => worker.postMessage(message, moved));
worker.onmessage = ({ data }) => line.take(data);
