/**
 * Everything known about a round as one object, for `--json` and for people, and whether its money adds up: seeds and
 * stakes must be the pools, and so must payouts and the house's part.
 */

import { FAIRNESS_TOOLS } from '../../../crypto/fairness-tools.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import type { Engine } from '../../../engine/engine.js';
import { RoundSeeds } from '../../../engine/fairness.js';
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
  roundId,
  SETTLED,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { BetPlaced, OrderFilled, OrderPending, SettlementTerms } from '../../../engine/model/events.js';
import type { PriceOrigin } from '../../../engine/model/proofs/proof-views.js';
import type { RoundView } from '../../../engine/model/views.js';
import type { DataDir } from '../../data-dir/layout.js';
import { masterSecretFingerprint, openMasterSecret } from '../../data-dir/secrets.js';
import { JournalError, messageOf } from '../../errors.js';
import { type LedgerEntry, ledgerEntryOf } from '../../past/entries.js';
import { type ArchivedRound, betOfFill } from '../../past/facts.js';
import type { Past } from '../../past/past.js';
import type { ArchivedEvent } from '../../past/streams.js';
import { isoText } from '../frame/format.js';
import { entryJson } from '../words/ledger-text.js';

export interface BetHistory {
  /** 0 if the archive began after it. */
  readonly placedSeq: number;
  /** A filled limit order has odds, percent and payout of its fill. */
  readonly placed: BetPlaced | OrderPending;
  /** Only if the limit order has rested. */
  readonly filled: { readonly seq: number; readonly event: OrderFilled } | null;
  readonly settled: { readonly seq: number; readonly event: SettlementTerms } | null;
}

/** In the order in which they joined their round. */
export function betsIn(events: Iterable<ArchivedEvent>): BetHistory[] {
  const bets = new Map<number, BetHistory>();
  for (const { seq, event } of events) {
    if (event.type === 'balanceMoved') continue;
    const bet = bets.get(event.bet);
    if (event.type === 'betPlaced' || event.type === 'orderPending')
      bets.set(event.bet, { placedSeq: seq, placed: event, filled: null, settled: null });
    else if (bet === undefined) continue;
    else if (event.type === 'betSettled') bets.set(event.bet, { ...bet, settled: { seq, event } });
    else {
      // From its fill on it is a bet behind those that were placed meanwhile.
      bets.delete(event.bet);
      bets.set(event.bet, { ...bet, placed: betOfFill(bet.placed, event), filled: { seq, event } });
    }
  }
  return [...bets.values()];
}

export type Round = RoundView | ArchivedRound;

const isInMemory = (round: Round): round is RoundView => 'status' in round;
export const statusOf = (round: Round): number => (isInMemory(round) ? round.status : SETTLED);

/** Where `past` ends, with `engine` there; null if neither knows the round. */
export const findRound = (past: Past, engine: Engine, market: number, roundNumber: number): Round | null =>
  engine.round(market, roundNumber) ?? past.round(market, roundNumber, engine.seq);

export type RoundFacts = ReturnType<typeof roundFacts>['facts'];

/** At the end of `engine`, amounts in USD. Throws `not_found`. */
export function roundFacts(
  past: Past,
  engine: Engine,
  market: number,
  roundNumber: number,
  known: KnownSeeds,
) {
  const round = findRound(past, engine, market, roundNumber);
  if (round === null) throw notThere(market, roundNumber, engine.seq);
  const events = [...past.roundEvents(market, roundNumber, engine.seq)];
  const all = betsIn(events);
  const bets = all.filter(({ placed }) => placed.type === 'betPlaced');
  const house = events
    .filter(({ event }) => event.type === 'balanceMoved')
    .flatMap(({ seq, event }) => ledgerEntryOf(seq, event) ?? []);
  const isWhole = past.fromSeq === 0;
  const isVoid = round.result === RESULT_VOID;
  const facts = {
    id: roundId(market, roundNumber),
    marketId: marketId(market),
    roundNumber,
    asOfSeq: engine.seq,
    isWhole,
    status: textAt(ROUND_STATUSES, statusOf(round)),
    result: round.result === RESULT_NONE || isVoid ? null : textAt(ROUND_RESULTS, round.result),
    voided: isVoid,
    voidReason: isVoid ? round.voidReason : null,
    rules: rulesOf(round),
    times: timesOf(round),
    openPrice: round.openPrice,
    openPriceFrom: originJson(round.proof.open),
    closePrice: round.closePrice,
    closePriceFrom: originJson(round.proof.close),
    poolUp: dollarsOfCents(round.poolUpCents),
    poolDown: dollarsOfCents(round.poolDownCents),
    totalBets: round.betCount,
    totalVolume: dollarsOfCents(round.volumeCents),
    paid: dollarsOfCents(paidCents(bets)),
    bets: bets.map(betJson),
    unfilledOrders: all.filter(({ placed }) => placed.type === 'orderPending').map(betJson),
    houseResult: dollarsOfCents(sumOf(house)),
    houseEntries: house.map(entryJson),
    ...seedsOf(round, known),
    faults: isWhole ? faultsOf(round, bets, house) : [],
  };
  return { facts, house };
}

const notThere = (market: number, roundNumber: number, seq: number): JournalError =>
  new JournalError(
    'not_found',
    `There was no round ${roundId(market, roundNumber)} up to sequence number ${seq}, or nothing is left that knows of it. ` +
      'If it never opened, npx tote replay --explain for that time shows why.',
  );

const rulesOf = (round: Round) => ({
  lockLeadSeconds: (round.endTimeMs - round.lockTimeMs) / 1_000,
  bettingCloses: isInMemory(round) ? isoText(round.bettingClosesMs) : null,
  minStake: isInMemory(round) ? dollarsOfCents(round.minStakeCents) : null,
  maxStake: isInMemory(round) ? dollarsOfCents(round.maxStakeCents) : null,
  seedPerSide: dollarsOfCents(round.seedCents),
  feePercent: round.feeBps / 100,
});

const timesOf = (round: Round) => ({
  start: isoText(round.startTimeMs),
  lock: isoText(round.lockTimeMs),
  end: isoText(round.endTimeMs),
});

function originJson(origin: PriceOrigin | null) {
  if (origin === null) return null;
  const { priceTimeMs, source, evidence } = origin;
  return { priceTime: priceTimeMs === null ? null : isoText(priceTimeMs), source, evidence };
}

const betJson = ({ placedSeq, placed, filled, settled }: BetHistory) => ({
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
  result: settled === null ? null : textAt(BET_ENDS, settled.event.result),
  payout: settled === null ? null : dollarsOfCents(settled.event.payoutCents),
  settledAt: settled === null ? null : isoText(settled.event.timeMs),
  settledSeq: settled === null ? null : settled.seq,
});

/** The commitment is public from the beginning of the round, the seed after its settlement; it is not shown before. */
export function seedsOf(round: Round, { seeds, why }: KnownSeeds) {
  const { market, roundNumber } = round;
  const isSettled = statusOf(round) === SETTLED;
  return {
    seedCommitment: seeds === null ? null : seeds.commitment(market, roundNumber),
    seed: seeds !== null && isSettled ? seeds.seed(market, roundNumber) : null,
    seedNotShown: why ?? (isSettled ? null : 'The seed is secret until the round is settled.'),
  };
}

function faultsOf(round: Round, bets: readonly BetHistory[], house: readonly LedgerEntry[]): string[] {
  const faults: string[] = [];
  const stakesCents = bets.reduce((sum, { placed }) => sum + placed.stakeCents, 0);
  const poolsCents = round.poolUpCents + round.poolDownCents;
  const seedsCents = -sumOf(house.filter(({ kind }) => kind === 'seed'));
  const say = (what: string, cents: number, otherCents: number): void => {
    if (cents !== otherCents) faults.push(`${what}: ${cents} and ${otherCents} cents`);
  };
  say('the bets and the volume differ', stakesCents, round.volumeCents);
  say('seeds with stakes and the pools differ', seedsCents + stakesCents, poolsCents);
  if (bets.length !== round.betCount)
    faults.push(`${bets.length} bets are known, the round counts ${round.betCount}`);
  if (statusOf(round) === SETTLED) {
    const restCents = sumOf(house.filter(({ kind }) => kind === 'settlement'));
    say('payouts with what the house got and the pools differ', paidCents(bets) + restCents, poolsCents);
    const open = bets.filter(({ settled }) => settled === null).length;
    if (open > 0) faults.push(`the round is settled, but ${open} of its bets are not`);
  }
  return faults;
}

const paidCents = (bets: readonly BetHistory[]): number =>
  bets.reduce((sum, { settled }) => sum + (settled?.event.payoutCents ?? 0), 0);
const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { amountCents }) => sum + amountCents, 0);

export type KnownSeeds =
  | { readonly seeds: RoundSeeds; readonly why: null }
  | { readonly seeds: null; readonly why: string };

/** Compares the master secret with the fingerprint in the rules of `engine`. */
export function readRoundSeeds(dir: DataDir, engine: Engine): KnownSeeds {
  try {
    const secret = openMasterSecret(dir, false);
    const expected = engine.rules?.masterSecretFingerprint;
    if (expected === undefined || expected === masterSecretFingerprint(secret)) {
      return { seeds: new RoundSeeds(secret, FAIRNESS_TOOLS), why: null };
    }
    return {
      seeds: null,
      why: `The file ${dir.masterSecretFile} is not the secret of this journal's rounds.`,
    };
  } catch (thrown) {
    return { seeds: null, why: messageOf(thrown) };
  }
}
