// Errors of the server, and how they are said.

/// What the server says in place of an answer.
export class CommandError extends Error {
  constructor(readonly problem: string, readonly remedy = '', readonly details: Record<string, string> = {}) {
    super(remedy ? `${problem} ${remedy}` : problem);
  }
}

/// As the program words errors: what it is about, the problem, the value; the remedy as a line of its own.
export function errorWords(error: unknown): string {
  if (!(error instanceof CommandError)) return error instanceof Error ? error.message : String(error);
  const { problem, remedy, details } = error;
  const about = details.element || details.file?.split(/[\\/]/).at(-1) || '';
  const said = (about && !problem.includes(about) ? `${about} ${problem}` : problem) +
               (details.value && !problem.includes(details.value) ? ` (${details.value})` : '');
  return [said, remedy].filter((line) => line && (line === said || !said.includes(line))).map(sentence).join('\n');
}

/// With a capital at its beginning, unless that is a name, and a full stop.
export function sentence(text: string): string {
  const begun = /^[a-z]+( |$)/.test(text) ? `${text[0].toUpperCase()}${text.slice(1)}` : text;
  return begun === '' || /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
