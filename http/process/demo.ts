/**
 * The first start's present: an account with money, a key with all scopes, and a line to paste that places a bet.
 * The key's secret is printed once and kept nowhere.
 */
import { randomUUID } from 'node:crypto';
import { mustSubmit } from '../../engine/host/bootstrap.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { LIVE, MARKETS_MAX, marketId, SCOPES, scopesMask, TIERS } from '../../engine/model/domain.js';
import type { EngineReads } from '../../engine/model/views.js';
import { eventOf } from '../event-of.js';
import { generateKeySecret, keyDigest } from '../keys.js';

const DEMO_NAME = 'demo';
const DEMO_BALANCE_CENTS = 10_000_00;
const DEMO_STAKE_DOLLARS = 25;
/** A line to paste is of use while its reader finds the other window. */
const BETTING_LEFT_MS_MIN = 60_000;

/** Makes the account and its key; returns the key's secret. */
export function createDemoAccount(sequencer: Sequencer): string {
  const timeMs = sequencer.stampMs();
  const tier = TIERS.indexOf('SILVER');
  const created = mustSubmit(sequencer, {
    kind: 'createAccount',
    timeMs,
    name: DEMO_NAME,
    tier,
    balanceCents: DEMO_BALANCE_CENTS,
  });
  const { account } = eventOf(created.events, 'accountCreated');
  const secret = generateKeySecret();
  mustSubmit(sequencer, {
    kind: 'createKey',
    timeMs,
    account,
    digest: keyDigest(secret),
    scopesMask: scopesMask(SCOPES),
    expiresAtMs: null,
  });
  return secret;
}

/** The open market that takes bets for longest, BTC first, or -1 where none does for a minute. */
function bestMarket(engine: EngineReads, nowMs: number): number {
  let best = -1;
  let bestClosesMs = nowMs + BETTING_LEFT_MS_MIN;
  for (let market = 0; market < MARKETS_MAX; market++) {
    const round = engine.currentRound(market);
    if (round === null || round.status !== LIVE || engine.isSuspended(market)) continue;
    if (round.bettingClosesMs <= bestClosesMs) continue;
    best = market;
    bestClosesMs = round.bettingClosesMs;
  }
  return best;
}

/** One line for a shell that places a bet. `publicUrl` is the API's address without the base path. */
function curlLine(publicUrl: string, secret: string, market: number): string {
  const order = { marketId: marketId(market), prediction: 'UP', amount: DEMO_STAKE_DOLLARS };
  return [
    `curl -sS -X POST '${publicUrl}/v1/orders'`,
    `-H 'X-API-Key: ${secret}'`,
    `-H 'Idempotency-Key: ${randomUUID()}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(order)}'`,
  ].join(' ');
}

/** Calls `print` with the line once, as soon as a round is open, durably, that takes bets for long enough. */
export function printCurlWhenOpen(
  sequencer: Sequencer,
  publicUrl: string,
  secret: string,
  print: (line: string) => void,
): void {
  let isDone = false;
  const tryNow = (): void => {
    const market = isDone ? -1 : bestMarket(sequencer.engine, sequencer.stampMs());
    if (market < 0) return;
    isDone = true;
    sequencer.whenDurable(sequencer.engine.seq, () => print(curlLine(publicUrl, secret, market)));
  };
  sequencer.onEvents((_seq, events) => {
    if (!isDone && events.some(({ type }) => type === 'roundOpened')) tryNow();
  });
  tryNow();
}
