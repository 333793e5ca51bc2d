/**
 * A random stream of commands, drawn one by one from what the state makes interesting. A step is a seed, so that
 * fast-check can leave steps out of a failing stream and the rest still makes sense.
 */
import { assert } from '../../../../engine/base/assert.js';
import { Engine } from '../../../../engine/engine.js';
import type { Command } from '../../../../engine/model/commands.js';
import type { ErrorCode } from '../../../../engine/model/errors.js';
import type { Outcome } from '../../../../engine/model/events.js';
import { RULES_VERSION } from '../../../../engine/model/rules.js';
import { nextExpiryMs } from '../limit-orders.js';
import { Pair } from '../pair.js';
import { bettableRounds } from '../reads.js';
import { ReferenceEngine } from '../reference-engine.js';
import * as lifecycle from './lifecycle-moves.js';
import * as operator from './operator-moves.js';
import * as orders from './order-moves.js';
import { Rng } from './rng.js';
import { type Move, WORLD_ASSETS, WORLD_HISTORY_BETS, WORLD_MARKETS, World } from './world.js';

/** Most streams begin on the day before: 2023-11-15T00:00:00Z. */
const MIDNIGHT_MS = 1_700_006_400_000;
/** A stream fails at its end, and shrinking has left little else. */
const STORY_LINES = 40;

type Generator = (world: World, rng: Rng) => Move | Command | null;

function limitMoves({ state, nowMs }: World, isBetting: boolean): readonly (readonly [number, Generator])[] {
  const isExpiring = nextExpiryMs(state) <= nowMs;
  return [
    [isBetting ? 40 : 1, orders.limitOrder],
    [isBetting ? 6 : 0.5, orders.cancelOrder],
    [isBetting ? 3 : 0.5, orders.cancelOrders],
    [orders.roundsWithResting(state).length > 0 ? 15 : 0.3, orders.fillOrders],
    [1, orders.setDeadman],
    [isExpiring ? 4 : 0.3, orders.expireOrders],
  ];
}

function choices(world: World): readonly (readonly [number, Generator])[] {
  const { state, nowMs } = world;
  const isBetting = bettableRounds(state, nowMs).length > 0;
  const isAwaiting = lifecycle.awaitedBoundaries(world).length > 0;
  return [
    [isBetting ? 90 : 3, orders.order],
    ...(world.hasLimits ? limitMoves(world, isBetting) : []),
    [14, lifecycle.passTime],
    [isAwaiting ? 22 : 0.5, lifecycle.boundaryPrice],
    [state.markets.some(({ current }) => current === null) ? 4 : 0.5, lifecycle.openLate],
    [state.resolved.length > 0 ? 14 : 0.3, lifecycle.settle],
    [0.7, lifecycle.advance],
    [lifecycle.rootless(world).length > 0 ? 6 : 0.3, lifecycle.publishRoot],
    [1, lifecycle.voidRound],
    [state.accounts.length < 2 ? 20 : 1, operator.createAccount],
    [1.5, operator.updateAccount],
    [4, operator.transfer],
    [3, operator.transferHouse],
    [2, operator.createKey],
    [2, operator.updateKey],
    [0.7, operator.expireKey],
    [operator.keysBeyondTier(world).length > 0 ? 4 : 1, operator.rotateKey],
    [0.7, operator.configure],
    [0.7, operator.setCalendar],
    [state.trading.enabled ? 0.5 : 5, operator.setTrading],
    [0.7 + 2 * operator.suspendedMarkets(state).length, operator.suspendMarket],
    [0.3, operator.declareSetup],
  ];
}

/** The reference model's state says which commands are interesting next. */
interface Target {
  readonly reference: ReferenceEngine;
  apply(command: Command, gate?: ErrorCode | null): Outcome;
}

export function runStream(worldSeed: number, steps: readonly number[]): Pair {
  const pair = new Pair(WORLD_MARKETS, [1, WORLD_HISTORY_BETS, 50]);
  try {
    drive(pair, worldSeed, steps);
  } catch (error) {
    throw new Error(failureText(pair, worldSeed, error), { cause: error });
  }
  return pair;
}

/** The reference model alone decides the commands, for tests that compare nothing. */
class DrawnStream implements Target {
  readonly reference = new ReferenceEngine();
  readonly tried: { readonly command: Command; readonly gate: ErrorCode | null }[] = [];
  readonly accepted: Command[] = [];

  apply(command: Command, gate: ErrorCode | null = null): Outcome {
    const { timeMs } = command;
    if (command.kind !== 'advance' && this.reference.nextDueMs <= timeMs)
      this.#take({ kind: 'advance', timeMs }, null);
    return this.#take(command, gate);
  }

  #take(command: Command, gate: ErrorCode | null): Outcome {
    const outcome = this.reference.apply(command, gate);
    this.tried.push({ command, gate });
    if (outcome.status === 'accepted') this.accepted.push(command);
    return outcome;
  }
}

/** The commands of `runStream`, many times as fast, unchecked. Without quotes all seeds are fixed. */
export function drawStream(
  worldSeed: number,
  steps: readonly number[],
  isQuoting = true,
  hasLimits = true,
): Pick<DrawnStream, 'tried' | 'accepted'> {
  const drawn = new DrawnStream();
  drive(drawn, worldSeed, steps, isQuoting, hasLimits);
  return drawn;
}

export function randomCommands(
  seed: number,
  steps: number,
  isQuoting = true,
  hasLimits = false,
): readonly Command[] {
  const rng = new Rng(seed);
  const seeds = Array.from({ length: steps }, () => rng.integer(0, 0xffff_ffff));
  return drawStream(seed, seeds, isQuoting, hasLimits).accepted;
}

export function randomEngine(seed: number, steps: number, isQuoting = true, hasLimits = false): Engine {
  const engine = new Engine();
  for (const command of randomCommands(seed, steps, isQuoting, hasLimits)) {
    const { status } = engine.apply(command);
    assert(status === 'accepted', `${command.kind} is ${status}`);
  }
  return engine;
}

function drive(
  target: Target,
  worldSeed: number,
  steps: readonly number[],
  isQuoting = true,
  hasLimits = true,
): void {
  const rng = new Rng(worldSeed);
  const startMs = MIDNIGHT_MS - rng.integer(0, 600_000);
  const world = new World(target.reference, startMs, isQuoting, hasLimits);
  openWorld(target, world, rng);
  for (const seed of steps) {
    const stepRng = new Rng(seed);
    const made = stepRng.weighted(choices(world))(world, stepRng);
    if (made === null) continue;
    if ('command' in made) target.apply(made.command, made.gate);
    else target.apply(made);
  }
}

function openWorld(target: Target, world: World, rng: Rng): void {
  const timeMs = world.nowMs;
  target.apply({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules: world.rules(rng, null) });
  const amountCents = rng.pick([1_000_000_00, 1_000_000_00, 20_000_00, 3_000_00]);
  target.apply({ kind: 'depositHouse', timeMs, amountCents, reference: 'capital' });
  for (const balanceCents of [50_000_00, 2_000_000_00]) {
    target.apply({ kind: 'createAccount', timeMs, name: null, tier: rng.integer(1, 4), balanceCents });
  }
  for (const asset of WORLD_ASSETS) {
    const opening = {
      asset,
      price: world.price(asset),
      priceTimeMs: timeMs,
      source: null,
      evidence: 'start',
    };
    target.apply({ kind: 'openLate', timeMs, ...opening });
  }
}

function failureText(pair: Pair, worldSeed: number, error: unknown): string {
  const story = pair.story.slice(-STORY_LINES).join('\n');
  const reason = error instanceof Error ? error.message : String(error);
  return `world seed ${worldSeed}; the last of ${pair.story.length} commands:\n${story}\n${reason}`;
}
