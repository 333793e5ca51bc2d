/** Scripted price paths, and the sums of a backtest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '../../client/index.js';
import { plotSvg } from '../../client/local/plot.js';
import { csvOf, resultsOf } from '../../client/local/results.js';
import { parsePricePath } from '../../client/sandbox/price-path.js';

test('rows have a time, of UTC on every machine, and prices; an empty cell is none', (t) => {
  process.env['TZ'] = 'America/New_York';
  t.after(() => delete process.env['TZ']);
  const text = '\ufefftime,BTC,ETH\n2026-06-10T00:00:00,65000,3400\r\n2026-06-10T00:00:30.500Z,65004.5,\n';
  const startMs = Date.parse('2026-06-10T00:00:00Z');
  assert.deepEqual(parsePricePath(text), [
    { timeMs: startMs, prices: { BTC: 65_000, ETH: 3_400 } },
    { timeMs: startMs + 30_500, prices: { BTC: 65_004.5 } },
  ]);
});

test('a mistake is refused with its line', () => {
  const row = '2026-06-10T00:00:00Z,1';
  const cases: readonly (readonly [string, RegExp])[] = [
    [`date,BTC\n${row}`, /^line 1: the columns must be time/],
    ['time\n2026-06-10T00:00:00Z', /^line 1/],
    [`time,BTC\n${row}\n${row}`, /^line 3: 2026-06-10T00:00:00Z is not a time after/],
    ['time,BTC\nnoon,1', /^line 2: noon is not a time/],
    [`time,BTC\n${row},2`, /^line 2: 1 prices were expected, not 2/],
    ['time,BTC\n2026-06-10T00:00:00Z,-5', /^line 2: -5 is not a price/],
  ];
  for (const [text, message] of cases)
    assert.throws(() => parsePricePath(text), { name: 'RangeError', message });
});

const settled = (...profits: readonly number[]): Position[] =>
  profits.map(
    (profit, at) =>
      ({
        ...{ id: `bet_${at + 1}`, prediction: 'UP', amount: 10, oddsAtBet: 2, payout: profit + 10, profit },
        result: profit > 0 ? 'WIN' : 'LOSS',
        placedAt: new Date(at * 60_000).toISOString(),
        settledAt: new Date((at + 1) * 60_000).toISOString(),
        round: { roundNumber: at },
      }) as Position,
  );

test('profit is exact, and the drawdown is the deepest fall from a peak', () => {
  const results = resultsOf(settled(0.1, 0.2, -5, 3, -4.5, 20, -6));
  const { profit, staked, byResult } = results;
  assert.deepEqual([profit, staked, byResult], [7.8, 70, { WIN: 4, LOSS: 3 }]);
  assert.equal(results.drawdownMax, 6.5, 'from 0.30 down to -6.20');
  assert.equal(resultsOf(settled(-3, -4, 1)).drawdownMax, 7, 'the beginning is a peak, too');
  assert.equal(resultsOf([]).profit, 0);
});

test('bets are listed as CSV', () => {
  assert.equal(
    csvOf(settled(9.4)),
    'id,placedAt,roundNumber,prediction,amount,oddsAtBet,result,payout,profit,settledAt\n' +
      'bet_1,1970-01-01T00:00:00.000Z,0,UP,10,2,WIN,19.4,9.4,1970-01-01T00:01:00.000Z\n',
  );
});

test('a path of two days with four prices a second is drawn', () => {
  const prices = Array.from({ length: 700_000 }, (_, at) => ({ timeMs: at * 250, value: at }));
  assert.match(plotSvg('two days', prices, []), />699999\.00</);
});
