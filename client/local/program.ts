/** The command line of the programs for authors of bots, and how these end. */
import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type PriceRow, parsePricePath } from '../sandbox/index.js';

/** A mistake in the command; its message is for people. */
export class UsageError extends Error {}

const USAGE_EXIT_CODE = 2;

const asUsage = <Result>(read: () => Result, where = ''): Result => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${where}${error instanceof Error ? error.message : String(error)}`);
  }
};

export const readArgs = <Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => asUsage(() => parseArgs(config));

export const readPrices = (file: string): PriceRow[] =>
  asUsage(() => parsePricePath(readFileSync(file, 'utf8')), `--prices ${file}: `);

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
