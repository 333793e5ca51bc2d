/** The JSON file of a run. */
import { readFileSync } from 'node:fs';
import type { Environment } from '../host/environment.js';
import { type BenchRun, UsageError } from './options.js';
import type { SectionResult } from './section.js';

export interface Run {
  readonly environment: Environment;
  readonly options: BenchRun;
  readonly results: readonly SectionResult[];
}

/** Throws `UsageError` if the file is not one of the suite's. */
export function readRun(file: string): Run {
  let run: unknown;
  try {
    run = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`compare: ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isRun(run)) throw new UsageError(`compare: ${file} is not a file of figures that this suite wrote`);
  return run;
}

function isRun(value: unknown): value is Run {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'environment') === 'object' &&
    Array.isArray(Reflect.get(value, 'results'))
  );
}
