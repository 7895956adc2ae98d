// Names as everywhere in rigspace: unnamed things get their kind and index, duplicates get #2, #3, ...

export class UniqueNames {
  private readonly seen = new Map<string, number>();

  add(name: string | undefined, kind: string, index: number): string {
    const base = name ? name : `${kind}${index}`;
    const count = (this.seen.get(base) ?? 0) + 1;
    this.seen.set(base, count);
    return count === 1 ? base : `${base}#${count}`;
  }
}
