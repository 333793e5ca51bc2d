/** The command line of the programs for authors of bots, and how these end. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type PriceRow, parsePricePath } from '../sandbox/index.js';

/** A mistake in the command; its message is for people. */
export class UsageError extends Error {}

const USAGE_EXIT_CODE = 2;

export const programNamed = (name: string, about: string): Command =>
  new Command(`npm run ${name} --`)
    .description(about)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_EXIT_CODE));

export function readPrices(file: string): PriceRow[] {
  try {
    return parsePricePath(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--prices ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One line says what went wrong; a mistake in code, as a bot's own may have, shows where it is. */
export async function runProgram(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    const isOfCode = [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    process.stderr.write(`${isOfCode ? stack : message}\n`);
    process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1;
  }
}
