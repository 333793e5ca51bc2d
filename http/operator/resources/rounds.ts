/** A round as the operator API shows it, before and after its settlement. */

import { isoText } from '../../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import type { ArchivedRoundView } from '../../../engine/model/archive-reads.js';
import {
  ASSETS,
  type Asset,
  assetOf,
  marketId,
  RESULT_NONE,
  ROUND_RESULTS,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  TIME_FRAMES,
  type TimeFrame,
  textAt,
  timeFrameOf,
} from '../../../engine/model/domain.js';
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

type Common = Omit<OpenRound, 'status' | 'payoutUpCents' | 'payoutDownCents' | 'edgeCents'>;

export function openRoundResource(round: OpenRound): RoundResource {
  return {
    ...identity(round, textAt(ROUND_STATUSES, round.status)),
    ...pools(round),
    owedUp: dollarsOfCents(round.payoutUpCents),
    owedDown: dollarsOfCents(round.payoutDownCents),
    paid: null,
    houseResult: null,
    ...resolution(round),
    settledAt: null,
  };
}

export function settledRoundResource(round: ArchivedRoundView): RoundResource {
  return {
    ...identity(round, 'SETTLED'),
    ...pools(round),
    owedUp: null,
    owedDown: null,
    paid: dollarsOfCents(round.paidCents),
    houseResult: dollarsOfCents(round.volumeCents - round.paidCents),
    ...resolution(round),
    settledAt: isoText(round.settledAtMs),
  };
}

const identity = (
  { market, roundNumber, startTimeMs, lockTimeMs, endTimeMs }: Common,
  status: RoundStatus,
) => ({
  id: roundId(market, roundNumber),
  marketId: marketId(market),
  crypto: textAt(ASSETS, assetOf(market)),
  timeFrame: textAt(TIME_FRAMES, timeFrameOf(market)),
  roundNumber,
  status,
  startTime: isoText(startTimeMs),
  lockTime: isoText(lockTimeMs),
  endTime: isoText(endTimeMs),
});

const pools = ({ openPrice, closePrice, poolUpCents, poolDownCents, ...sums }: Common) => ({
  openPrice,
  closePrice,
  poolUp: dollarsOfCents(poolUpCents),
  poolDown: dollarsOfCents(poolDownCents),
  totalBets: sums.betCount,
  totalVolume: dollarsOfCents(sums.volumeCents),
  seeds: dollarsOfCents(2 * sums.seedCents),
});

const resolution = ({ result, voidReason }: Common) => ({
  result: result === RESULT_NONE ? null : (textAt(ROUND_RESULTS, result) as RoundResource['result']),
  voidReason: voidReason === '' ? null : voidReason,
});
