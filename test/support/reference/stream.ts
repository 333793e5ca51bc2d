/**
 * A random stream of commands, drawn one by one from what the state makes interesting. A step is a seed, so that
 * fast-check can leave steps out of a failing stream and the rest still makes sense.
 */
import type { Command } from '../../../engine/model/commands.js';
import { RULES_VERSION } from '../../../engine/model/rules.js';
import * as lifecycle from './lifecycle-moves.js';
import * as operator from './operator-moves.js';
import { order } from './order-moves.js';
import { Pair } from './pair.js';
import { bettableRounds } from './reads.js';
import { Rng } from './rng.js';
import { type Move, WORLD_ASSETS, WORLD_HISTORY_BETS, WORLD_MARKETS, World, worldRules } from './world.js';

/** How much of a failing stream is shown: the end is where it failed, and shrinking has left little else. */
const STORY_LINES = 40;

type Generator = (world: World, rng: Rng) => Move | Command | null;

function choices(world: World): readonly (readonly [number, Generator])[] {
  const { state, nowMs } = world;
  const isBetting = bettableRounds(state, nowMs).length > 0;
  const isAwaiting = lifecycle.awaitedBoundaries(world).length > 0;
  return [
    [isBetting ? 90 : 3, order],
    [14, lifecycle.passTime],
    [isAwaiting ? 22 : 0.5, lifecycle.boundaryPrice],
    [state.markets.some(({ current }) => current === null) ? 4 : 0.5, lifecycle.openLate],
    [state.resolved.length > 0 ? 14 : 0.3, lifecycle.settle],
    [0.7, lifecycle.advance],
    [1, lifecycle.voidRound],
    [state.accounts.length < 2 ? 20 : 1, operator.createAccount],
    [1.5, operator.updateAccount],
    [4, operator.transfer],
    [1.5, operator.depositHouse],
    [2, operator.createKey],
    [2, operator.updateKey],
    [0.7, operator.configure],
    [0.7, operator.setCalendar],
    [state.trading.enabled ? 0.3 : 5, operator.setTrading],
    [0.5, operator.suspendMarket],
    [0.3, operator.declareSetup],
  ];
}

/** Runs the stream through the engine and the reference model; throws where they differ. */
export function runStream(worldSeed: number, steps: readonly number[]): Pair {
  const rng = new Rng(worldSeed);
  const pair = new Pair(WORLD_MARKETS, [1, WORLD_HISTORY_BETS, 50]);
  const world = new World(pair.reference.state, 1_700_000_000_000 + rng.integer(0, 900_000));
  try {
    openWorld(pair, world, rng);
    for (const seed of steps) {
      const stepRng = new Rng(seed);
      const made = stepRng.weighted(choices(world))(world, stepRng);
      if (made === null) continue;
      if ('command' in made) pair.apply(made.command, made.gate);
      else pair.apply(made);
    }
  } catch (error) {
    throw new Error(failureText(pair, worldSeed, error), { cause: error });
  }
  return pair;
}

/** Rules, the house's money, two accounts and the first rounds. */
function openWorld(pair: Pair, world: World, rng: Rng): void {
  const timeMs = world.nowMs;
  pair.apply({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules: worldRules(rng, null) });
  const amountCents = rng.pick([1_000_000_00, 1_000_000_00, 20_000_00, 3_000_00]);
  pair.apply({ kind: 'depositHouse', timeMs, amountCents, reference: 'capital' });
  for (const balanceCents of [50_000_00, 2_000_000_00]) {
    pair.apply({ kind: 'createAccount', timeMs, name: null, tier: rng.integer(1, 4), balanceCents });
  }
  for (const asset of WORLD_ASSETS) {
    const price = world.price(asset);
    pair.apply({ kind: 'openLate', timeMs, asset, price, priceTimeMs: timeMs, evidence: 'start' });
  }
}

function failureText(pair: Pair, worldSeed: number, error: unknown): string {
  const story = pair.story.slice(-STORY_LINES).join('\n');
  const reason = error instanceof Error ? error.message : String(error);
  return `world seed ${worldSeed}; the last of ${pair.story.length} commands:\n${story}\n${reason}`;
}
