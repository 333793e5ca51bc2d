import { InvalidArgumentError, Command as Program } from 'commander';
import { anySeed } from '../../support/seeded-program.js';
import { MUTATIONS, mutationNamed } from '../mutations/mutations.js';
import type { Mutation } from '../mutations/planting.js';

export interface SimulateOptions {
  readonly seed: number;
  readonly hours: number;
  /** Bound in real minutes, or null. */
  readonly minutes: number | null;
  readonly worldHours: number;
  readonly workers: number;
  readonly mutation: Mutation | null;
  /** One world alone, by its own seed: so a failure is seen again. */
  readonly world: number | null;
  /** Only these faults strike that world; null for all. */
  readonly faults: ReadonlySet<number> | null;
}

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most)) {
      throw new InvalidArgumentError(`It must be from ${least} to ${most}.`);
    }
    return value;
  };
}

function mutation(name: string): Mutation {
  const found = mutationNamed(name);
  if (found === null)
    throw new InvalidArgumentError(`There are ${MUTATIONS.map((one) => one.name).join(', ')}.`);
  return found;
}

const indices = (text: string): ReadonlySet<number> =>
  new Set(text === 'none' ? [] : text.split(',').map(Number));

const SEED_MAX = 0xffff_ffff;

export function readOptions(argv: readonly string[]): SimulateOptions {
  const program = new Program('simulate')
    .description(
      'runs the real server on a disk, clock and network that a seed owns, and holds it to its promises',
    )
    .option('--seed <n>', 'the same seed gives the same run (default: another each run)', number(0, SEED_MAX))
    .option('--hours <n>', 'simulated hours', number(0.01, 1e6), 24)
    .option('--minutes <n>', 'stop after so many real minutes', number(0.01, 1e5))
    .option('--world-hours <n>', 'simulated hours of faults in one world', number(0.01, 100), 0.5)
    .option('--workers <n>', 'processes', number(1, 64), 1)
    .option('--mutation <name>', 'plant a bug that must be found', mutation)
    .option('--world <seed>', 'run this one world and tell its trace', number(0, SEED_MAX))
    .option('--faults <indices>', 'let only these faults strike it, or `none`', indices)
    .parse(argv, { from: 'user' });
  const given = program.opts<{
    seed?: number;
    hours: number;
    minutes?: number;
    worldHours: number;
    workers: number;
    mutation?: Mutation;
    world?: number;
    faults?: ReadonlySet<number>;
  }>();
  return {
    ...given,
    seed: given.seed ?? anySeed(),
    minutes: given.minutes ?? null,
    mutation: given.mutation ?? null,
    world: given.world ?? null,
    faults: given.faults ?? null,
  };
}
