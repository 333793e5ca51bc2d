/** Several test files in one process, each a suite of its own: its hooks and its timeout are for its tests alone. */
import { describe } from 'node:test';

export interface TestFile {
  /** Below the folder of the tests; the report names it. */
  readonly path: string;
  readonly url: string;
}

export const NO_TIME = 'no time left';

/** A process that its tests keep up longer than this has something left behind, and ends without it. */
const LEFT_MS = 5_000;

/** Leaves all out after `untilMs`, milliseconds since 1970. */
export function runTogether(files: readonly TestFile[], timeoutMs: number, untilMs: number | null): void {
  const skip = untilMs !== null && Date.now() > untilMs && NO_TIME;
  const suites = files.map(({ path, url }) =>
    describe(path, { timeout: timeoutMs, skip }, async () => {
      await import(url);
    }),
  );
  void Promise.all(suites).then(() => setTimeout(() => process.exit(), LEFT_MS).unref());
}
