/** The prices of the last hour that the operators' thread notes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSETS } from '../../../engine/model/domain.js';
import { ASSET_FIELDS, boardMemory, boardOf, TICK_MS, TICK_PRICE } from '../../../http/board/markets.js';
import { NOTES_MAX, PriceHistory, type PriceNotes } from '../../../http/operator/figures/price-history.js';

function noted() {
  const board = boardOf(boardMemory());
  const none = new Float64Array(ASSET_FIELDS).fill(Number.NaN);
  for (let asset = 0; asset < ASSETS.length; asset++) board.assets.write(asset, none);
  const history = new PriceHistory(board);
  const tick = (crypto: (typeof ASSETS)[number], timeMs: number, price: number): void => {
    const row = none.slice();
    row[TICK_MS] = timeMs;
    row[TICK_PRICE] = price;
    board.assets.write(ASSETS.indexOf(crypto), row);
  };
  const shown = (crypto: (typeof ASSETS)[number]): PriceNotes => history.of(ASSETS.indexOf(crypto));
  return { history, tick, shown };
}

test('each price is noted once, with its own time, for its own asset', () => {
  const { history, tick, shown } = noted();
  history.note();
  assert.deepEqual(shown('BTC'), { timesMs: [], prices: [] });
  tick('BTC', 1_000, 60_000);
  history.note();
  history.note();
  tick('BTC', 6_000, 60_000);
  tick('ETH', 6_500, 3_000);
  history.note();
  assert.deepEqual(shown('BTC'), { timesMs: [1_000, 6_000], prices: [60_000, 60_000] });
  assert.deepEqual(shown('ETH'), { timesMs: [6_500], prices: [3_000] });
});

test('an hour is kept, and the oldest goes first', () => {
  const { history, tick, shown } = noted();
  for (let n = 1; n <= NOTES_MAX + 5; n++) {
    tick('GOLD', n * 5_000, n);
    history.note();
  }
  const { timesMs, prices } = shown('GOLD');
  assert.deepEqual([timesMs.length, prices.length], [NOTES_MAX, NOTES_MAX]);
  assert.deepEqual([timesMs[0], prices[0], prices.at(-1)], [30_000, 6, NOTES_MAX + 5]);
  tick('GOLD', 60 * 3_600_000, 7);
  history.note();
  assert.deepEqual(shown('GOLD'), { timesMs: [60 * 3_600_000], prices: [7] }, 'after a weekend');
});
