/**
 * Bets' rows. A bet is written when it is settled, and those that are open last: only open bets are kept in memory.
 * Which bets: those placed in the range; what became of them: as far as the journal goes.
 */

import type { Engine } from '../../../engine/engine.js';
import {
  accountId,
  BET_RESULTS,
  betId,
  marketId,
  roundId,
  SETTLING,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { BetPlaced, BetSettled } from '../../../engine/model/events.js';
import { readEvents } from '../export-events.js';
import { dollarsText, isoText, oddsText, percentText } from '../frame/format.js';
import type { HistoryReader } from '../past/history-reader.js';
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
] as const;

interface OpenBet {
  readonly seq: number;
  readonly placed: BetPlaced;
}

interface Fate {
  readonly seq: number;
  readonly settled: BetSettled;
}

export function exportBets(
  past: HistoryReader,
  sink: RowSink,
  fromSeq: number,
  toSeq: number,
): readonly string[] {
  sink.columns(COLUMNS);
  const open = new Map<number, OpenBet>();
  const { engine, isWhole } = readEvents(past, fromSeq, past.lastSeq, {
    onEvent: (seq, event) => {
      if (event.type === 'betPlaced' && seq <= toSeq) open.set(event.bet, { seq, placed: event });
      if (event.type !== 'betSettled') return;
      const bet = open.get(event.bet);
      if (bet === undefined) return; // placed before the range, or after it
      open.delete(event.bet);
      sink.row(rowOf(bet, { seq, settled: event }, 'SETTLED'));
    },
  });
  for (const bet of open.values()) sink.row(rowOf(bet, null, openStatus(engine, bet.placed)));
  return isWhole ? [] : ['bets that were placed before the past that is left are not there'];
}

function openStatus(engine: Engine | null, { market, roundNumber }: BetPlaced): string {
  const status = engine?.round(market, roundNumber)?.status ?? SETTLING;
  return status >= SETTLING ? 'SETTLING' : 'ACTIVE';
}

function rowOf({ seq, placed }: OpenBet, fate: Fate | null, status: string): ExportRow {
  const { stakeCents } = placed;
  const paidCents = fate === null ? null : fate.settled.payoutCents;
  const profitCents = paidCents === null ? null : paidCents - stakeCents;
  return {
    bet: betId(placed.bet),
    account: accountId(placed.account),
    market: marketId(placed.market),
    round: roundId(placed.market, placed.roundNumber),
    prediction: textAt(SIDES, placed.side),
    amount: dollarsText(stakeCents),
    odds: oddsText(placed.oddsE4),
    entry_percent: percentText(placed.entryPercentE2),
    potential_payout: dollarsText(placed.payoutCents),
    status,
    result: fate === null ? null : textAt(BET_RESULTS, fate.settled.result),
    payout: paidCents === null ? null : dollarsText(paidCents),
    profit: profitCents === null ? null : dollarsText(profitCents),
    placed_at: isoText(placed.timeMs),
    settled_at: fate === null ? null : isoText(fate.settled.timeMs),
    client_seed: outside(placed.clientSeed),
    placed_seq: seq,
    settled_seq: fate === null ? null : fate.seq,
    amount_cents: stakeCents,
    potential_payout_cents: placed.payoutCents,
    payout_cents: paidCents,
    profit_cents: profitCents,
  };
}
