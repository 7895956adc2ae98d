// The command that makes permanent what was set at the desk.

import { Desk } from './desk';
import { AmountOptions, PairOptions } from './options';

/// Empty while the desk shows what was simulated, or where the run cannot be repeated. `pair` is the clip on show.
export function rerunCommand(rerun: string, desk: Desk, pair: PairOptions, pairs: readonly PairOptions[]): string {
  const changed = pair.parts.flatMap((part) =>
    (part.amounts ?? []).map((amount) => ({ amount, factor: desk.amount(part.name) })));
  const sets = changed.filter(({ factor }) => factor !== 1).map(({ amount, factor }) => setting(amount, factor));
  if (!rerun || sets.length === 0) return '';
  const everyPart = changed.length > 1 && sets.length === changed.length;
  const values = new Set(sets.map(({ value }) => value));
  const words = everyPart && values.size === 1 ? [`*.amount=${sets[0].value}`]
                                               : sets.map(({ part, value }) => `${part}.amount=${value}`);
  const clip = changed.some(({ amount }) => setForOneClip(amount.part, pairs)) ? ` --clip ${shellQuoted(pair.base)}` : '';
  return rerun + words.map((word) => ` --set ${shellQuoted(word)}`).join('') + clip;
}

/// Whether some clip has an amount of its own for the part: a command for all clips would remove it.
function setForOneClip(part: string, pairs: readonly PairOptions[]): boolean {
  return pairs.some((pair) => pair.parts.some(({ amounts }) =>
    (amounts ?? []).some((amount) => amount.part === part && amount.clipOnly)));
}

function setting({ part, amount, keys, interpolation }: AmountOptions, factor: number): { part: string; value: string } {
  if (!keys?.length || factor === 0) return { part, value: rounded(factor * amount) };
  const pieces = keys.map(([time, value]) => `${rounded(time)}:${rounded(factor * value)}`);
  return { part, value: [...pieces, ...(interpolation ? [interpolation] : [])].join(',') };
}

function rounded(value: number): string { return String(Number(value.toFixed(4))); }

/// As a shell reads it: as it is where that is safe, otherwise in single quotes. The same as shell_quoted() of the library.
export function shellQuoted(text: string): string {
  return /^[\w\-+=./:,@%]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}
