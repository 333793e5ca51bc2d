/**
 * Rows of rounds: those settled in the range, in the order of settlement, and, if the range ends with the last command,
 * those that are not settled yet.
 */
import { isoOrNull, isoText } from '../../../engine/base/iso-text.js';
import type { Engine } from '../../../engine/engine.js';
import {
  marketId,
  RESULT_NONE,
  ROUND_RESULTS,
  ROUND_STATUSES,
  roundId,
  SETTLED,
  textAt,
} from '../../../engine/model/domain.js';
import type { RoundView } from '../../../engine/model/views.js';
import { unfinishedRounds } from '../../../engine/reads/round-bets.js';
import type { ArchivedRound } from '../../archive/reader/row-events.js';
import { dollarsText, percentText } from '../frame/format.js';
import {
  type Columns,
  type Exporter,
  type ExportRange,
  type ExportSource,
  outside,
  writeRows,
} from './rows.js';

type Row = RoundView | ArchivedRound;

const COLUMNS: Columns<Row> = {
  round: ({ market, roundNumber }) => roundId(market, roundNumber),
  market: ({ market }) => marketId(market),
  round_number: ({ roundNumber }) => roundNumber,
  status: (round) => textAt(ROUND_STATUSES, 'status' in round ? round.status : SETTLED),
  result: ({ result }) => (result === RESULT_NONE ? null : textAt(ROUND_RESULTS, result)),
  void_reason: ({ voidReason }) => (voidReason === '' ? null : outside(voidReason)),
  start: ({ startTimeMs }) => isoText(startTimeMs),
  lock: ({ lockTimeMs }) => isoText(lockTimeMs),
  end: ({ endTimeMs }) => isoText(endTimeMs),
  open_price: ({ openPrice }) => openPrice,
  close_price: ({ closePrice }) => closePrice,
  pool_up: ({ poolUpCents }) => dollarsText(poolUpCents),
  pool_down: ({ poolDownCents }) => dollarsText(poolDownCents),
  seed_per_side: ({ seedCents }) => dollarsText(seedCents),
  bets: ({ betCount }) => betCount,
  volume: ({ volumeCents }) => dollarsText(volumeCents),
  fee_percent: ({ feeBps }) => percentText(feeBps),
  resolved_at: ({ resolvedAtMs }) => isoOrNull(resolvedAtMs),
  settled_at: (round) => ('settledAtMs' in round ? isoText(round.settledAtMs) : null),
  settled_seq: (round) => ('settledSeq' in round ? round.settledSeq : null),
  pool_up_cents: ({ poolUpCents }) => poolUpCents,
  pool_down_cents: ({ poolDownCents }) => poolDownCents,
  seed_per_side_cents: ({ seedCents }) => seedCents,
  volume_cents: ({ volumeCents }) => volumeCents,
};

export const exportRounds: Exporter = (source, range, out) => {
  writeRows(out, COLUMNS, rowsOf(source, range));
  const isWhole = source.archive.fromSeq < range.fromSeq;
  return isWhole ? [] : ['rounds that were settled before the records that are left begin are missing'];
};

function* rowsOf({ archive, engine, isAtEnd }: ExportSource, range: ExportRange): Generator<Row> {
  yield* archive.rounds(range.fromSeq, range.toSeq);
  if (isAtEnd && engine !== null) yield* unsettled(engine);
}

function unsettled(engine: Engine): RoundView[] {
  return unfinishedRounds(engine).sort(
    (one, other) => one.startTimeMs - other.startTimeMs || one.market - other.market,
  );
}
