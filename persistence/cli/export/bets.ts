/**
 * Rows of bets placed in the range, with their settlement up to the end of the journal, in the order of settlement;
 * open bets come last.
 */
import { isoOrNull, isoText } from '../../../engine/base/iso-text.js';
import {
  accountId,
  BET_ENDS,
  betId,
  marketId,
  NO_LIMIT,
  roundId,
  SETTLING,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import { type ArchivedBet, filledAtMs, isBet, paidCentsOf, termsOf } from '../../archive/reader/streams.js';
import { statusWord } from '../frame/bet-fields.js';
import { dollarsText, oddsText, percentText } from '../frame/format.js';
import {
  type Columns,
  type Exporter,
  type ExportRange,
  type ExportSource,
  outside,
  writeRows,
} from './rows.js';

interface Row {
  readonly found: ArchivedBet;
  readonly terms: ReturnType<typeof termsOf>;
  readonly isBet: boolean;
  readonly status: string;
  readonly paidCents: number | null;
}

const profitCents = ({ paidCents, terms }: Row): number | null =>
  paidCents === null ? null : paidCents - terms.stakeCents;
const usdOrNull = (cents: number | null): string | null => (cents === null ? null : dollarsText(cents));

const COLUMNS: Columns<Row> = {
  bet: ({ terms }) => betId(terms.bet),
  account: ({ terms }) => accountId(terms.account),
  market: ({ terms }) => marketId(terms.market),
  round: ({ terms }) => roundId(terms.market, terms.roundNumber),
  prediction: ({ terms }) => textAt(SIDES, terms.side),
  amount: ({ terms }) => dollarsText(terms.stakeCents),
  odds: ({ terms }) => oddsText(terms.oddsE4),
  entry_percent: (row) => (row.isBet ? percentText(row.terms.entryPercentE2) : null),
  potential_payout: ({ terms }) => dollarsText(terms.payoutCents),
  status: ({ status }) => status,
  result: ({ found: { settled }, ...row }) =>
    settled === null || !row.isBet ? null : textAt(BET_ENDS, settled.event.result),
  payout: ({ paidCents }) => usdOrNull(paidCents),
  profit: (row) => usdOrNull(profitCents(row)),
  placed_at: ({ terms }) => isoText(terms.timeMs),
  settled_at: ({ found }) => isoOrNull(found.settled?.event.timeMs),
  client_seed: ({ terms }) => outside(terms.clientSeed),
  client_order_id: ({ terms }) => outside(terms.clientOrderId),
  placed_seq: ({ found }) => found.order.seq,
  settled_seq: ({ found }) => found.settled?.seq ?? null,
  amount_cents: ({ terms }) => terms.stakeCents,
  potential_payout_cents: ({ terms }) => terms.payoutCents,
  payout_cents: ({ paidCents }) => paidCents,
  profit_cents: profitCents,
  limit_odds: ({ terms }) => (terms.limitOddsE4 === NO_LIMIT ? null : oddsText(terms.limitOddsE4)),
  filled_at: ({ found }) => isoOrNull(filledAtMs(found)),
};

export const exportBets: Exporter = (source, range, out) => {
  writeRows(out, COLUMNS, rowsOf(source, range));
  const isWhole = source.archive.fromSeq < range.fromSeq;
  return isWhole ? [] : ['bets that were placed before the records that are left begin are missing'];
};

function* rowsOf(
  { archive, engine }: ExportSource,
  { fromSeq, toSeq, account }: ExportRange,
): Generator<Row> {
  for (const found of archive.bets(fromSeq, toSeq, account)) {
    const { market, roundNumber } = found.order.event;
    yield {
      found,
      terms: termsOf(found),
      isBet: isBet(found),
      status: statusWord(found, engine?.round(market, roundNumber)?.status ?? SETTLING),
      paidCents: paidCentsOf(found),
    };
  }
}
