// What the page and its line to the server (line.ts, in a thread of its own) say to each other. Times are milliseconds
// since 1970, by the clock that all threads share.

import { Slices } from './slices';

export type SayKind = 'note' | 'warning' | 'error';
export type LineState = 'connecting' | 'open' | 'lost' | 'refused';

export interface Command {
  id: number;       ///< of the answer
  command: string;
  args: object;
  /// Commands of one stream follow each other quickly, as from a slider: one is under way at a time; of those that come
  /// meanwhile the latest is sent after its answer.
  stream?: string;
}

export interface ServerError {
  problem: string;
  remedy?: string;
  details?: Record<string, string>;
}

export type ToLine = { kind: 'open'; socket: string; page: string } | ({ kind: 'send' } & Command);

export type FromLine =
  /// `again`: the line was open before. `wait`: seconds until the next attempt.
  | { kind: 'line'; state: LineState; again: boolean; wait: number }
  | { kind: 'state'; slices: Partial<Slices> }
  | { kind: 'say'; say: SayKind; text: string }
  | { kind: 'frame'; bytes: ArrayBuffer; at: number }
  /// Neither `ok` nor `error`: a later command of its stream took its place. `at`: when the server's answer came.
  | { kind: 'answer'; id: number; ok?: Record<string, unknown>; error?: ServerError; at: number };

export function sharedNow(): number { return performance.timeOrigin + performance.now(); }
