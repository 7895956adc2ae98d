// Names as everywhere in rigspace: unnamed things get their kind and index, duplicates get #2, #3, ...

export class UniqueNames {
  private readonly taken = new Set<string>();
  private readonly repeats = new Map<string, number>();

  add(name: string | undefined, kind: string, index: number): string {
    const base = name ? name : `${kind}${index}`;
    let unique = base;
    for (let count = this.repeats.get(base) ?? 1; this.taken.has(unique); this.repeats.set(base, count))
      unique = `${base}#${++count}`;
    this.taken.add(unique);
    return unique;
  }
}
