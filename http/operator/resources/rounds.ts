/** A round as the operator API shows it, before and after its settlement. */
import { isoText } from '../../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import type { ArchivedRoundView } from '../../../engine/model/archive-reads.js';
import {
  type Asset,
  RESULT_NONE,
  ROUND_RESULTS,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  type TimeFrame,
  textAt,
} from '../../../engine/model/domain.js';
import { namesOf, outlineOf } from '../../wire/archive-text.js';
import type { OpenRound } from '../queries/reads.js';

export interface RoundResource {
  readonly id: string;
  readonly marketId: string;
  readonly crypto: Asset;
  readonly timeFrame: TimeFrame;
  readonly roundNumber: number;
  readonly status: RoundStatus;
  readonly startTime: string;
  readonly lockTime: string;
  readonly endTime: string;
  readonly openPrice: number | null;
  readonly closePrice: number | null;
  /** With the house's seeds. */
  readonly poolUp: number;
  readonly poolDown: number;
  readonly totalBets: number;
  /** All stakes, without the seeds. */
  readonly totalVolume: number;
  /** Put in by the house. */
  readonly seeds: number;
  /** Paid to the bets on a side if it wins; null for a settled round. */
  readonly owedUp: number | null;
  readonly owedDown: number | null;
  /** Paid to the bets, and left to the house of the stakes; null before. */
  readonly paid: number | null;
  readonly houseResult: number | null;
  readonly result: Exclude<(typeof ROUND_RESULTS)[number], 'NONE'> | null;
  readonly voidReason: string | null;
  readonly settledAt: string | null;
}

/** A settled round comes from the archive. */
export function roundResource(round: OpenRound | ArchivedRoundView): RoundResource {
  const { market, roundNumber, result, voidReason, volumeCents } = round;
  const [open, settled] = 'settledAtMs' in round ? [null, round] : [round, null];
  return {
    id: roundId(market, roundNumber),
    ...namesOf(market),
    roundNumber,
    status: open === null ? 'SETTLED' : textAt(ROUND_STATUSES, open.status),
    ...outlineOf(round),
    seeds: dollarsOfCents(2 * round.seedCents),
    owedUp: open && dollarsOfCents(open.payoutUpCents),
    owedDown: open && dollarsOfCents(open.payoutDownCents),
    paid: settled && dollarsOfCents(settled.paidCents),
    houseResult: settled && dollarsOfCents(volumeCents - settled.paidCents),
    result: result === RESULT_NONE ? null : (textAt(ROUND_RESULTS, result) as RoundResource['result']),
    voidReason: voidReason === '' ? null : voidReason,
    settledAt: settled && isoText(settled.settledAtMs),
  };
}
