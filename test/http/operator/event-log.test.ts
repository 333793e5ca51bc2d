/** The rounds of a boundary are logged together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESULT_VOID } from '../../../engine/model/domain.js';
import { RoundLines } from '../../../http/operator/watch/event-log.js';

test('the rounds of a boundary have one line for each thing that happened to them, however many commands it took', () => {
  const told: unknown[] = [];
  const lines = new RoundLines({ write: (event, fields) => told.push({ event, ...fields }) });
  const reason = 'no fresh price';
  const end = { roundNumber: 7, result: RESULT_VOID, closePrice: null, reason };
  const voided = (market: number, timeMs: number) =>
    lines.add(10 + market, { type: 'roundResolved', timeMs, market, ...end });
  for (const market of [0, 1]) {
    voided(market, 60_020 + market);
    lines.add(10 + market, {
      ...{ type: 'roundNotOpened', timeMs: 60_020, market, roundNumber: 8, reason: 'stale_price' },
    });
  }
  lines.check();
  assert.deepEqual(told, [], 'more of it may follow');
  lines.check();
  const rounds = ['BTC_ONE_MINUTE_7', 'BTC_FIVE_MINUTES_7'].map((round) => ({ round, reason }));
  const markets = ['BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES'];
  assert.deepEqual(told.splice(0), [
    { event: 'rounds_voided', sequence: 11, rounds },
    { event: 'rounds_not_opened', sequence: 11, reason: 'stale_price', markets },
  ]);
  voided(0, 120_020);
  voided(1, 180_020);
  lines.write();
  const [first, second] = rounds.map((round) => [round]);
  assert.deepEqual(told, [
    { event: 'rounds_voided', sequence: 10, rounds: first },
    { event: 'rounds_voided', sequence: 11, rounds: second },
  ]);
});
