// The list of controls as rows: groups, their nodes, their controls; only what is seen is made.

import { Control } from '../slices';

export type Show = 'all' | 'free' | 'keyed' | 'held';

export type Row = { kind: 'group' | 'node'; key: string; label: string; count: number; open: boolean; depth: number }
  | { kind: 'control'; control: Control; label: string; depth: number };

const kHeights = { group: 26, node: 24, control: 30 };

/// A pattern with * and ?; without them whatever contains the text, in capitals or not. Matches a control's name or node.
export function matcherOf(text: string): (control: Control) => boolean {
  const wanted = text.trim();
  if (wanted === '') return () => true;
  if (!/[*?]/.test(wanted)) {
    const low = wanted.toLowerCase();
    return ({ name, group }) => name.toLowerCase().includes(low) || group.toLowerCase().includes(low);
  }
  const escaped = wanted.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  const pattern = new RegExp(`^${escaped}$`);
  return ({ name, node }) => pattern.test(name) || pattern.test(node);
}

/// A pattern for commands, where capitals count, and the controls that it matches: what the text is in the names found,
/// with ? for a letter that is a capital in some of them alone.
export function patternOf(text: string, controls: readonly Control[]): { pattern: string; found: number } {
  const wanted = text.trim(), low = wanted.toLowerCase();
  const spelled = controls.map(({ name }) => name).flatMap((name) => {
    const at = name.toLowerCase().indexOf(low);
    return at < 0 ? [] : [name.slice(at, at + low.length)];
  });
  const letters = [...(spelled[0] ?? wanted)].map((letter, i) => (spelled.every((word) => word[i] === letter) ? letter : '?'));
  const pattern = /[*?]/.test(wanted) ? wanted : `*${letters.join('')}*`;
  return { pattern, found: controls.filter(matcherOf(pattern)).length };
}

const kShown: Record<Show, (control: Control) => boolean> = {
  all: () => true, free: ({ free }) => free, keyed: ({ keyed }) => keyed, held: ({ held }) => held !== null,
};

/// `shut`: keys of groups and nodes that are closed. While something is searched, all are open.
export function rowsOf(controls: readonly Control[], text: string, show: Show, shut: ReadonlySet<string>): Row[] {
  const matching = matcherOf(text), searching = text.trim() !== '' || show !== 'all';
  const found = controls.filter((control) => matching(control) && kShown[show](control));
  const groups = new Map<string, Map<string, Control[]>>();
  for (const control of found) {
    const nodes = groups.get(control.group) ?? new Map<string, Control[]>();
    groups.set(control.group, nodes);
    nodes.set(control.node, [...(nodes.get(control.node) ?? []), control]);
  }
  const rows: Row[] = [], named = groups.size > 1 || ![...groups.keys()].every((name) => name === '');
  for (const [group, nodes] of groups) {
    const key = `group ${group}`, open = searching || !shut.has(key);
    if (named) rows.push({ kind: 'group', key, label: group || 'Other', count: [...nodes.values()].flat().length, open, depth: 0 });
    if (open || !named) pushNodes(rows, group, nodes, searching, shut, named ? 1 : 0);
  }
  return rows;
}

// A node of one control needs no row of its own.
function pushNodes(rows: Row[], group: string, nodes: ReadonlyMap<string, Control[]>, searching: boolean, shut: ReadonlySet<string>,
                   depth: number): void {
  for (const [node, controls] of nodes) {
    const key = `node ${group} ${node}`, open = searching || !shut.has(key), headed = node !== '' && controls.length > 1;
    if (headed) rows.push({ kind: 'node', key, label: node, count: controls.length, open, depth });
    if (headed && !open) continue;
    for (const control of controls)
      rows.push({ kind: 'control', control, depth: depth + (headed ? 1 : 0), label: headed ? shortName(control) : control.name });
  }
}

/// rx for tail_01.rx under its node.
function shortName({ name, node }: Control): string {
  return name.startsWith(node) && name.length > node.length + 1 ? name.slice(node.length + 1) : name;
}

export const heightOf = (row: Row) => kHeights[row.kind];

/// Where every row begins, in pixels, and the end of the last.
export function offsetsOf(rows: readonly Row[]): number[] {
  const offsets = [0];
  for (const row of rows) offsets.push(offsets[offsets.length - 1] + heightOf(row));
  return offsets;
}

/// The rows that are seen, and a few around them: first and one past the last.
export function seenRows(offsets: readonly number[], top: number, height: number, around = 6): [number, number] {
  const after = (y: number) => {
    let low = 0, high = offsets.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (offsets[middle + 1] > y) high = middle; else low = middle + 1;
    }
    return low;
  };
  const count = offsets.length - 1;
  return [Math.max(0, Math.min(after(top), count) - around), Math.min(count, after(top + height) + 1 + around)];
}
