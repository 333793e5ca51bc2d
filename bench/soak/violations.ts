/** Violations found by a soak. The first few of each kind are reported in full, the rest only counted. */
const TOLD_MAX = 20;

export class Violations {
  readonly examples: string[] = [];
  readonly counts = new Map<string, number>();

  constructor(private readonly print: (line: string) => void) {}

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** `kind` groups; `detail` says what was found. */
  report(kind: string, detail: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (count > TOLD_MAX) return;
    const line = `${new Date().toISOString()} ${kind}: ${detail}`;
    this.examples.push(line);
    this.print(`VIOLATION ${line}`);
  }
}
