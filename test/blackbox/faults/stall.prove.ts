/**
 * A server that was stopped (SIGSTOP) across a boundary, for longer than the grace of late ticks, reads the prices in
 * its sockets before it ends the round. A stall takes real time, so the server has the system's clock, set forward so
 * that a minute ends soon.
 */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '../../../engine/base/assert.js';
import type { Market, RoundDetail } from '../../support/api/spec.js';
import { type Bettor, newDataDir, Server } from '../../support/processes/server.js';

const MARKET = 'BTC_ONE_MINUTE';
const PRICE = 67_000;
const LAST_PRICE = 67_123;
const GRACE_MS = 2_000;
const TICK_EVERY_MS = 500;
/** The server is stopped this long before the boundary at least: a push may be slow. */
const BEFORE_MS = 3_000;
/** With less than this left of a round the test waits for the next: its last ticks would arrive before the stall. */
const NEEDED_MS = 6_000;
const SOON_MS = NEEDED_MS + 4_000;
/** A round of a minute opens late and takes bets to its last second. */
const RULES = {
  limits: { '*': { lockLeadMs: 1_000, house: { policy: 'fixed' } } },
  cutoffMs: 0,
  lateOpenBettingMs: 1_000,
};

async function currentRound({ api }: Bettor): Promise<Market['currentRound']> {
  return (await api.get<Market>(`/markets/${MARKET}`)).data.currentRound;
}

/** The server's clock is ahead of this program's: a minute of it ends soon after the start. */
const AHEAD_MS = 60_000 - ((Date.now() + SOON_MS) % 60_000);
const nowMs = (): number => Date.now() + AHEAD_MS;
const SET_CLOCK = `const now = Date.now; Date.now = () => now() + ${AHEAD_MS};`;

const until = async (timeMs: number): Promise<void> => {
  await sleep(Math.max(0, timeMs - nowMs()));
};

test('ticks that waited during a stall end the round', { timeout: 240_000 }, async (t) => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(SET_CLOCK)}`;
  const dataDir = newDataDir();
  const TOTE_RULES_FILE = `${dataDir}.rules.json`;
  writeFileSync(TOTE_RULES_FILE, JSON.stringify(RULES));
  const server = await Server.start({
    dataDir,
    env: { TOTE_CLOCK: 'system', TOTE_RULES_FILE, NODE_OPTIONS },
  });
  t.after(async () => {
    await server.remove();
    rmSync(TOTE_RULES_FILE);
  });
  const bettor = await server.createBettor();
  let round: Market['currentRound'] = null;
  while (round?.status !== 'LIVE' || Date.parse(round.endTime) - nowMs() < NEEDED_MS) {
    await server.push({ BTC: PRICE });
    await sleep(TICK_EVERY_MS);
    round = await currentRound(bettor);
  }
  const endMs = Date.parse(round.endTime);
  for (; nowMs() < endMs - BEFORE_MS; await sleep(TICK_EVERY_MS)) await server.push({ BTC: PRICE });
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
  assert.deepEqual([ended.closePrice, ended.result], [LAST_PRICE, 'UP']);
});
