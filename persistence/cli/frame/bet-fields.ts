/** A bet of the archive as fields for JSON, and its entries in the ledger. */
import { isoOrNull, isoText } from '../../../engine/base/iso-text.js';
import {
  accountId,
  BET_ENDS,
  betId,
  NO_LIMIT,
  type PositionStatus,
  roundId,
  SETTLING,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import { statusOf } from '../../archive/reader/bets.js';
import { type LedgerEntry, ledgerEntryOf } from '../../archive/reader/entries.js';
import { type ArchivedBet, filledAtMs, isBet, paidCentsOf, termsOf } from '../../archive/reader/streams.js';

/** Odds, percent and payout are those of a limit order's fill. */
export function betFields(found: ArchivedBet) {
  const { order, settled } = found;
  const { bet, account, market, roundNumber, side, stakeCents, limitOddsE4, oddsE4, payoutCents, ...rest } =
    termsOf(found);
  return {
    bet: betId(bet),
    account: accountId(account),
    round: roundId(market, roundNumber),
    side: textAt(SIDES, side),
    stakeCents,
    oddsE4,
    potentialPayoutCents: payoutCents,
    limitOddsE4: limitOddsE4 === NO_LIMIT ? null : limitOddsE4,
    placedSeq: order.seq === 0 ? null : order.seq,
    placedAt: isoText(rest.timeMs),
    filledAt: isoOrNull(filledAtMs(found)),
    result: settled === null ? null : textAt(BET_ENDS, settled.event.result),
    paidCents: paidCentsOf(found),
    settledSeq: settled?.seq ?? null,
    settledAt: isoOrNull(settled?.event.timeMs),
  };
}

/** As the API names it, given the status of its round. */
export function statusWord(found: ArchivedBet, roundStatus: number): PositionStatus {
  const status = statusOf(found.settled?.event ?? null, isBet(found));
  return status === 'ACTIVE' && roundStatus >= SETTLING ? 'SETTLING' : status;
}

export const entriesOf = ({ order, fill, settled }: ArchivedBet): LedgerEntry[] =>
  [order.seq === 0 ? null : order, fill, settled].flatMap((at) =>
    at === null ? [] : (ledgerEntryOf(at.seq, at.event) ?? []),
  );
