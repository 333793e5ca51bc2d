/**
 * The engine alone, in process, on one core: no sockets, no journal, no hashing. Each suite has a process of its own.
 */
import type { PlacingRate } from '../engine/placing.js';
import { figure } from '../report/format.js';
import { type Findings, median, type SuiteOptions, type Table } from '../report/section.js';
import { suiteRounds } from '../suites/run.js';
import type { SuiteResult } from '../suites/suites.js';

const SCALE = { full: 1_000_000, quick: 100_000 };

export async function engineSection(options: SuiteOptions): Promise<Findings> {
  const input = { scale: SCALE[options.quick ? 'quick' : 'full'], dir: '' };
  const data = {
    placeFewAccounts: await suiteRounds('placeFewAccounts', input, options),
    place: await suiteRounds('place', input, options),
    placeManyAccounts: await suiteRounds('placeManyAccounts', input, options),
    reject: await suiteRounds('reject', input, options),
    replay: await suiteRounds('replayOrder', input, options),
    digest: await suiteRounds('digest', input, options),
    settle: await suiteRounds('settle', input, options),
  };
  return {
    tables: [
      placingTable([data.placeFewAccounts, data.place, data.placeManyAccounts]),
      operationsTable(data),
    ],
    notes: [
      'Orders carry an Idempotency-Key each; their digests are made beforehand, as the HTTP edge makes them.',
    ],
    data,
  };
}

const PLACING: readonly (readonly [column: string, pick: (round: PlacingRate) => number])[] = [
  ['accounts', ({ accounts }) => accounts],
  ['open bets', ({ orders }) => orders],
  ['orders/s', ({ ordersPerSecond }) => ordersPerSecond],
  ['orders/CPU s', ({ ordersPerCpuSecond }) => ordersPerCpuSecond],
  ['bytes/bet', ({ bytesPerBet }) => bytesPerBet],
];

const placingTable = (results: readonly (readonly PlacingRate[])[]): Table => ({
  title: 'Engine: place order',
  columns: PLACING.map(([column]) => column),
  rows: results.map((rounds) => PLACING.map(([, pick]) => figure(median(rounds.map(pick))))),
});

interface OperationsData {
  readonly reject: readonly number[];
  readonly replay: readonly number[];
  readonly digest: readonly number[];
  readonly settle: readonly SuiteResult<'settle'>[];
}

function operationsTable({ reject, replay, digest, settle }: OperationsData): Table {
  const of = (pick: (round: SuiteResult<'settle'>) => number): string => figure(median(settle.map(pick)));
  return {
    title: 'Engine: everything else',
    columns: ['what', 'per second', ''],
    rows: [
      ['reject an order (odds_changed)', figure(median(reject)), ''],
      ['replay an order (Idempotency-Key)', figure(median(replay)), ''],
      ['rolling digest of a batch', figure(median(digest)), ''],
      [
        'settle bets, 512 a slice',
        of(({ betsPerSecond }) => betsPerSecond),
        `longest command ${of(({ longestMs }) => longestMs)} ms`,
      ],
      ['digest of the whole state', '', `${of(({ stateDigestMs }) => stateDigestMs)} ms`],
    ],
  };
}
