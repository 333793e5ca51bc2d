/**
 * The cost of a boundary: ends and opens of all 70 rounds with their prices, and the settlement of many bets in
 * journaled slices. The longest single command bounds how long any other order has to wait.
 */
import { newSha256 } from '../../crypto/hashes.js';
import { assert } from '../../engine/base/assert.js';
import type { Command } from '../../engine/model/commands.js';
import { ASSETS } from '../../engine/model/domain.js';
import { filledScenario } from './placing.js';
import { assertLedger, START_MS } from './scenario.js';

const MINUTE_MS = 60_000;
/** Three fifths of the bets are on rounds that end by then. */
const MINUTES = 15;

/** Settles the ONE_MINUTE, FIVE_MINUTES and FIFTEEN_MINUTES share (three fifths) of `bets` open bets. */
export function settlementCost(accounts: number, bets: number, sliceBets: number) {
  const scenario = filledScenario(accounts, bets);
  const { engine } = scenario;
  const digestStartedMs = performance.now();
  const digest = engine.stateDigest(newSha256);
  const stateDigestMs = performance.now() - digestStartedMs;
  assert(digest.length === 64, 'the state has a digest');
  let [totalMs, longestMs, settled] = [0, 0, 0];
  const apply = (command: Command): void => {
    const startedMs = performance.now();
    const outcome = engine.apply(command);
    const tookMs = performance.now() - startedMs;
    totalMs += tookMs;
    longestMs = Math.max(longestMs, tookMs);
    if (outcome.status === 'accepted')
      settled += outcome.events.filter(({ type }) => type === 'betSettled').length;
  };
  while (engine.nextDueMs <= START_MS + MINUTES * MINUTE_MS) {
    const dueMs = engine.nextDueMs;
    apply({ kind: 'advance', timeMs: dueMs });
    if (dueMs % MINUTE_MS !== 0) continue;
    ASSETS.forEach((_, asset) => {
      const price = 100 + ((dueMs / MINUTE_MS + asset) % 3);
      const priced = { boundaryMs: dueMs, price, priceTimeMs: dueMs, source: null, evidence: 'bench' };
      apply({ kind: 'boundaryPrice', timeMs: dueMs, asset, ...priced });
    });
  }
  totalMs = 0;
  while (engine.settlementsWaiting) apply({ kind: 'settle', timeMs: engine.timeMs, betsMax: sliceBets });
  assertLedger(scenario, bets);
  assert(settled > bets * 0.59, 'three fifths of the bets were settled');
  return { betsPerSecond: (settled * 1000) / totalMs, longestMs, stateDigestMs };
}
