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
import type { EngineEvent } from '../../../engine/model/events.js';
import type { RoundView } from '../../../engine/model/views.js';
import type { ArchivedRound } from '../../replay/archived-facts.js';
import { dollarsText, isoText, percentText } from '../frame/format.js';
import type { HistoryReader } from '../past/history-reader.js';
import type { ExportRange } from './range.js';
import { type ExportRow, outside, type RowSink } from './sink.js';

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

export function exportRounds(past: HistoryReader, sink: RowSink, range: ExportRange): readonly string[] {
  sink.columns(COLUMNS);
  const { fromSeq, toSeq, isReplay } = range;
  const { archivedTo, start } = past.rangeOrigin(fromSeq, toSeq, isReplay);
  for (const round of past.archive.rounds(archivedTo, null)) {
    if (round.settledSeq >= fromSeq && round.settledSeq <= toSeq)
      sink.row(rowOf(round, SETTLED, round.settledSeq, round.settledAtMs));
  }
  const engine = start();
  if (engine === null) return [];
  const open = new OpenRounds(engine);
  for (const { seq, events } of past.replay(engine, toSeq)) {
    for (const event of events) {
      const settled = open.add(event, engine);
      if (settled !== null && seq >= fromSeq && seq > archivedTo)
        sink.row(rowOf(settled, SETTLED, seq, event.timeMs));
    }
  }
  if (toSeq === past.lastSeq)
    for (const round of open.all()) sink.row(rowOf(round, round.status, null, null));
  return [];
}

/** Rounds that are not settled. */
class OpenRounds {
  readonly #rounds = new Map<string, RoundView>();

  constructor(engine: Engine) {
    for (const round of roundsOf(engine)) this.#watch(round);
  }

  /** In the order of their times, whatever state the reading began with. */
  all(): readonly RoundView[] {
    const byTime = (one: RoundView, other: RoundView): number =>
      one.startTimeMs - other.startTimeMs || one.market - other.market;
    return [...this.#rounds.values()].sort(byTime);
  }

  /** The round that `event`, the last one of the engine, settled. */
  add(event: EngineEvent, engine: Engine): RoundView | null {
    if (!('roundNumber' in event)) return null;
    const id = roundId(event.market, event.roundNumber);
    if (event.type === 'roundUpcoming' || event.type === 'roundOpened') {
      this.#watch(engine.round(event.market, event.roundNumber));
    } else if (event.type === 'roundNotOpened') {
      this.#rounds.delete(id);
    } else if (event.type === 'roundSettled') {
      const settled = this.#rounds.get(id) ?? null;
      this.#rounds.delete(id);
      return settled;
    }
    return null;
  }

  #watch(round: RoundView | null): void {
    if (round !== null) this.#rounds.set(roundId(round.market, round.roundNumber), round);
  }
}

/** The unsettled rounds of the engine. */
function roundsOf(engine: Engine): (RoundView | null)[] {
  const current = Array.from({ length: MARKETS_MAX }, (_, market) => engine.currentRound(market));
  return [...current, ...engine.unsettledRounds()];
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
