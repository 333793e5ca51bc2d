/**
 * The demo of the first start: an account with money, a key with all scopes, and command lines to paste that place a
 * bet and show its outcome. The key's secret is told once: to a terminal, or else in a file for its owner alone.
 */
import { randomUUID } from 'node:crypto';
import { generateKeySecret, keyDigest } from '../crypto/api-keys.js';
import { must } from '../engine/base/assert.js';
import type { EngineReads } from '../engine/engine.js';
import { mustSubmit } from '../engine/host/bootstrap.js';
import type { Sequencer } from '../engine/host/sequencer.js';
import { LIVE, MARKETS_MAX, marketId, SCOPES, scopesMask, TIERS } from '../engine/model/domain.js';
import { eventOf } from '../engine/model/events.js';
import { writeFileDurably } from '../persistence/data-dir/files.js';
import type { Log } from '../process/log/log.js';

const DEMO_NAME = 'demo';
const DEMO_BALANCE_CENTS = 10_000_00;
const DEMO_STAKE_DOLLARS = 25;
/** Leaves time to paste the line into another window. */
const BETTING_LEFT_MS_MIN = 60_000;

/** Returns the key's secret. */
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

/** Its open round ends first among those that take bets for another minute; BTC first, -1 for none. */
function bestMarket(engine: EngineReads, nowMs: number): number {
  let best = -1;
  let bestEndsMs = Number.POSITIVE_INFINITY;
  for (let market = 0; market < MARKETS_MAX; market++) {
    const round = engine.currentRound(market);
    if (round === null || round.status !== LIVE || engine.isSuspended(market)) continue;
    if (round.bettingClosesMs - nowMs < BETTING_LEFT_MS_MIN || round.endTimeMs >= bestEndsMs) continue;
    best = market;
    bestEndsMs = round.endTimeMs;
  }
  return best;
}

/** `publicUrl` is the API's address without the base path. */
function betLine(publicUrl: string, secret: string, market: number): string {
  const order = { marketId: marketId(market), prediction: 'UP', amount: DEMO_STAKE_DOLLARS };
  return [
    `curl -sS -X POST '${publicUrl}/v1/orders'`,
    `-H 'X-API-Key: ${secret}'`,
    `-H 'Idempotency-Key: ${randomUUID()}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(order)}'`,
  ].join(' ');
}

/** Only the line that places the bet starts with `curl`, so a script can find it. */
function invitation(engine: EngineReads, publicUrl: string, secret: string, market: number): string {
  const { endTimeMs } = must(engine.currentRound(market), 'the round of the market to bet on');
  const ends = new Date(endTimeMs).toISOString();
  return `
This places a bet with the demo account's key, which is kept nowhere else:
${betLine(publicUrl, secret, market)}

The round ends at ${ends}. Before and after, this shows how the bet stands:
  curl -sS '${publicUrl}/v1/positions?status=all' -H 'X-API-Key: ${secret}'
`;
}

/**
 * Tells the lines once, as soon as a durable open round takes bets for long enough: on a terminal, else in `file`,
 * since a stdout that is no terminal may be a log that many read.
 */
export function tellDemo(
  sequencer: Sequencer,
  publicUrl: string,
  secret: string,
  file: string,
  log: Pick<Log, 'write'>,
): void {
  const tell = (text: string): void => {
    if (process.stdout.isTTY) {
      process.stdout.write(text);
      return;
    }
    writeFileDurably(file, text);
    log.write('demo_kept', { file });
  };
  let isDone = false;
  const tryNow = (): void => {
    const { engine } = sequencer;
    const market = isDone ? -1 : bestMarket(engine, sequencer.stampMs());
    if (market < 0) return;
    isDone = true;
    const text = invitation(engine, publicUrl, secret, market);
    sequencer.whenDurable(engine.seq, () => tell(text));
  };
  sequencer.onEvents((_seq, events) => {
    if (!isDone && events.some(({ type }) => type === 'roundOpened')) tryNow();
  });
  tryNow();
}
