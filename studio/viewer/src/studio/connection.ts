// The page's end of the line to the server: commands with their answers, and who is to hear what comes by itself.

import { CommandError } from './error_words';
import { inputTime } from './input_time';
import { Latencies } from './latencies';
import { FromLine, LineState, SayKind, ToLine } from './line_messages';
import { changeOf } from './frames';
import { Slices } from './slices';

export { CommandError };
export type { LineState, SayKind };

interface Waiting {
  since: number;  ///< ms
  resolve: (answer: never) => void;
  reject: (error: CommandError) => void;
}

export interface Listeners {
  state: (slices: Partial<Slices>) => void;
  say: (kind: SayKind, text: string) => void;
  frame: (bytes: ArrayBuffer) => void;
  line: (state: LineState, about: { again: boolean; wait: number }) => void;
}

/// What a Worker is for a page, as far as the line needs it.
export interface LinePort {
  postMessage(message: ToLine): void;
  onmessage: ((event: { data: FromLine }) => void) | null;
}

export class Connection {
  readonly latencies = new Latencies();
  private readonly waiting = new Map<number, Waiting>();
  private id = 0;
  private open_ = false;

  constructor(private readonly line: LinePort, private readonly heard: Listeners) {
    line.onmessage = ({ data }) => this.hear(data);
  }

  /// How long the oldest command waits for its answer, ms.
  get waited(): number {
    for (const { since } of this.waiting.values()) return performance.now() - since;
    return 0;
  }

  get connected(): boolean { return this.open_; }

  open(): void {
    const socket = new URL('/socket', location.href);
    socket.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    socket.search = location.search;
    this.line.postMessage({ kind: 'open', socket: socket.href, page: new URL(`/${location.search}`, location.href).href });
  }

  /// The answer's `ok`. Rejects with a CommandError.
  send<Answer = Record<string, unknown>>(command: string, args: object = {}): Promise<Answer> {
    return this.post(command, args) as Promise<Answer>;
  }

  /// For values that follow each other quickly, as from a slider (Command.stream). Errors of those left out do not occur.
  stream(key: string, command: string, args: object, failed: (error: CommandError) => void = () => undefined): void {
    this.post(command, args, key).catch(failed);
  }

  private post(command: string, args: object, stream?: string): Promise<unknown> {
    const id = ++this.id;
    this.latencies.sent(id, inputTime());
    this.line.postMessage({ kind: 'send', id, command, args, stream });
    return new Promise((resolve, reject) => this.waiting.set(id, { since: performance.now(), resolve, reject }));
  }

  private hear(message: FromLine): void {
    switch (message.kind) {
      case 'frame':
        this.latencies.frame(changeOf(message.bytes), message.at);
        return this.heard.frame(message.bytes);
      case 'answer': return this.settle(message);
      case 'state': return this.heard.state(message.slices);
      case 'say': return this.heard.say(message.say, message.text);
      case 'line':
        this.open_ = message.state === 'open';
        return this.heard.line(message.state, message);
    }
  }

  private settle({ id, ok, error }: FromLine & { kind: 'answer' }): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    this.latencies.answered(id, ok?.change);
    if (error) waiting?.reject(new CommandError(error.problem, error.remedy, error.details));
    else waiting?.resolve((ok ?? {}) as never);
  }
}
