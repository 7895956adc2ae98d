// The line to the server: commands with their answers, events, frames; made again when it breaks. It runs in a worker, so
// that neither waits for what the page draws, and needs nothing of the page.

import { Command, FromLine, sharedNow, ServerError, ToLine } from './line_messages';

const kFirstWait = 0.25, kLongestWait = 4;  // s between attempts, doubled after each
const kLost: ServerError = { problem: 'The connection was lost before the answer came.' };
const kAbsent: ServerError = { problem: 'The server is not connected.', remedy: 'Wait until it is again.' };

interface Stream {
  busy: number;          ///< id of the command that is under way
  next: Command | null;  ///< to be sent after its answer
}

export class Line {
  private socket: WebSocket | null = null;
  private address = { socket: '', page: '' };
  private readonly waiting = new Set<number>();  ///< ids of commands without an answer
  private readonly streams = new Map<string, Stream>();
  private wait = kFirstWait;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private opened = false;

  /// `out` hands a message to the page; buffers in `moved` change hands.
  constructor(private readonly out: (message: FromLine, moved?: ArrayBuffer[]) => void) {}

  take(message: ToLine): void {
    if (message.kind === 'send') return message.stream === undefined ? this.send(message) : this.queue(message.stream, message);
    this.address = { socket: message.socket, page: message.page };
    this.open();
  }

  private open(): void {
    clearTimeout(this.timer);
    this.out({ kind: 'line', state: 'connecting', again: this.opened, wait: 0 });
    const socket = this.socket = new WebSocket(this.address.socket);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => (typeof data === 'string' ? this.hear(data) : this.frame(data as ArrayBuffer));
    socket.onopen = () => {
      this.wait = kFirstWait;
      this.out({ kind: 'line', state: 'open', again: this.opened, wait: 0 });
      this.opened = true;
    };
    socket.onclose = () => { if (socket === this.socket) void this.lost(); };
  }

  private send({ id, command, args }: Command): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return this.answer(id, { error: kAbsent });
    this.waiting.add(id);
    this.socket.send(JSON.stringify({ id, do: command, ...args }));
  }

  private queue(key: string, command: Command): void {
    const stream = this.streams.get(key);
    if (stream) {
      if (stream.next) this.answer(stream.next.id, {});
      stream.next = command;
    } else {
      this.streams.set(key, { busy: command.id, next: null });
      this.send(command);
    }
  }

  private frame(bytes: ArrayBuffer): void { this.out({ kind: 'frame', bytes, at: sharedNow() }, [bytes]); }

  private hear(text: string): void {
    const message = JSON.parse(text);
    if (message.event === 'state') return this.out({ kind: 'state', slices: message.slices });
    if (message.event === 'say') return this.out({ kind: 'say', say: message.kind, text: message.text });
    const { problem, remedy, ...details } = message.error ?? {};
    if (!message.error) this.answer(message.re, { ok: message.ok ?? {} });
    else if (this.waiting.has(message.re)) this.answer(message.re, { error: { problem, remedy, details } });
    else this.out({ kind: 'say', say: 'error', text: remedy ? `${problem} ${remedy}` : problem });
  }

  private answer(id: number, answer: { ok?: Record<string, unknown>; error?: ServerError }): void {
    this.waiting.delete(id);
    this.out({ kind: 'answer', id, ...answer, at: sharedNow() });
    for (const [key, stream] of this.streams) {
      if (stream.busy !== id) continue;
      this.streams.delete(key);
      if (stream.next) this.queue(key, stream.next);
      return;
    }
  }

  private async lost(): Promise<void> {
    for (const { next } of this.streams.values()) if (next) this.waiting.add(next.id);
    this.streams.clear();
    for (const id of [...this.waiting]) this.answer(id, { error: kLost });
    const state = await this.refused() ? 'refused' : 'lost';
    this.out({ kind: 'line', state, again: this.opened, wait: state === 'lost' ? this.wait : 0 });
    if (state === 'refused') return;
    this.timer = setTimeout(() => this.open(), 1000 * this.wait);
    this.wait = Math.min(kLongestWait, 2 * this.wait);
  }

  /// Another run of the server is there, which has another token.
  private async refused(): Promise<boolean> {
    try {
      return (await fetch(this.address.page)).status === 403;
    } catch {
      return false;
    }
  }
}
