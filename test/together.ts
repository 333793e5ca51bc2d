/** Several test files in one process, each a suite of its own: its hooks and its timeout are for its tests alone. */
import { describe } from 'node:test';

export interface TestFile {
  /** Its path below the folder of the tests, under which it is reported. */
  readonly path: string;
  readonly url: string;
}

export function runTogether(files: readonly TestFile[], timeoutMs: number): void {
  for (const { path, url } of files) {
    describe(path, { timeout: timeoutMs }, async () => {
      await import(url);
    });
  }
}
