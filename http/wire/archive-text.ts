/** Answers from the archive: entries of an account's ledger, and settled rounds. */
import { isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import type { ArchivedRoundView, LedgerEntryView } from '../../engine/model/archive-reads.js';
import {
  ASSETS,
  assetOf,
  marketId,
  RESULT_NONE,
  RESULT_VOID,
  ROUND_RESULTS,
  roundId,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
} from '../../engine/model/domain.js';
import type { PublishedRoot } from '../../engine/model/proofs/proof-views.js';
import type { LedgerEntry, SettledRound } from './archive-types.js';
import type { RoundFacts, RoundRoot } from './proof-types.js';

export function ledgerEntry(view: LedgerEntryView): LedgerEntry {
  const { seq, item, timeMs, bet, clientOrderId, reference, amountCents, balanceCents } = view;
  return {
    id: `${seq}-${item}`,
    time: isoText(timeMs),
    type: typeOf(view),
    reference: reference === '' ? null : reference,
    orderId: bet === 0 ? null : `bet_${bet}`,
    clientOrderId,
    amount: dollarsOfCents(amountCents),
    balanceAfter: dollarsOfCents(balanceCents),
  };
}

/** The house's own kinds are told as the others are. */
const typeOf = ({ kind }: LedgerEntryView): LedgerEntry['type'] =>
  kind === 'seed' ? 'withdrawal' : kind === 'settlement' ? 'deposit' : kind;

/** Clients see none of a round that is open or was voided. */
export const resultOf = ({ result }: Pick<ArchivedRoundView, 'result'>): Pick<SettledRound, 'result'> =>
  result === RESULT_NONE || result === RESULT_VOID
    ? {}
    : { result: textAt(ROUND_RESULTS, result) as NonNullable<SettledRound['result']> };

export const namesOf = (market: number): Pick<SettledRound, 'marketId' | 'crypto' | 'timeFrame'> => ({
  marketId: marketId(market),
  crypto: textAt(ASSETS, assetOf(market)),
  timeFrame: textAt(TIME_FRAMES, timeFrameOf(market)),
});

export const factsOf = (
  round: Omit<ArchivedRoundView, 'paidCents' | 'settledAtMs' | 'root'>,
): RoundFacts => ({
  id: roundId(round.market, round.roundNumber),
  ...namesOf(round.market),
  roundNumber: round.roundNumber,
  startTime: isoText(round.startTimeMs),
  lockTime: isoText(round.lockTimeMs),
  endTime: isoText(round.endTimeMs),
  poolUp: dollarsOfCents(round.poolUpCents),
  poolDown: dollarsOfCents(round.poolDownCents),
  totalBets: round.betCount,
  totalVolume: dollarsOfCents(round.volumeCents),
  voidReason: round.voidReason === '' ? null : round.voidReason,
});

export const settledRound = (round: ArchivedRoundView): SettledRound => ({
  ...factsOf(round),
  ...resultOf(round),
  openPrice: round.openPrice,
  closePrice: round.closePrice,
  settledAt: isoText(round.settledAtMs),
  root: round.root === null ? null : rootOf(round.root),
});

export const rootOf = ({ publishedAtMs, ...signed }: PublishedRoot): RoundRoot => ({
  ...signed,
  publishedAt: isoText(publishedAtMs),
});
