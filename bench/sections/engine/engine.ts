/**
 * The engine alone, in process, on one core: no sockets, no journal, no hashing. Each suite has a process of its own.
 */
import type { CycleRate } from '../../engine/cycling.js';
import type { PlacingRate } from '../../engine/placing.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import type { SuiteResult } from '../../suites/registry.js';
import { suiteRounds } from '../../suites/run.js';

const FULL_SCALE = 1_000_000;
const QUICK_SCALE = 100_000;

export async function engineSection(options: SuiteOptions): Promise<SectionResult> {
  const input = { scale: options.quick ? QUICK_SCALE : FULL_SCALE, dir: '' };
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
  };
  const placing = [data.placeFewAccounts, data.place, data.placeManyAccounts];
  return {
    name: 'engine',
    tables: [placingTable(placing), operationsTable(data)],
    ratios: [],
    notes: [
      'Orders carry an Idempotency-Key each; their digests are made beforehand, as the HTTP edge makes them.',
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
}

function operationsTable(data: OperationsData): SectionResult['tables'][number] {
  const cycle = (name: string, rounds: readonly CycleRate[]): string[] => [
    name,
    figure(median(rounds.map(({ operationsPerSecond }) => operationsPerSecond))),
    `+-${figure(median(rounds.map(({ marginPercent }) => marginPercent)))} %`,
  ];
  const { ticks, lifecycle, settle } = data;
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
    ],
  };
}
