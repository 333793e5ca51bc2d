/**
 * FX and metals have market hours in New York time (design, section 4): no round opens that would end outside them,
 * and outside them there is none. The instants are worked out here from the time-zone data, for the week ahead.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { FRAMES, TIME_FRAMES } from '../../support/api/spec.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PRICES = { EURUSD: 1.08, USDJPY: 150.25, GOLD: 2_400.5, SILVER: 30.1, BTC: 67_000 };

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  trader = await sandbox.trader();
});
after(() => sandbox.remove());

const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  hour: 'numeric',
  hourCycle: 'h23',
});

/** The next whole hour after `afterMs` at which New York shows this weekday and hour. */
function nextNewYork(weekday: string, hour: number, afterMs: number): number {
  for (
    let atMs = Math.ceil((afterMs + 1) / HOUR_MS) * HOUR_MS;
    atMs < afterMs + 8 * DAY_MS;
    atMs += HOUR_MS
  ) {
    const parts = new Map(newYork.formatToParts(atMs).map(({ type, value }) => [type, value]));
    if (parts.get('weekday') === weekday && Number(parts.get('hour')) === hour) return atMs;
  }
  throw new Error(`no ${weekday} ${hour}:00 within a week`);
}

/** Time frames of the asset that have a LIVE round just after fresh prices for all. */
async function openFrames(asset: string): Promise<string[]> {
  const markets = await trader.api.markets();
  return TIME_FRAMES.filter((frame) => {
    const market = markets.find(({ id }) => id === `${asset}_${frame}`);
    return market?.currentRound?.status === 'LIVE';
  });
}

/** The time frames whose current window lies in [openMs, closeMs] with enough betting left, at `atMs`. */
function framesThatFit(atMs: number, openMs: number, closeMs: number): string[] {
  return TIME_FRAMES.filter((frame) => {
    const { lengthMs = 0, lockLeadMs = 0 } = FRAMES[frame] ?? {};
    const endMs = (Math.floor(atMs / lengthMs) + 1) * lengthMs;
    return openMs <= atMs && endMs <= closeMs && endMs - lockLeadMs - 30_000 >= atMs;
  });
}

test('FX opens on Sunday 17:00 and metals on Sunday 18:00, New York time', async () => {
  const sunday17 = nextNewYork('Sun', 17, sandbox.nowMs);
  const friday17 = nextNewYork('Fri', 17, sunday17);
  const monday17 = nextNewYork('Mon', 17, sunday17);
  await sandbox.advanceTo(sunday17 - 1_000);
  await sandbox.push(PRICES);
  for (const asset of ['EURUSD', 'USDJPY', 'GOLD', 'SILVER']) assert.deepEqual(await openFrames(asset), []);
  assert.ok((await openFrames('BTC')).length > 0, 'crypto never closes');

  await sandbox.advanceTo(sunday17);
  await sandbox.push(PRICES);
  for (const asset of ['EURUSD', 'USDJPY']) {
    assert.deepEqual(await openFrames(asset), framesThatFit(sandbox.nowMs, sunday17, friday17), asset);
  }
  for (const asset of ['GOLD', 'SILVER']) assert.deepEqual(await openFrames(asset), []);

  await sandbox.advanceTo(sunday17 + HOUR_MS - 1);
  await sandbox.push(PRICES);
  assert.deepEqual(await openFrames('GOLD'), []);
  await sandbox.advance(1);
  await sandbox.push(PRICES);
  for (const asset of ['GOLD', 'SILVER']) {
    assert.deepEqual(await openFrames(asset), framesThatFit(sandbox.nowMs, sandbox.nowMs, monday17), asset);
  }
  const market = await trader.api.market('GOLD_ONE_MINUTE');
  assert.equal(market.currentRound?.openPrice, PRICES.GOLD);
  await trader.api.place({ marketId: 'GOLD_ONE_MINUTE', prediction: 'UP', amount: 1 });
});

test('metals pause from 17:00 to 18:00 each day, FX does not', async () => {
  const monday17 = nextNewYork('Mon', 17, sandbox.nowMs);
  const friday17 = nextNewYork('Fri', 17, monday17);
  await sandbox.advanceTo(monday17 - 60_000);
  await sandbox.push(PRICES);
  assert.deepEqual(await openFrames('GOLD'), ['ONE_MINUTE', 'FIVE_MINUTES', 'FIFTEEN_MINUTES']);
  const { id } = (await trader.api.market('GOLD_ONE_MINUTE')).currentRound ?? { id: '' };
  await sandbox.advance(59_000);
  await sandbox.push({ ...PRICES, GOLD: 2_401 });
  await sandbox.advance(3_000);
  assert.equal(
    (await trader.api.round(id)).result,
    'UP',
    'the round that ends with the session gets its price',
  );
  assert.deepEqual(await openFrames('GOLD'), []);
  await sandbox.advanceTo(monday17 + 7 * 60_000);
  await sandbox.push(PRICES);
  assert.deepEqual(await openFrames('GOLD'), []);
  assert.equal((await trader.api.market('GOLD_ONE_MINUTE')).currentRound, null);
  assert.deepEqual(await openFrames('EURUSD'), framesThatFit(sandbox.nowMs, monday17, friday17));
  await sandbox.advanceTo(monday17 + HOUR_MS);
  await sandbox.push(PRICES);
  const tuesday17 = nextNewYork('Tue', 17, sandbox.nowMs);
  assert.deepEqual(await openFrames('SILVER'), framesThatFit(sandbox.nowMs, sandbox.nowMs, tuesday17));
});

test('FX and metals close on Friday 17:00, and rounds that would end later never open', async () => {
  const friday17 = nextNewYork('Fri', 17, sandbox.nowMs);
  await sandbox.advanceTo(friday17 - 15 * 60_000);
  await sandbox.push(PRICES);
  for (const asset of ['EURUSD', 'GOLD']) {
    assert.deepEqual(await openFrames(asset), ['ONE_MINUTE', 'FIVE_MINUTES', 'FIFTEEN_MINUTES'], asset);
  }
  await sandbox.advanceTo(friday17 - 60_000);
  await sandbox.push(PRICES);
  for (const asset of ['EURUSD', 'GOLD']) {
    const fitting = framesThatFit(sandbox.nowMs, friday17 - HOUR_MS, friday17);
    assert.deepEqual(await openFrames(asset), fitting, asset);
  }
  await sandbox.advance(59_000);
  await sandbox.push(PRICES);
  await sandbox.advance(3_000);
  for (const asset of ['EURUSD', 'GOLD']) {
    assert.deepEqual(await openFrames(asset), []);
    for (const frame of TIME_FRAMES) {
      assert.equal((await trader.api.market(`${asset}_${frame}`)).currentRound, null);
    }
  }
  await sandbox.advanceTo(friday17 + 30 * HOUR_MS);
  await sandbox.push(PRICES);
  assert.deepEqual(await openFrames('USDJPY'), [], 'nor on Saturday');
  assert.ok((await openFrames('BTC')).length > 0);
  await sandbox.checkConservation();
});
