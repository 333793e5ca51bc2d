/**
 * The engine alone, in process, on one core: no sockets, no journal, no hashing. Each suite has a process of its own.
 */
import type { CycleRate } from '../../engine/cycling.js';
import type { BookRate, OrderBookRates } from '../../engine/order-book.js';
import type { PlacingRate } from '../../engine/placing.js';
import { figure } from '../../report/format.js';
import { ratioGoal } from '../../report/goals.js';
import { median, type Ratio, type SectionResult, type SuiteOptions } from '../../report/section.js';
import type { SuiteResult } from '../../suites/registry.js';
import { suiteRounds } from '../../suites/run.js';

const FULL_SCALE = 1_000_000;
const QUICK_SCALE = 100_000;

export async function engineSection(options: SuiteOptions): Promise<SectionResult> {
  const input = { scale: options.quick ? QUICK_SCALE : FULL_SCALE, dir: '' };
  const orderBook = await suiteRounds('orderBook', input, options);
  const data = {
    place: await suiteRounds('place', input, options),
    placeFewAccounts: await suiteRounds('placeFewAccounts', input, options),
    placeManyAccounts: await suiteRounds('placeManyAccounts', input, options),
    reject: await suiteRounds('reject', input, options),
    replay: await suiteRounds('replayOrder', input, options),
    digest: await suiteRounds('digest', input, options),
    ticks: await suiteRounds('ticks', input, options),
    lifecycle: await suiteRounds('lifecycle', input, options),
    settle: await suiteRounds('settle', input, options),
    orderBook,
  };
  const placing = [data.placeFewAccounts, data.place, data.placeManyAccounts];
  return {
    name: 'engine',
    tables: [placingTable(placing), operationsTable(data)],
    ratios: orderBookRatios(data.place, orderBook),
    notes: [
      'Orders carry an Idempotency-Key each; their digests are made beforehand, as the HTTP edge makes them.',
      "nodejs-order-book's own benchmark of limit orders gives each a price of its own, which is its slow case: its tree of prices grows. " +
        'The line of the speed table is against that; the ratios beside it are against books of 50 prices.',
      ...(orderBook.includes(null) ? ['nodejs-order-book is missing: it is not installed.'] : []),
    ],
    data,
  };
}

function placingTable(results: readonly (readonly PlacingRate[])[]): SectionResult['tables'][number] {
  return {
    title: 'Engine: place order',
    columns: [
      'accounts',
      'open bets',
      'orders/s',
      'orders/CPU s',
      'first tenth',
      'last tenth',
      'worst slice x',
      'bytes/bet',
    ],
    rows: results.map((rounds) => {
      const of = (pick: (round: PlacingRate) => number): string => figure(median(rounds.map(pick)));
      return [
        of(({ accounts }) => accounts),
        of(({ orders }) => orders),
        of(({ ordersPerSecond }) => ordersPerSecond),
        of(({ ordersPerCpuSecond }) => ordersPerCpuSecond),
        of(({ firstTenthPerSecond }) => firstTenthPerSecond),
        of(({ lastTenthPerSecond }) => lastTenthPerSecond),
        of(({ worstSliceRatio }) => worstSliceRatio),
        of(({ bytesPerBet }) => bytesPerBet),
      ];
    }),
  };
}

interface OperationsData {
  readonly reject: readonly CycleRate[];
  readonly replay: readonly CycleRate[];
  readonly digest: readonly CycleRate[];
  readonly ticks: readonly SuiteResult<'ticks'>[];
  readonly lifecycle: readonly SuiteResult<'lifecycle'>[];
  readonly settle: readonly SuiteResult<'settle'>[];
  readonly orderBook: readonly (OrderBookRates | null)[];
}

function operationsTable(data: OperationsData): SectionResult['tables'][number] {
  const cycle = (name: string, rounds: readonly CycleRate[]): string[] => [
    name,
    figure(median(rounds.map(({ operationsPerSecond }) => operationsPerSecond))),
    `+-${figure(median(rounds.map(({ marginPercent }) => marginPercent)))} %`,
  ];
  const { ticks, lifecycle, settle, orderBook } = data;
  const of = <T>(rounds: readonly T[], pick: (round: T) => number): string =>
    figure(median(rounds.map(pick)));
  return {
    title: 'Engine: everything else',
    columns: ['what', 'per second', ''],
    rows: [
      cycle('reject an order (odds_changed)', data.reject),
      cycle('replay an order (Idempotency-Key)', data.replay),
      cycle('rolling digest of a batch', data.digest),
      [
        'settle bets, 512 a slice',
        of(settle, ({ betsPerSecond }) => betsPerSecond),
        `longest command ${of(settle, ({ longestMs }) => longestMs)} ms`,
      ],
      [
        'advance (rounds lock, end and open)',
        of(lifecycle, ({ advancesPerSecond }) => advancesPerSecond),
        '',
      ],
      [
        'boundary price (rounds of an asset are decided)',
        of(lifecycle, ({ boundaryPricesPerSecond }) => boundaryPricesPerSecond),
        `with advances, all markets: ${of(lifecycle, ({ msPerMinute }) => msPerMinute)} ms a minute, longest ${of(lifecycle, ({ longestMs }) => longestMs)} ms`,
      ],
      ['price tick (not journaled)', of(ticks, ({ ticksPerSecond }) => ticksPerSecond), ''],
      ['digest of the whole state', '', `${of(settle, ({ stateDigestMs }) => stateDigestMs)} ms`],
      [
        'nodejs-order-book: limit orders rest, each at a price of its own',
        of(orderBook, (rates) => rates?.resting.perSecond ?? NaN),
        '',
      ],
      [
        'nodejs-order-book: limit orders rest at 50 prices',
        of(orderBook, (rates) => rates?.queued.perSecond ?? NaN),
        '',
      ],
      [
        'nodejs-order-book: half rest, half match',
        of(orderBook, (rates) => rates?.matching.perSecond ?? NaN),
        '',
      ],
    ],
  };
}

function orderBookRatios(
  place: readonly PlacingRate[],
  orderBook: readonly (OrderBookRates | null)[],
): Ratio[] {
  const found = orderBook.flatMap((rates) => (rates === null ? [] : [rates]));
  if (found.length === 0) return [];
  const ours = median(place.map(({ ordersPerSecond }) => ordersPerSecond));
  const oursByCpu = median(place.map(({ ordersPerCpuSecond }) => ordersPerCpuSecond));
  const against = (what: string, pick: (rates: OrderBookRates) => BookRate) => ({
    what: `place order against nodejs-order-book, ${what}`,
    value: ours / median(found.map((rates) => pick(rates).perSecond)),
    byCpu: oursByCpu / median(found.map((rates) => pick(rates).perCpuSecond)),
  });
  const resting = against('limit orders that rest, each at a price of its own', (rates) => rates.resting);
  const queued = against('limit orders that rest at 50 prices', (rates) => rates.queued);
  const matching = against('half rest, half match', (rates) => rates.matching);
  const beside = `at 50 prices ${figure(queued.value)}, half of them matching ${figure(matching.value)}`;
  const none = { must: null, aim: null };
  return [
    { ...resting, ...ratioGoal('engineToOrderBook'), beside },
    { ...queued, ...none },
    { ...matching, ...none },
  ];
}
