/**
 * Rows of rounds: those settled in the range, in the order of settlement, and, if the range ends with the last command,
 * those that are not settled yet.
 */

import type { Engine } from '../../../engine/engine.js';
import {
  MARKETS_MAX,
  marketId,
  RESULT_NONE,
  ROUND_RESULTS,
  ROUND_STATUSES,
  roundId,
  SETTLED,
  textAt,
} from '../../../engine/model/domain.js';
import type { RoundView } from '../../../engine/model/views.js';
import type { ArchivedRound } from '../../past/facts.js';
import { dollarsText, isoText, percentText } from '../frame/format.js';
import { type ExportRange, type ExportRow, type ExportSource, outside, type RowSink } from './sink.js';

const COLUMNS = [
  'round',
  'market',
  'round_number',
  'status',
  'result',
  'void_reason',
  'start',
  'lock',
  'end',
  'open_price',
  'close_price',
  'pool_up',
  'pool_down',
  'seed_per_side',
  'bets',
  'volume',
  'fee_percent',
  'resolved_at',
  'settled_at',
  'settled_seq',
  'pool_up_cents',
  'pool_down_cents',
  'seed_per_side_cents',
  'volume_cents',
] as const;

export function exportRounds(
  { past, engine, isAtEnd }: ExportSource,
  sink: RowSink,
  range: ExportRange,
): readonly string[] {
  sink.columns(COLUMNS);
  for (const round of past.rounds(range.fromSeq, range.toSeq))
    sink.row(rowOf(round, SETTLED, round.settledSeq, round.settledAtMs));
  if (isAtEnd && engine !== null)
    for (const round of unsettled(engine)) sink.row(rowOf(round, round.status, null, null));
  return [];
}

function unsettled(engine: Engine): RoundView[] {
  const current = Array.from({ length: MARKETS_MAX }, (_, market) => engine.currentRound(market) ?? []);
  return [...current.flat(), ...engine.unsettledRounds()].sort(
    (one, other) => one.startTimeMs - other.startTimeMs || one.market - other.market,
  );
}

function rowOf(
  round: RoundView | ArchivedRound,
  status: number,
  settledSeq: number | null,
  settledAtMs: number | null,
): ExportRow {
  const { market, roundNumber, result, resolvedAtMs } = round;
  return {
    round: roundId(market, roundNumber),
    market: marketId(market),
    round_number: roundNumber,
    status: textAt(ROUND_STATUSES, status),
    result: result === RESULT_NONE ? null : textAt(ROUND_RESULTS, result),
    void_reason: round.voidReason === '' ? null : outside(round.voidReason),
    start: isoText(round.startTimeMs),
    lock: isoText(round.lockTimeMs),
    end: isoText(round.endTimeMs),
    open_price: round.openPrice,
    close_price: round.closePrice,
    pool_up: dollarsText(round.poolUpCents),
    pool_down: dollarsText(round.poolDownCents),
    seed_per_side: dollarsText(round.seedCents),
    bets: round.betCount,
    volume: dollarsText(round.volumeCents),
    fee_percent: percentText(round.feeBps),
    resolved_at: resolvedAtMs === null ? null : isoText(resolvedAtMs),
    settled_at: settledAtMs === null ? null : isoText(settledAtMs),
    settled_seq: settledSeq,
    pool_up_cents: round.poolUpCents,
    pool_down_cents: round.poolDownCents,
    seed_per_side_cents: round.seedCents,
    volume_cents: round.volumeCents,
  };
}
