/**
 * A scripted price path: prices and the times at which they are pushed. Its text is CSV: `time` (ISO 8601 in UTC), then
 * one column for each asset; an empty cell leaves that asset's price out.
 *
 *     time,BTC,ETH
 *     2026-06-10T00:00:00Z,65000,3400
 *     2026-06-10T00:00:30Z,65004.5,
 *
 * A round ends at the last price that is at most 10 s old, so every round end that matters needs a row at that time, or
 * shortly before.
 */
import type { Crypto } from '../base/types.js';
import type { OperatorClient, Prices } from './operator.js';

export interface PriceRow {
  readonly timeMs: number;
  readonly prices: Prices;
}

/** NaN if it is none. A time without a zone is one of UTC, on every machine. */
export const pathTimeMs = (text: string): number =>
  Date.parse(/\d[T ][\d:.]+$/.test(text) ? `${text}Z` : text);

/** Throws a `RangeError` that names the line. Unknown assets are the server's to refuse. */
export function parsePricePath(csv: string): PriceRow[] {
  const [head = '', ...lines] = csv.trimEnd().split(/\r?\n/);
  // Spreadsheets begin a file with a byte order mark, which `trim` takes for a blank.
  const [first, ...cryptos] = head.trim().split(',') as ['time', ...Crypto[]];
  if (first !== 'time' || cryptos.length === 0)
    throw new RangeError('line 1: the columns must be time and at least one asset');
  let lastMs = Number.NEGATIVE_INFINITY;
  return lines.map((line, index) => {
    const where = `line ${index + 2}`;
    const [time = '', ...cells] = line.split(',');
    const timeMs = pathTimeMs(time);
    if (!(timeMs > lastMs)) throw new RangeError(`${where}: ${time} is not a time after the line before`);
    if (cells.length !== cryptos.length)
      throw new RangeError(`${where}: ${cryptos.length} prices were expected, not ${cells.length}`);
    lastMs = timeMs;
    const prices = cryptos.flatMap((crypto, at) => {
      const cell = cells[at]?.trim() ?? '';
      if (cell === '') return [];
      if (!(Number(cell) > 0)) throw new RangeError(`${where}: ${cell} is not a price`);
      return [[crypto, Number(cell)] as const];
    });
    return { timeMs, prices: Object.fromEntries(prices) };
  });
}

/**
 * Plays a path: moves the sandbox's clock to each row's time, pushes its prices, and then yields the row, so that the
 * caller's turn is at that time. Rows before the sandbox's time are left out.
 */
export async function* playPrices(
  operator: OperatorClient,
  path: readonly PriceRow[],
): AsyncGenerator<PriceRow> {
  let nowMs = await operator.advance(0);
  for (const row of path) {
    if (row.timeMs < nowMs) continue;
    nowMs = await operator.advance(row.timeMs - nowMs);
    if (Object.keys(row.prices).length > 0) await operator.pushPrices(row.prices);
    yield row;
  }
}
