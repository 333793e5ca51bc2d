/** The answer of GET /rounds/{id}: a round, its result and its provably-fair seed. */
import { isoOrNull, isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import type { RoundSeeds } from '../../engine/fairness.js';
import {
  RESULT_VOID,
  ROUND_STATUSES,
  roundId,
  SETTLED,
  textAt,
  WHOLE_E6,
} from '../../engine/model/domain.js';
import type { RoundView } from '../../engine/model/views.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import type { RoundReply } from '../link/questions.js';
import { namesOf, resultOf, rootOf } from './archive-text.js';
import type { RoundDetail, RoundHouse } from './types.js';

type PricesNow = Pick<RoundReply, 'tick' | 'shareE6'>;

/** To be sent once the engine's last command is durable. */
export function roundDetail(
  round: RoundView,
  seeds: RoundSeeds,
  { tick, shareE6 }: PricesNow,
  nowMs: number,
): RoundDetail {
  const { market, roundNumber } = round;
  const totalCents = round.poolUpCents + round.poolDownCents;
  const root = round.proof.root;
  const upCents = quotedUpCents(round, shareE6);
  return {
    id: roundId(market, roundNumber),
    roundNumber,
    startTime: isoText(round.startTimeMs),
    lockTime: isoText(round.lockTimeMs),
    endTime: isoText(round.endTimeMs),
    bettingClosesAt: isoText(round.bettingClosesMs),
    timeRemaining: Math.floor(Math.max(round.endTimeMs - nowMs, 0) / 1000),
    timeToLock: Math.max(round.lockTimeMs - nowMs, 0),
    timeToBettingClose: Math.max(round.bettingClosesMs - nowMs, 0),
    openPrice: round.openPrice,
    currentPrice: round.resolvedAtMs === null ? tick : round.closePrice,
    status: textAt(ROUND_STATUSES, round.status),
    totalBets: round.betCount,
    totalVolume: dollarsOfCents(round.volumeCents),
    ...resultOf(round),
    ...namesOf(market),
    poolUp: dollarsOfCents(upCents),
    poolDown: dollarsOfCents(totalCents - upCents),
    totalPool: dollarsOfCents(totalCents),
    fairPercentUp: shareE6 < 0 ? null : shareE6 / 10_000,
    house: houseOfRound(round),
    closePrice: round.closePrice,
    resolvedAt: isoOrNull(round.resolvedAtMs),
    voided: round.result === RESULT_VOID,
    seedCommitment: seeds.commitment(market, roundNumber),
    seed: round.status === SETTLED ? seeds.seed(market, roundNumber) : null,
    root: root === null ? null : rootOf(root),
  };
}

function houseOfRound({ seedCents, quote }: RoundView): RoundHouse {
  return {
    policy: quote === null ? 'fixed' : 'fair',
    seed: dollarsOfCents(seedCents),
    shade: quote === null ? 0 : quote.shadeE6 / WHOLE_E6,
    clamp: quote === null ? 0 : quote.clampE6 / WHOLE_E6,
  };
}
