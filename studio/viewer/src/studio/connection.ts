// The line to the server: commands with their answers, events, frames; made again when it breaks.

import { CommandError } from './error_words';
import { Latencies } from './latencies';
import { Slices } from './slices';

export { CommandError };

const kFirstWait = 0.25, kLongestWait = 4;  // s between attempts, doubled after each

export type SayKind = 'note' | 'warning' | 'error';
export type LineState = 'connecting' | 'open' | 'lost' | 'refused';

interface Waiting {
  since: number;  ///< ms
  resolve: (answer: never) => void;
  reject: (error: CommandError) => void;
}

export interface Listeners {
  state: (slices: Partial<Slices>) => void;
  say: (kind: SayKind, text: string) => void;
  frame: (bytes: ArrayBuffer) => void;
  /// `again`: the line was open before. `wait`: seconds until the next attempt.
  line: (state: LineState, about: { again: boolean; wait: number }) => void;
}

export class Connection {
  readonly latencies = new Latencies();
  private socket: WebSocket | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private readonly streams = new Map<string, { busy: boolean; next: (() => void) | null }>();
  private id = 0;
  private wait = kFirstWait;
  private timer = 0;
  private opened = false;

  constructor(private readonly heard: Listeners) {}

  /// How long the oldest command waits for its answer, ms.
  get waited(): number {
    for (const { since } of this.waiting.values()) return performance.now() - since;
    return 0;
  }

  get connected(): boolean { return this.socket?.readyState === WebSocket.OPEN; }

  open(): void {
    clearTimeout(this.timer);
    this.heard.line('connecting', { again: this.opened, wait: 0 });
    const socket = this.socket = new WebSocket(socketAddress());
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => (typeof data === 'string' ? this.hear(data) : this.heard.frame(data as ArrayBuffer));
    socket.onopen = () => {
      this.wait = kFirstWait;
      this.heard.line('open', { again: this.opened, wait: 0 });
      this.opened = true;
    };
    socket.onclose = () => { if (socket === this.socket) void this.lost(); };
  }

  /// The answer's `ok`. Rejects with a CommandError.
  send<Answer = Record<string, unknown>>(command: string, args: object = {}): Promise<Answer> {
    if (!this.connected) return Promise.reject(new CommandError('The server is not connected.', 'Wait until it is again.'));
    const id = ++this.id;
    this.latencies.sent(id);
    this.socket!.send(JSON.stringify({ id, do: command, ...args }));
    return new Promise<Answer>((resolve, reject) => this.waiting.set(id, { since: performance.now(), resolve, reject }));
  }

  /// For values that follow each other quickly, as from a slider: one command of a `key` is under way at a time; of those
  /// that come meanwhile the latest is sent after its answer. Errors of those left out do not occur.
  stream(key: string, command: string, args: object, failed: (error: CommandError) => void = () => undefined): void {
    const stream = this.streams.get(key) ?? { busy: false, next: null };
    this.streams.set(key, stream);
    const go = () => {
      stream.busy = true;
      stream.next = null;
      this.send(command, args).catch(failed).finally(() => {
        stream.busy = false;
        stream.next?.();
      });
    };
    stream.busy ? (stream.next = go) : go();
  }

  private hear(text: string): void {
    const message = JSON.parse(text);
    if (message.event === 'state') return this.heard.state(message.slices);
    if (message.event === 'say') return this.heard.say(message.kind, message.text);
    const waiting = this.waiting.get(message.re);
    if (message.error) {
      const { problem, remedy, ...details } = message.error;
      const error = new CommandError(problem, remedy, details);
      waiting ? waiting.reject(error) : this.heard.say('error', error.message);
    } else {
      this.latencies.answered(message.re, message.ok?.change);
      waiting?.resolve((message.ok ?? {}) as never);
    }
    this.waiting.delete(message.re);
  }

  private async lost(): Promise<void> {
    for (const { reject } of this.waiting.values()) reject(new CommandError('The connection was lost before the answer came.'));
    this.waiting.clear();
    if (await refused()) return this.heard.line('refused', { again: this.opened, wait: 0 });
    this.heard.line('lost', { again: this.opened, wait: this.wait });
    this.timer = window.setTimeout(() => this.open(), 1000 * this.wait);
    this.wait = Math.min(kLongestWait, 2 * this.wait);
  }
}

function socketAddress(): string {
  const address = new URL('/socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = location.search;
  return address.href;
}

/// Another run of the server is there, which has another token.
async function refused(): Promise<boolean> {
  try {
    return (await fetch(`/${location.search}`, { method: 'GET' })).status === 403;
  } catch {
    return false;
  }
}
