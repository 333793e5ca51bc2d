/**
 * Everything known about a round as one object, for `--json` and for the text for people, and whether its money adds
 * up: the seeds and stakes must be the pools, and the payouts and what the house got must be the pools, too.
 */

import { dollarsOfCents } from '../../../engine/base/money.js';
import {
  accountId,
  BET_ENDS,
  betId,
  marketId,
  NO_LIMIT,
  RESULT_NONE,
  RESULT_VOID,
  ROUND_RESULTS,
  ROUND_STATUSES,
  SETTLED,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { RoundView } from '../../../engine/model/views.js';
import type { LedgerEntry } from '../../replay/ledger.js';
import { isoText } from '../frame/format.js';
import { entryJson } from '../words/ledger-text.js';
import { type Priced, ROUND_STAGES, type RoundBet, type RoundHistory } from './round-history.js';
import type { KnownSeeds } from './round-seeds.js';

/** The facts of both a round in memory and one in the archive. */
type RoundCore = Pick<
  RoundView,
  | 'startTimeMs'
  | 'lockTimeMs'
  | 'endTimeMs'
  | 'openPrice'
  | 'closePrice'
  | 'poolUpCents'
  | 'poolDownCents'
  | 'seedCents'
  | 'feeBps'
  | 'betCount'
  | 'volumeCents'
  | 'voidReason'
>;

export type RoundFacts = ReturnType<typeof roundFacts>;

/** The facts of `round`, which must be known, at command `asOfSeq`. Amounts in USD. */
export function roundFacts(round: RoundHistory, asOfSeq: number, known: KnownSeeds) {
  const core: RoundCore | null = round.view ?? round.archived;
  const { result } = round;
  const isVoid = result === RESULT_VOID;
  const bets = [...round.bets.values()];
  return {
    id: round.id,
    marketId: marketId(round.market),
    roundNumber: round.roundNumber,
    asOfSeq,
    isWhole: round.isWhole,
    status: core === null ? null : textAt(ROUND_STATUSES, round.status),
    result: result === RESULT_NONE || isVoid ? null : textAt(ROUND_RESULTS, result),
    voided: isVoid,
    voidReason: isVoid ? (core?.voidReason ?? '') : null,
    notOpened: round.notOpened === '' ? null : round.notOpened,
    rules: core === null ? null : rulesOf(core, round.view),
    times: core === null ? null : timesOf(core),
    stages: ROUND_STAGES.flatMap((stage) => {
      const instant = round.stages.get(stage);
      return instant === undefined ? [] : [{ stage, seq: instant.seq, time: isoText(instant.timeMs) }];
    }),
    openPrice: core?.openPrice ?? null,
    openPriceFrom: round.open === null ? null : pricedJson(round.open),
    closePrice: core?.closePrice ?? null,
    closePriceFrom: round.close === null ? null : pricedJson(round.close),
    poolUp: dollarsOfCents(core?.poolUpCents ?? 0),
    poolDown: dollarsOfCents(core?.poolDownCents ?? 0),
    totalBets: core?.betCount ?? 0,
    totalVolume: dollarsOfCents(core?.volumeCents ?? 0),
    paid: dollarsOfCents(paidCents(bets)),
    bets: bets.map(betJson),
    unfilledOrders: [...round.unfilled.values()].map(betJson),
    houseResult: dollarsOfCents(sumOf(round.houseEntries)),
    houseEntries: round.houseEntries.map(entryJson),
    ...seedsOf(round, core !== null, known),
    faults: core === null || !round.isWhole ? [] : faultsOf(core, round, bets),
  };
}

const rulesOf = (core: RoundCore, view: RoundView | null) => ({
  lockLeadSeconds: (core.endTimeMs - core.lockTimeMs) / 1_000,
  bettingCloses: view === null ? null : isoText(view.bettingClosesMs),
  minStake: view === null ? null : dollarsOfCents(view.minStakeCents),
  maxStake: view === null ? null : dollarsOfCents(view.maxStakeCents),
  seedPerSide: dollarsOfCents(core.seedCents),
  feePercent: core.feeBps / 100,
});

const timesOf = (core: RoundCore) => ({
  start: isoText(core.startTimeMs),
  lock: isoText(core.lockTimeMs),
  end: isoText(core.endTimeMs),
});

const pricedJson = ({ price, priceTimeMs, source, evidence }: Priced) => ({
  price,
  priceTime: priceTimeMs === null ? null : isoText(priceTimeMs),
  source,
  evidence,
});

const betJson = ({ placedSeq, placed, filled, settledSeq, settled }: RoundBet) => ({
  id: betId(placed.bet),
  account: accountId(placed.account),
  prediction: textAt(SIDES, placed.side),
  amount: dollarsOfCents(placed.stakeCents),
  oddsAtBet: placed.oddsE4 / 10_000,
  potentialPayout: dollarsOfCents(placed.payoutCents),
  placedAt: isoText(placed.timeMs),
  placedSeq,
  limitOdds: placed.limitOddsE4 === NO_LIMIT ? null : placed.limitOddsE4 / 10_000,
  filledAt: filled === null ? null : isoText(filled.event.timeMs),
  result: settled === null ? null : textAt(BET_ENDS, settled.result),
  payout: settled === null ? null : dollarsOfCents(settled.payoutCents),
  settledAt: settled === null ? null : isoText(settled.timeMs),
  settledSeq,
});

/** The commitment is public from the beginning of the round, the seed after its settlement; neither is shown before. */
export function seedsOf(round: RoundHistory, exists: boolean, { seeds, why }: KnownSeeds) {
  const { market, roundNumber } = round;
  const isSettled = exists && round.status === SETTLED;
  return {
    seedCommitment: seeds === null || !exists ? null : seeds.commitment(market, roundNumber),
    seed: seeds !== null && isSettled ? seeds.seed(market, roundNumber) : null,
    seedNotShown: why ?? (isSettled ? null : 'The seed is secret until the round is settled.'),
  };
}

function faultsOf(core: RoundCore, round: RoundHistory, bets: readonly RoundBet[]): string[] {
  const faults: string[] = [];
  const stakesCents = bets.reduce((sum, { placed }) => sum + placed.stakeCents, 0);
  const poolsCents = core.poolUpCents + core.poolDownCents;
  const seedsCents = -sumOf(round.houseEntries.filter(({ kind }) => kind === 'seed'));
  const say = (what: string, cents: number, otherCents: number): void => {
    if (cents !== otherCents) faults.push(`${what}: ${cents} and ${otherCents} cents`);
  };
  say('the bets and the volume differ', stakesCents, core.volumeCents);
  say('seeds with stakes and the pools differ', seedsCents + stakesCents, poolsCents);
  if (bets.length !== core.betCount)
    faults.push(`${bets.length} bets are known, the round counts ${core.betCount}`);
  if (round.status === SETTLED) {
    const restCents = sumOf(round.houseEntries.filter(({ kind }) => kind === 'settlement'));
    say('payouts with what the house got and the pools differ', paidCents(bets) + restCents, poolsCents);
    const open = bets.filter(({ settled }) => settled === null).length;
    if (open > 0) faults.push(`the round is settled, but ${open} of its bets are not`);
  }
  return faults;
}

const paidCents = (bets: readonly RoundBet[]): number =>
  bets.reduce((sum, { settled }) => sum + (settled?.payoutCents ?? 0), 0);
const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { amountCents }) => sum + amountCents, 0);
