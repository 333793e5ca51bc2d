/** Runs worlds one after the other, each with a seed derived from the run's, up to a limit. */
import { derivedSeed } from '../chance.js';
import type { WorldOptions } from '../world.js';
import { type Outcome, runWorld } from './failure.js';
import type { SimulateOptions } from './options.js';
import { Tally } from './tally.js';

const HOUR_MS = 3_600_000;

export interface RunResult {
  readonly tally: Tally;
  readonly failed: { readonly options: WorldOptions; readonly outcome: Outcome } | null;
}

export interface Share {
  readonly index: number;
  readonly of: number;
}

export async function runWorlds(
  options: Pick<SimulateOptions, 'seed' | 'hours' | 'worldHours' | 'mutation'>,
  share: Share,
  isTimeUp: (tally: Tally) => boolean,
): Promise<RunResult> {
  const tally = new Tally();
  const enoughMs = (options.hours * HOUR_MS) / share.of;
  for (let index = share.index; tally.counts.simulatedMs < enoughMs; index += share.of) {
    const world: WorldOptions = {
      seed: derivedSeed(options.seed, index),
      hours: options.worldHours,
      mutation: options.mutation,
    };
    const outcome = await runWorld(world);
    tally.addWorld(outcome.world);
    if (outcome.error !== null) return { tally, failed: { options: world, outcome } };
    if (isTimeUp(tally)) break;
  }
  return { tally, failed: null };
}
