/**
 * A server that stood still (SIGSTOP) across a boundary, for longer than the grace of late ticks, reads the prices that
 * wait in its sockets before it ends the round. The clock is the system's, as a standstill has none on a manual one, so
 * that this waits for a minute to end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { type Bettor, Server } from '../support/server.js';
import type { Market, RoundDetail } from '../support/spec.js';

const MARKET = 'BTC_ONE_MINUTE';
const PRICE = 67_000;
const LAST_PRICE = 67_123;
const GRACE_MS = 2_000;
const TICK_EVERY_MS = 500;
/** A round that has less than this left is left to its end: its last ticks would come before the standstill. */
const NEEDED_MS = 10_000;

async function currentRound({ api }: Bettor): Promise<Market['currentRound']> {
  return (await api.get<Market>(`/markets/${MARKET}`)).data.currentRound;
}

const until = async (timeMs: number): Promise<void> => {
  await sleep(Math.max(0, timeMs - Date.now()));
};

test('ticks that waited while the server stood still end the round', { timeout: 240_000 }, async (t) => {
  const server = await Server.start({ env: { TOTE_CLOCK: 'system' } });
  t.after(() => server.remove());
  const bettor = await server.createBettor();
  let round: Market['currentRound'] = null;
  while (round?.status !== 'LIVE' || Date.parse(round.endTime) - Date.now() < NEEDED_MS) {
    await server.push({ BTC: PRICE });
    await sleep(TICK_EVERY_MS);
    round = await currentRound(bettor);
  }
  const endMs = Date.parse(round.endTime);
  for (; Date.now() < endMs - 2 * TICK_EVERY_MS; await sleep(TICK_EVERY_MS))
    await server.push({ BTC: PRICE });
  server.run.signal('SIGSTOP');
  await until(endMs);
  const timestamp = new Date(endMs - 1).toISOString();
  const waiting = server.operator.post<{ taken: number }>('/prices', [
    { crypto: 'BTC', price: LAST_PRICE, timestamp },
  ]);
  await until(endMs + GRACE_MS + 500);
  server.run.signal('SIGCONT');
  assert.equal((await waiting).data.taken, 1);
  let ended: RoundDetail | null = null;
  while (ended?.status !== 'SETTLED') {
    await server.push({ BTC: LAST_PRICE });
    ended = (await bettor.api.get<RoundDetail>(`/rounds/${must(round, 'round').id}`)).data;
    await sleep(TICK_EVERY_MS);
  }
  assert.equal(ended.closePrice, LAST_PRICE);
  assert.equal(ended.result, 'UP');
});
