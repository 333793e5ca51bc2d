/** Several test files in one process, each a suite of its own: its hooks and its timeout are for its tests alone. */
import { describe } from 'node:test';

export interface TestFile {
  /** Below the folder of the tests; the report names it. */
  readonly path: string;
  readonly url: string;
}

export const NO_TIME = 'no time left';

/** Leaves all out after `untilMs`, milliseconds since 1970. */
export function runTogether(files: readonly TestFile[], timeoutMs: number, untilMs: number | null): void {
  const skip = untilMs !== null && Date.now() > untilMs && NO_TIME;
  for (const { path, url } of files) {
    describe(path, { timeout: timeoutMs, skip }, async () => {
      await import(url);
    });
  }
}
