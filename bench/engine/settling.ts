/**
 * The cost of a boundary: ends and opens of all 70 rounds with their prices, and the settlement of many bets in
 * journaled slices. The longest single command bounds how long any other order has to wait.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import { ASSETS } from '../../engine/model/domain.js';
import type { Outcome } from '../../engine/model/events.js';
import { filledScenario } from './placing.js';
import { assertLedger, openScenario, START_MS } from './scenario.js';

const MINUTE_MS = 60_000;

/** Applies commands, recording their total and longest time. */
class Timed {
  commands = 0;
  events = 0;
  totalMs = 0;
  longestMs = 0;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  apply(command: Command): Outcome {
    const startedMs = performance.now();
    const outcome = this.#engine.apply(command);
    const tookMs = performance.now() - startedMs;
    this.totalMs += tookMs;
    this.longestMs = Math.max(this.longestMs, tookMs);
    if (outcome.status === 'accepted') {
      this.commands += 1;
      this.events += outcome.events.length;
    }
    return outcome;
  }
}

/** Locks, ends and opens whatever is due up to `toMs`, with a price for each asset at every full minute. */
function passTime(engine: Engine, timed: Timed, toMs: number, prices = timed): void {
  while (engine.nextDueMs <= toMs) {
    const dueMs = engine.nextDueMs;
    timed.apply({ kind: 'advance', timeMs: dueMs });
    if (dueMs % MINUTE_MS !== 0) continue;
    ASSETS.forEach((_, asset) => {
      const price = 100 + ((dueMs / MINUTE_MS + asset) % 3);
      const priced = { boundaryMs: dueMs, price, priceTimeMs: dueMs, source: null, evidence: 'bench' };
      prices.apply({ kind: 'boundaryPrice', timeMs: dueMs, asset, ...priced });
    });
  }
}

export interface LifecycleCost {
  readonly minutes: number;
  readonly commands: number;
  readonly advancesPerSecond: number;
  readonly boundaryPricesPerSecond: number;
  readonly msPerMinute: number;
  readonly longestMs: number;
}

/** `minutes` minutes of rounds in all markets, without bets. */
export function lifecycleCost(minutes: number): LifecycleCost {
  const scenario = openScenario(10, 10_000);
  passTime(scenario.engine, new Timed(scenario.engine), START_MS + 30 * MINUTE_MS);
  const advances = new Timed(scenario.engine);
  const prices = new Timed(scenario.engine);
  passTime(scenario.engine, advances, START_MS + (30 + minutes) * MINUTE_MS, prices);
  assertLedger(scenario, 0);
  assert(advances.events + prices.events > minutes * ASSETS.length, 'rounds ended and opened every minute');
  return {
    minutes,
    commands: advances.commands + prices.commands,
    advancesPerSecond: (advances.commands * 1000) / advances.totalMs,
    boundaryPricesPerSecond: (prices.commands * 1000) / prices.totalMs,
    msPerMinute: (advances.totalMs + prices.totalMs) / minutes,
    longestMs: Math.max(advances.longestMs, prices.longestMs),
  };
}

export interface SettlementCost {
  readonly accounts: number;
  readonly bets: number;
  readonly sliceBets: number;
  readonly betsPerSecond: number;
  /** A lock, an end or a boundary price, on average: of the first quarter of an hour, with the bets still open. */
  readonly boundaryUs: number;
  /** Longest `settle`, `boundaryPrice` or `advance`. */
  readonly longestMs: number;
  readonly stateDigestMs: number;
}

/** Settles the ONE_MINUTE, FIVE_MINUTES and FIFTEEN_MINUTES share (three fifths) of `bets` open bets. */
export function settlementCost(accounts: number, bets: number, sliceBets: number): SettlementCost {
  const scenario = filledScenario(accounts, bets);
  const { engine } = scenario;
  const digestStartedMs = performance.now();
  const digest = engine.stateDigest(() => {
    const hash = createHash('sha256');
    return { update: (text) => hash.update(text), digestHex: () => hash.digest('hex') };
  });
  const stateDigestMs = performance.now() - digestStartedMs;
  assert(digest.length === 64, 'the state has a digest');
  const boundaries = new Timed(engine);
  passTime(engine, boundaries, START_MS + 15 * MINUTE_MS);
  const slices = new Timed(engine);
  while (engine.settlementsWaiting)
    slices.apply({ kind: 'settle', timeMs: engine.timeMs, betsMax: sliceBets });
  assertLedger(scenario, bets);
  assert(slices.events > bets * 0.59, 'three fifths of the bets were settled');
  return {
    accounts,
    bets,
    sliceBets,
    boundaryUs: (boundaries.totalMs * 1000) / boundaries.commands,
    betsPerSecond: (slices.events * 1000) / slices.totalMs,
    longestMs: Math.max(slices.longestMs, boundaries.longestMs),
    stateDigestMs,
  };
}
