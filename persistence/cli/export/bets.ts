/**
 * Rows of bets: those placed in the range, with their settlement up to the end of the journal. A bet is written when it
 * is settled; open bets come last. Only what happened after the end of the archive is kept in memory.
 */

import type { Engine } from '../../../engine/engine.js';
import {
  accountId,
  BET_ENDS,
  betId,
  isUnfilled,
  marketId,
  NO_LIMIT,
  roundId,
  SETTLING,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { BetPlaced, EngineEvent, OrderPending, SettlementFacts } from '../../../engine/model/events.js';
import { betOfFill } from '../../replay/archived-facts.js';
import { dollarsText, isoText, oddsText, percentText } from '../frame/format.js';
import type { HistoryReader } from '../past/history-reader.js';
import { type ExportRange, isOf, refuseUnknown } from './range.js';
import { type ExportRow, outside, type RowSink } from './sink.js';

const COLUMNS = [
  'bet',
  'account',
  'market',
  'round',
  'prediction',
  'amount',
  'odds',
  'entry_percent',
  'potential_payout',
  'status',
  'result',
  'payout',
  'profit',
  'placed_at',
  'settled_at',
  'client_seed',
  'placed_seq',
  'settled_seq',
  'amount_cents',
  'potential_payout_cents',
  'payout_cents',
  'profit_cents',
  'limit_odds',
  'filled_at',
] as const;

/** Of a limit order that was filled, with odds, percent and payout of its fill. */
interface OpenBet {
  readonly placedSeq: number;
  readonly placed: BetPlaced | OrderPending;
  readonly filledAtMs: number | null;
}

interface Fate {
  readonly seq: number;
  readonly settled: SettlementFacts;
}

export function exportBets(past: HistoryReader, sink: RowSink, range: ExportRange): readonly string[] {
  sink.columns(COLUMNS);
  const { fromSeq, toSeq, account, isReplay } = range;
  const { archivedTo, start } = past.rangeOrigin(fromSeq, past.lastSeq, isReplay);
  for (const bet of past.archive.bets('settled', fromSeq, toSeq, archivedTo, account)) {
    sink.row(rowOf(bet, bet.fate, endStatus(bet.fate)));
  }
  const engine = start();
  const later = new LaterBets(past, sink, range, archivedTo);
  if (engine !== null) {
    for (const { seq, events } of past.replay(engine, past.lastSeq)) {
      if (seq > archivedTo) for (const event of events) if (isOf(event, account)) later.add(seq, event);
    }
  }
  refuseUnknown(past, engine, { ...range, toSeq: past.lastSeq });
  for (const bet of past.archive.bets('open', fromSeq, toSeq, archivedTo, account)) {
    if (!later.settled.has(bet.placed.bet)) sink.row(rowOf(bet, null, openStatus(engine, bet.placed)));
  }
  for (const bet of later.open.values()) sink.row(rowOf(bet, null, openStatus(engine, bet.placed)));
  return past.archive.isWhole(archivedTo)
    ? []
    : ['bets that were placed before the past that is left are not there'];
}

/** What happened to bets after the end of the archive. */
class LaterBets {
  /** Bets placed there that are not settled. */
  readonly open = new Map<number, OpenBet>();
  /** Bets that are open in the archive, and of which there is news. */
  readonly settled = new Set<number>();

  constructor(
    private readonly past: HistoryReader,
    private readonly sink: RowSink,
    private readonly range: ExportRange,
    private readonly archivedTo: number,
  ) {}

  add(seq: number, event: EngineEvent): void {
    const { fromSeq, toSeq } = this.range;
    if (event.type === 'betPlaced' || event.type === 'orderPending') {
      if (seq < fromSeq || seq > toSeq) return;
      const filledAtMs = event.type === 'betPlaced' && event.limitOddsE4 !== NO_LIMIT ? event.timeMs : null;
      this.open.set(event.bet, { placedSeq: seq, placed: event, filledAtMs });
    } else if (event.type === 'orderFilled') {
      const bet = this.#takePlaced(event.bet);
      if (bet === null) return;
      this.open.set(event.bet, { ...bet, placed: betOfFill(bet.placed, event), filledAtMs: event.timeMs });
    } else if (event.type === 'betSettled') {
      const bet = this.#takePlaced(event.bet);
      const fate = { seq, settled: event };
      if (bet !== null) this.sink.row(rowOf(bet, fate, endStatus(fate)));
    }
  }

  /** The bet that is settled or filled now; null if it was not placed in the range. */
  #takePlaced(number: number): OpenBet | null {
    const bet = this.open.get(number);
    if (bet !== undefined) {
      this.open.delete(number);
      return bet;
    }
    const archived = this.past.archive.placement(number, this.archivedTo);
    if (archived === null) return null;
    this.settled.add(number);
    const { fromSeq, toSeq } = this.range;
    return archived.placedSeq >= fromSeq && archived.placedSeq <= toSeq ? archived : null;
  }
}

function endStatus(fate: Fate | null): string {
  return fate !== null && isUnfilled(fate.settled.result) ? textAt(BET_ENDS, fate.settled.result) : 'SETTLED';
}

function openStatus(engine: Engine | null, { type, market, roundNumber }: BetPlaced | OrderPending): string {
  if (type === 'orderPending') return 'PENDING';
  const status = engine?.round(market, roundNumber)?.status ?? SETTLING;
  return status >= SETTLING ? 'SETTLING' : 'ACTIVE';
}

function rowOf({ placedSeq, placed, filledAtMs }: OpenBet, fate: Fate | null, status: string): ExportRow {
  const { stakeCents, limitOddsE4 } = placed;
  const isBet = placed.type === 'betPlaced';
  const paidCents = fate === null || !isBet ? null : fate.settled.payoutCents;
  const profitCents = paidCents === null ? null : paidCents - stakeCents;
  return {
    bet: betId(placed.bet),
    account: accountId(placed.account),
    market: marketId(placed.market),
    round: roundId(placed.market, placed.roundNumber),
    prediction: textAt(SIDES, placed.side),
    amount: dollarsText(stakeCents),
    odds: oddsText(placed.oddsE4),
    entry_percent: isBet ? percentText(placed.entryPercentE2) : null,
    potential_payout: dollarsText(placed.payoutCents),
    status,
    result: fate === null || !isBet ? null : textAt(BET_ENDS, fate.settled.result),
    payout: paidCents === null ? null : dollarsText(paidCents),
    profit: profitCents === null ? null : dollarsText(profitCents),
    placed_at: isoText(placed.timeMs),
    settled_at: fate === null ? null : isoText(fate.settled.timeMs),
    client_seed: outside(placed.clientSeed),
    placed_seq: placedSeq,
    settled_seq: fate === null ? null : fate.seq,
    amount_cents: stakeCents,
    potential_payout_cents: placed.payoutCents,
    payout_cents: paidCents,
    profit_cents: profitCents,
    limit_odds: limitOddsE4 === NO_LIMIT ? null : oddsText(limitOddsE4),
    filled_at: filledAtMs === null ? null : isoText(filledAtMs),
  };
}
