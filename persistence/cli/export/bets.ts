/**
 * Rows of bets placed in the range, with their settlement up to the end of the journal, in the order of settlement;
 * open bets come last.
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
import type { BetPlaced, OrderPending, SettlementTerms } from '../../../engine/model/events.js';
import type { ArchivedBet } from '../../past/facts.js';
import { dollarsText, isoText, oddsText, percentText } from '../frame/format.js';
import { type ExportRange, type ExportRow, type ExportSource, outside, type RowSink } from './sink.js';

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
  'client_order_id',
  'placed_seq',
  'settled_seq',
  'amount_cents',
  'potential_payout_cents',
  'payout_cents',
  'profit_cents',
  'limit_odds',
  'filled_at',
] as const;

export function exportBets(
  { past, engine }: ExportSource,
  sink: RowSink,
  range: ExportRange,
): readonly string[] {
  sink.columns(COLUMNS);
  const { fromSeq, toSeq, account } = range;
  for (const bet of past.bets(fromSeq, toSeq)) {
    if (account !== null && bet.placed.account !== account) continue;
    sink.row(
      rowOf(
        bet,
        bet.settlement === null ? openStatus(engine, bet.placed) : endStatus(bet.settlement.settled),
      ),
    );
  }
  return past.fromSeq === 0 ? [] : ['bets that were placed before the past that is left are not there'];
}

const endStatus = ({ result }: SettlementTerms): string =>
  isUnfilled(result) ? textAt(BET_ENDS, result) : 'SETTLED';

function openStatus(engine: Engine | null, { type, market, roundNumber }: BetPlaced | OrderPending): string {
  if (type === 'orderPending') return 'PENDING';
  const status = engine?.round(market, roundNumber)?.status ?? SETTLING;
  return status >= SETTLING ? 'SETTLING' : 'ACTIVE';
}

function rowOf({ placedSeq, placed, filledAtMs, settlement }: ArchivedBet, status: string): ExportRow {
  const { stakeCents, limitOddsE4 } = placed;
  const isBet = placed.type === 'betPlaced';
  const paidCents = settlement === null || !isBet ? null : settlement.settled.payoutCents;
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
    result: settlement === null || !isBet ? null : textAt(BET_ENDS, settlement.settled.result),
    payout: paidCents === null ? null : dollarsText(paidCents),
    profit: profitCents === null ? null : dollarsText(profitCents),
    placed_at: isoText(placed.timeMs),
    settled_at: settlement === null ? null : isoText(settlement.settled.timeMs),
    client_seed: outside(placed.clientSeed),
    client_order_id: outside(placed.clientOrderId),
    placed_seq: placedSeq,
    settled_seq: settlement === null ? null : settlement.seq,
    amount_cents: stakeCents,
    potential_payout_cents: placed.payoutCents,
    payout_cents: paidCents,
    profit_cents: profitCents,
    limit_odds: limitOddsE4 === NO_LIMIT ? null : oddsText(limitOddsE4),
    filled_at: filledAtMs === null ? null : isoText(filledAtMs),
  };
}
