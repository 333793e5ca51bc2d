/**
 * The coverage of a run: kinds of commands with their outcomes, codes of answers, events, faults. A run that reaches
 * nothing proves nothing, so a long run must meet each of them.
 */

const COVERAGE_KINDS = ['command', 'reply', 'operator', 'event', 'fault', 'client', 'recovery'] as const;
export type CoverageKind = (typeof COVERAGE_KINDS)[number];

export class Coverage {
  readonly counts = new Map<string, number>();

  hit(kind: CoverageKind, name: string, times = 1): void {
    const key = `${kind} ${name}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + times);
  }

  count(kind: CoverageKind, name: string): number {
    return this.counts.get(`${kind} ${name}`) ?? 0;
  }

  add(other: Iterable<readonly [string, number]>): void {
    for (const [key, count] of other) this.counts.set(key, (this.counts.get(key) ?? 0) + count);
  }

  /** Names that were met less often than `least`. */
  missing(expected: Readonly<Partial<Record<CoverageKind, readonly string[]>>>, least: number): string[] {
    return COVERAGE_KINDS.flatMap((kind) =>
      (expected[kind] ?? [])
        .filter((name) => this.count(kind, name) < least)
        .map((name) => `${kind} ${name}`),
    );
  }

  table(): string {
    return COVERAGE_KINDS.map((kind) => {
      const entries = [...this.counts]
        .filter(([key]) => key.startsWith(`${kind} `))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(
          ([key, count]) =>
            `  ${key.slice(kind.length + 1).padEnd(52)} ${count.toLocaleString('en').padStart(14)}`,
        );
      return `${kind}\n${entries.join('\n')}`;
    }).join('\n');
  }
}
