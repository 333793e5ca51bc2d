/** Reads of the reference model, worked out afresh at every call. */
import { must } from '../../../engine/base/assert.js';
import type { BoundaryPrice, OpenLate, PublishRoot } from '../../../engine/model/commands.js';
import {
  BET_RESULTS,
  END_CANCELLED,
  END_EXPIRED,
  LIVE,
  type PositionStatus,
  SETTLED,
  SETTLING,
} from '../../../engine/model/domain.js';
import type { PriceOrigin, ProofView, PublishedRoot } from '../../../engine/model/proofs/proof-views.js';
import type {
  AccountView,
  BetView,
  KeyView,
  QuoteView,
  RoundView,
  Totals,
} from '../../../engine/model/views.js';
import { dueSteps, openableLate } from './lifecycle.js';
import { edgeOfRound, payoutsOn } from './quotes.js';
import {
  accountOf,
  keptRounds,
  poolOf,
  type ReferenceAccount,
  type ReferenceBet,
  type ReferenceKey,
  type ReferenceRound,
  type ReferenceState,
} from './state.js';

export function roundView(round: ReferenceRound): RoundView {
  const stakes = round.bets.map((bet) => bet.placed.stakeCents);
  return {
    market: round.market,
    roundNumber: round.roundNumber,
    startTimeMs: round.startTimeMs,
    lockTimeMs: round.lockTimeMs,
    endTimeMs: round.endTimeMs,
    openPrice: round.openPrice,
    closePrice: round.closePrice,
    status: round.status,
    result: round.result,
    poolUpCents: poolOf(round, 0),
    poolDownCents: poolOf(round, 1),
    payoutUpCents: payoutsOn(round, 0),
    payoutDownCents: payoutsOn(round, 1),
    quote: quoteView(round),
    proof: proofView(round),
    betCount: stakes.length,
    volumeCents: stakes.reduce((sum, stake) => sum + stake, 0),
    seedCents: round.rules.house.seedCents,
    feeBps: round.feeBps,
    minStakeCents: round.rules.minStakeCents,
    maxStakeCents: round.rules.maxStakeCents,
    maxPriceAgeMs: round.rules.maxPriceAgeMs,
    bettingClosesMs: round.bettingClosesMs,
    resolvedAtMs: round.resolvedAtMs,
    voidReason: round.voidReason,
  };
}

/** The open ones, and of each market the last settled ones. */
export function findRound(state: ReferenceState, market: number, roundNumber: number): RoundView | null {
  const one = state.markets[market];
  const kept = one === undefined ? [] : keptRounds(one);
  const settling = state.settling.filter((round) => round.market === market);
  const candidates = [one?.current ?? null, ...settling, ...kept];
  const found = candidates.find((round) => round?.roundNumber === roundNumber);
  return found === undefined || found === null ? null : roundView(found);
}

function quoteView(round: ReferenceRound): QuoteView | null {
  const { policy, seedCents, shadeE6, clampE6 } = round.rules.house;
  if (policy === 'fixed') return null;
  const seedUpCents = round.bets.length === 0 ? seedCents : round.upSeedCents;
  return { shadeE6, clampE6, seedUpCents, edgeCents: Number(edgeOfRound(round)) };
}

function proofView({ openedBy, closedBy, rootBy, ...round }: ReferenceRound): ProofView {
  const isQuoting = round.rules.house.policy !== 'fixed';
  const shares = isQuoting ? round.bets.map((bet) => bet.placed.fairShareE6) : [];
  return {
    open: openedBy === null ? null : originOf(openedBy),
    close: closedBy === null ? null : originOf(closedBy),
    firstShareE6: shares[0] ?? -1,
    lastShareE6: shares.at(-1) ?? -1,
    leastShareE6: shares.length === 0 ? -1 : Math.min(...shares),
    greatestShareE6: shares.length === 0 ? -1 : Math.max(...shares),
    root: rootBy === null ? null : publishedRoot(rootBy),
  };
}

function originOf({ kind, priceTimeMs, source, evidence }: OpenLate | BoundaryPrice): PriceOrigin {
  return { priceTimeMs, source, evidence, isLate: kind === 'openLate' };
}

function publishedRoot({ timeMs, merkleRoot, treeSize, keyId, signature }: PublishRoot): PublishedRoot {
  return { merkleRoot, treeSize, keyId, signature, publishedAtMs: timeMs };
}

function statusOf(bet: ReferenceBet): PositionStatus {
  const { round, settled } = bet;
  if (settled?.result === END_CANCELLED) return 'CANCELLED';
  if (settled?.result === END_EXPIRED) return 'EXPIRED';
  if (settled !== null) return 'SETTLED';
  if (round.resting.includes(bet)) return 'PENDING';
  return round.status === SETTLING ? 'SETTLING' : 'ACTIVE';
}

function betView(bet: ReferenceBet): BetView {
  const { placed, round, settled, limitOddsE4, filledAtMs } = bet;
  const isBet = limitOddsE4 === 0 || filledAtMs !== null;
  return {
    bet: placed.bet,
    market: placed.market,
    roundNumber: placed.roundNumber,
    side: placed.side,
    stakeCents: placed.stakeCents,
    oddsE4: placed.oddsE4,
    limitOddsE4,
    rested: bet.hasRested,
    filledAtMs,
    validUntilMs: bet.validUntilMs,
    entryPercentE2: isBet ? placed.entryPercentE2 : null,
    clientSeed: placed.clientSeed,
    clientOrderId: placed.clientOrderId,
    payoutCents: placed.payoutCents,
    status: statusOf(bet),
    result: settled?.result ?? BET_RESULTS.indexOf('NONE'),
    paidCents: settled?.paidCents ?? null,
    placedAtMs: placed.timeMs,
    settledAtMs: settled?.atMs ?? null,
    roundStatus: round.status,
    roundEndTimeMs: round.endTimeMs,
  };
}

const byLatestPlaced = (a: ReferenceBet, b: ReferenceBet): number => b.placed.bet - a.placed.bet;
const byLatestChange = (a: ReferenceBet, b: ReferenceBet): number => b.changeNumber - a.changeNumber;

type PositionList = 'open' | 'all' | 'orders';

const openOf = ({ bets }: ReferenceAccount) => bets.filter((bet) => bet.settled === null);
const lastSettledOf = ({ bets, settledKept }: ReferenceAccount) =>
  bets
    .filter((bet) => bet.settled !== null)
    .sort(byLatestChange)
    .slice(0, settledKept);

/** Open, or among the last placed or settled ones. */
export const retained = (account: ReferenceAccount): ReadonlySet<ReferenceBet> => {
  const lastPlaced = [...account.bets].sort(byLatestPlaced).slice(0, account.placedKept);
  return new Set([...openOf(account), ...lastPlaced, ...lastSettledOf(account)]);
};

/** All open bets; with them the last settled ones; or all that are kept, the last placed ones among them. */
export function positions(
  state: ReferenceState,
  account: number,
  list: PositionList,
  limit: number,
): BetView[] {
  const of = must(accountOf(state, account), 'account');
  const listed = {
    open: () => openOf(of).sort(byLatestPlaced),
    all: () => [...openOf(of), ...lastSettledOf(of)].sort(byLatestChange),
    orders: () => [...retained(of)].sort(byLatestPlaced),
  };
  return listed[list]().slice(0, limit).map(betView);
}

export function accountView(account: ReferenceAccount): AccountView {
  return {
    account: account.account,
    name: account.name,
    tier: account.tier,
    balanceCents: account.balanceCents,
    frozen: account.frozen,
    openBets: account.bets.filter((bet) => bet.settled === null).length,
  };
}

export function keyView({ digest: _, ...view }: ReferenceKey): KeyView {
  return view;
}

export function nextDueMs(state: ReferenceState): number {
  return Math.min(Number.POSITIVE_INFINITY, ...dueSteps(state).map(({ atMs }) => atMs));
}

/** Other obstacles (an old price, a house without money) only show in an attempt. */
export const vacantMarkets = (state: ReferenceState, asset: number, timeMs: number): number[] =>
  openableLate(state, asset, timeMs).map((round) => round.market);

function moneyIn(round: ReferenceRound): number {
  const paidCents = round.bets.reduce((sum, bet) => sum + (bet.settled?.paidCents ?? 0), 0);
  return poolOf(round, 0) + poolOf(round, 1) - paidCents;
}

export function totals(state: ReferenceState): Totals {
  const openRounds = [...state.markets.map((market) => market.current), ...state.settling].filter(
    (round): round is ReferenceRound => round !== null && round.status !== SETTLED,
  );
  const stakesOf = (bets: readonly ReferenceBet[]): number =>
    bets.reduce((sum, bet) => sum + bet.placed.stakeCents, 0);
  const open = state.bets.filter((bet) => bet.settled === null);
  const reservedStakesCents = stakesOf(open.filter((bet) => bet.round.resting.includes(bet)));
  const openStakesCents = stakesOf(open) - reservedStakesCents;
  const inRoundsCents = openRounds.reduce((sum, round) => sum + moneyIn(round), 0);
  return {
    houseCents: state.houseCents,
    accountsCents: state.accounts.reduce((sum, account) => sum + account.balanceCents, 0),
    openStakesCents,
    // While a round is being settled, it pays more than the stakes out of the seeds and the stakes that lost: the
    // rest stands here.
    openSeedsCents: inRoundsCents - openStakesCents,
    reservedStakesCents,
    depositsCents: state.depositsCents,
    withdrawalsCents: state.withdrawalsCents,
  };
}

/** For generators: the rounds that take bets at this time. */
export function bettableRounds(state: ReferenceState, timeMs: number): ReferenceRound[] {
  return state.markets.flatMap(({ current }) =>
    current !== null && current.status === LIVE && timeMs < current.bettingClosesMs ? [current] : [],
  );
}
