/** The command lines of long runs: each has a seed, which is printed, so that the run can be repeated. */
import { Command, InvalidArgumentError } from 'commander';

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number up to 999999999.');
  return Number(text);
}

export const anySeed = (): number => Date.now() % 1_000_000;

export const seededProgram = (name: string, about: string): Command =>
  new Command(`npm run ${name} --`)
    .description(about)
    .option('--seed <n>', 'the same choices again (default: others each time)', wholeNumber);

/** Prints the seed. From here on an interrupted run ends its servers and removes its files. */
export function optionsOf<T extends object>(program: Command): T & { readonly seed: number } {
  const given = program.parse().opts<T & { readonly seed?: number }>();
  const seed = given.seed ?? anySeed();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  process.stdout.write(`seed ${seed}\n`);
  return { ...given, seed };
}
