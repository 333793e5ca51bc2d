/**
 * The state of the reference model: everything that ever happened, in plain lists of plain objects. Nothing is
 * dropped; reads leave out what the engine drops.
 */
import { must } from '../../../engine/base/assert.js';
import type { BoundaryPrice, CreateAccount, OpenLate, PublishRoot } from '../../../engine/model/commands.js';
import { ASSET_CLASSES, ASSETS, assetClassOf, assetOf, MARKET_IDS } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type {
  BalanceMoved,
  BetPlaced,
  BetSettled,
  EngineEvent,
  OrderTerms,
} from '../../../engine/model/events.js';
import { scopesOfMarket } from '../../../engine/model/loss-limits.js';
import type { PriceEstimate } from '../../../engine/model/prices.js';
import type { MarketRules, Rules } from '../../../engine/model/rules.js';
import type { Setup } from '../../../engine/model/setup.js';

export interface ReferenceBet {
  /** A resting limit order has the odds that it names. */
  placed: BetPlaced;
  readonly key: number;
  /** 0 if it is no limit order. */
  readonly limitOddsE4: number;
  readonly hasRested: boolean;
  /** The last millisecond in which it may rest, if it has rested and named one. */
  readonly validUntilMs: number | null;
  filledAtMs: number | null;
  readonly round: ReferenceRound;
  /** null: a limit order ended unfilled, and its stake went back. */
  settled: { readonly result: number; readonly paidCents: number | null; readonly atMs: number } | null;
  /** Grows with every placement and every settlement of any bet: the order of changes. */
  changeNumber: number;
}

export interface ReferenceRound {
  readonly market: number;
  readonly roundNumber: number;
  readonly startTimeMs: number;
  readonly lockTimeMs: number;
  readonly endTimeMs: number;
  readonly bettingClosesMs: number;
  readonly rules: MarketRules;
  readonly feeBps: number;
  readonly slippageE2: number;
  status: number;
  result: number;
  openPrice: number | null;
  closePrice: number | null;
  resolvedAtMs: number | null;
  voidReason: string;
  /** Half of the house's money in it: nothing before the round opens. */
  paidSeedCents: number;
  /** The house's money on UP for the last bet. */
  upSeedCents: number;
  /** In the order in which they joined its pools. */
  readonly bets: ReferenceBet[];
  openedBy: OpenLate | BoundaryPrice | null;
  closedBy: BoundaryPrice | null;
  rootBy: PublishRoot | null;
  readonly resting: ReferenceBet[];
}

export interface ReferenceTransfer {
  readonly kind: 'deposit' | 'withdraw';
  readonly amountCents: number;
  readonly reference: string;
  readonly seq: number;
  readonly event: BalanceMoved;
  /** With a first balance. */
  readonly opening: CreateAccount | null;
}

export interface ReferenceAccount {
  readonly account: number;
  readonly name: string | null;
  tier: number;
  frozen: boolean;
  balanceCents: number;
  touchedSeq: number;
  readonly transfers: ReferenceTransfer[];
  readonly bets: ReferenceBet[];
  /** So many of the last placed bets are not forgotten. The number never grows back. */
  placedKept: number;
  /** So many of the last settled ones. */
  settledKept: number;
}

export interface ReferenceKey {
  readonly key: number;
  readonly account: number;
  readonly digest: string;
  readonly scopesMask: number;
  expiresAtMs: number | null;
  readonly createdAtMs: number;
  enabled: boolean;
  deadmanSeconds: number;
}

export interface ReferenceMarket {
  readonly market: number;
  suspendedSeq: number;
  current: ReferenceRound | null;
  /** Windows that had a round which opened or was voided get no other. */
  readonly usedRoundNumbers: number[];
  readonly settledRounds: ReferenceRound[];
  /** So many of the last ones are not forgotten. */
  settledKept: number;
}

export interface ReferenceIdempotency {
  readonly account: number;
  readonly keyHigh: number;
  readonly keyLow: number;
  readonly body: number;
  readonly timeMs: number;
  readonly seq: number;
  readonly event: OrderTerms;
}

export class ReferenceState {
  seq = 0;
  timeMs = 0;
  lifecycleSeq = 0;
  rules: Rules | null = null;
  rulesVersion = 0;
  setup: Setup | null = null;
  trading = { enabled: true, reason: '' };
  houseCents = 0;
  depositsCents = 0;
  withdrawalsCents = 0;
  changes = 0;
  readonly houseTransfers: ReferenceTransfer[] = [];
  readonly accounts: ReferenceAccount[] = [];
  readonly keys: ReferenceKey[] = [];
  readonly bets: ReferenceBet[] = [];
  readonly markets: ReferenceMarket[] = MARKET_IDS.map((_, market) => ({
    ...{ market, suspendedSeq: 0, current: null, usedRoundNumbers: [], settledRounds: [], settledKept: 0 },
  }));
  readonly settling: ReferenceRound[] = [];
  readonly resolved: ReferenceRound[] = [];
  readonly calendars: (readonly (readonly [number, number])[] | null)[] = ASSET_CLASSES.map(() => null);
  readonly openPrices: ({ readonly price: number; readonly timeMs: number } | null)[] = ASSETS.map(
    () => null,
  );
  /**
   * The house's result of each settled round. `lifted`: results of scopes at which operators have lifted suspensions.
   */
  readonly results: { readonly market: number; readonly timeMs: number; readonly cents: number }[] = [];
  readonly lifted: { readonly scope: number; readonly timeMs: number; readonly cents: number }[] = [];
  readonly estimates: (PriceEstimate | null)[] = ASSETS.map(() => null);
  readonly idempotency: ReferenceIdempotency[] = [];
}

export type Verdict = { readonly events: readonly EngineEvent[] } | NothingDone;

export type NothingDone =
  | { readonly refused: ErrorCode }
  | { readonly replayed: ReferenceTransfer | ReferenceIdempotency };

export const rulesOf = (state: ReferenceState): Rules => must(state.rules, 'the first configure');

export function marketRulesOf(state: ReferenceState, market: number): MarketRules | null {
  return state.rules?.markets.find((rules) => rules.marketId === MARKET_IDS[market]) ?? null;
}

export function accountOf(state: ReferenceState, account: number): ReferenceAccount | null {
  return state.accounts.find((one) => one.account === account) ?? null;
}

export const keptRounds = ({ settledRounds, settledKept }: ReferenceMarket): ReferenceRound[] =>
  settledRounds.slice(settledRounds.length - settledKept);

/** `paidCents` null: a limit order ends unfilled, and its stake goes back. */
export function endBet(
  state: ReferenceState,
  bet: ReferenceBet,
  result: number,
  paidCents: number | null,
  timeMs: number,
): BetSettled {
  const { account: number, market, roundNumber, side, stakeCents, clientOrderId } = bet.placed;
  const account = must(accountOf(state, number), 'account');
  bet.settled = { result, paidCents, atMs: timeMs };
  bet.changeNumber = ++state.changes;
  account.settledKept = Math.min(account.settledKept + 1, rulesOf(state).historyBetsMax);
  const payoutCents = paidCents ?? stakeCents;
  account.balanceCents += payoutCents;
  return {
    type: 'betSettled',
    ...{ timeMs, bet: bet.placed.bet, account: number, market, roundNumber, side, stakeCents, result },
    ...{ payoutCents, newBalanceCents: account.balanceCents, rested: bet.hasRested, clientOrderId },
  };
}

export function stakesOn(round: ReferenceRound, side: number): number {
  return round.bets
    .filter((bet) => bet.placed.side === side)
    .reduce((sum, bet) => sum + bet.placed.stakeCents, 0);
}

/** For the last bet. */
export const poolOf = (round: ReferenceRound, side: number): number =>
  (side === 0 ? round.upSeedCents : 2 * round.paidSeedCents - round.upSeedCents) + stakesOn(round, side);

/** The session of the market's class of asset holds the whole window. */
export function insideSession(
  state: ReferenceState,
  market: number,
  startMs: number,
  endMs: number,
): boolean {
  const asset = must(ASSETS[assetOf(market)], 'asset');
  const sessions = state.calendars[ASSET_CLASSES.indexOf(assetClassOf(asset))] ?? null;
  if (sessions === null) return true;
  return sessions.some(([openMs, closeMs]) => openMs <= startMs && endMs <= closeMs);
}

const utcDay = (timeMs: number): number => Math.floor(timeMs / 86_400_000);

export const resultOf = (state: ReferenceState, scope: number, timeMs: number): number =>
  state.results
    .filter((one) => utcDay(one.timeMs) === utcDay(timeMs) && scopesOfMarket(one.market).includes(scope))
    .reduce((sum, { cents }) => sum + cents, 0);

/** The scope's result when it was last lifted on that day. */
export const liftedOf = (state: ReferenceState, scope: number, timeMs: number): number =>
  state.lifted.findLast((one) => one.scope === scope && utcDay(one.timeMs) === utcDay(timeMs))?.cents ?? 0;

export const lostOf = (state: ReferenceState, scope: number, timeMs: number): number =>
  liftedOf(state, scope, timeMs) - resultOf(state, scope, timeMs);
