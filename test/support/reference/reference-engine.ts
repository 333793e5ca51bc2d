/**
 * The reference model: the whole engine once more, naive and slow, written from the rules alone. Property tests run
 * the same commands through both and compare everything that can be seen.
 */
import { assert, must } from '../../../engine/base/assert.js';
import type { EngineReads } from '../../../engine/engine.js';
import type { BetsQuery } from '../../../engine/model/bet-pages.js';
import type { Command, OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { ASSET_CLASSES, DOWN, UP } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { EngineEvent, Outcome, Rejected, Replayed } from '../../../engine/model/events.js';
import { LOSS_SCOPES } from '../../../engine/model/loss-limits.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { Setup } from '../../../engine/model/setup.js';
import type {
  AccountView,
  BetView,
  KeyView,
  OpenSums,
  RoundView,
  Totals,
} from '../../../engine/model/views.js';
import * as accounts from './accounts.js';
import * as lifecycle from './lifecycle.js';
import * as limits from './limit-orders.js';
import { placeOrder, rememberedOrder } from './orders.js';
import * as reads from './reads.js';
import { settle } from './settlement.js';
import {
  accountOf,
  emptyState,
  liftedOf,
  marketRulesOf,
  type NothingDone,
  type ReferenceState,
  resultOf,
  type Verdict,
} from './state.js';

type Decision<K extends Command['kind']> = (
  state: ReferenceState,
  command: Extract<Command, { kind: K }>,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
) => Verdict;

const DECISIONS: { readonly [K in Command['kind']]: Decision<K> } = {
  configure: accounts.configure,
  declareSetup: accounts.declareSetup,
  advance: lifecycle.advance,
  setCalendar: accounts.setCalendar,
  boundaryPrice: lifecycle.boundaryPrice,
  openLate: lifecycle.openLate,
  confirmPrice: lifecycle.confirmPrice,
  settle,
  placeOrder,
  cancelOrder: limits.cancelOrder,
  cancelOrders: limits.cancelOrders,
  fillOrders: limits.fillOrders,
  expireOrders: limits.expireOrders,
  createAccount: accounts.createAccount,
  updateAccount: accounts.updateAccount,
  deposit: accounts.transfer,
  withdraw: accounts.transfer,
  depositHouse: accounts.transferHouse,
  withdrawHouse: accounts.transferHouse,
  createKey: accounts.createKey,
  updateKey: accounts.updateKey,
  expireKey: accounts.expireKey,
  rotateKey: accounts.rotateKey,
  setDeadman: accounts.setDeadman,
  setTrading: accounts.setTrading,
  suspendMarket: accounts.suspendMarket,
  voidRound: lifecycle.voidRound,
  publishRoot: lifecycle.publishRoot,
  moveClock: accounts.moveClock,
};

export class ReferenceEngine implements EngineReads {
  readonly state: ReferenceState = emptyState();

  apply(command: Command, gate: ErrorCode | null = null, guards: OrderGuards | null = null): Outcome {
    assert(command.timeMs >= this.state.timeMs, 'time never goes backwards');
    assert(command.kind === 'configure' || this.state.rules !== null, 'configure comes first');
    const decide = DECISIONS[command.kind] as Decision<Command['kind']>;
    const verdict = decide(this.state, command as never, gate, guards);
    if (!('events' in verdict)) return nothingDone(verdict);
    this.state.seq += 1;
    this.state.timeMs = command.timeMs;
    for (const event of verdict.events) this.#touch(command, event);
    return { status: 'accepted', seq: this.state.seq, events: verdict.events };
  }

  #touch({ kind }: Command, event: EngineEvent): void {
    const isLifecycle = event.type.startsWith('ro') || kind === 'settle';
    if (isLifecycle) this.state.lifecycleSeq = this.state.seq;
    if (!('account' in event)) return;
    const account = accountOf(this.state, event.account);
    if (account !== null) account.touchedSeq = this.state.seq;
  }

  get seq(): number {
    return this.state.seq;
  }
  get timeMs(): number {
    return this.state.timeMs;
  }
  get lifecycleSeq(): number {
    return this.state.lifecycleSeq;
  }
  get nextDueMs(): number {
    return reads.nextDueMs(this.state);
  }
  get settlementsWaiting(): boolean {
    return this.state.resolved.length > 0;
  }
  get restingOrders(): number {
    return this.state.bets.filter((bet) => bet.round.resting.includes(bet)).length;
  }
  get nextExpiryMs(): number {
    return limits.nextExpiryMs(this.state);
  }
  isFillable(market: number, fairShareE6: number, timeMs: number): boolean {
    return limits.isFillable(this.state, market, fairShareE6, timeMs);
  }
  get rules(): Rules | null {
    return this.state.rules;
  }
  get rulesVersion(): number {
    return this.state.rulesVersion;
  }
  get setup(): Setup | null {
    return this.state.setup;
  }
  get trading(): { readonly enabled: boolean; readonly reason: string } {
    return this.state.trading;
  }
  get accountCount(): number {
    return this.state.accounts.length;
  }
  get betsPlaced(): number {
    return this.state.bets.length;
  }
  get betsRetained(): number {
    return this.state.accounts.reduce((sum, account) => sum + reads.retained(account).size, 0);
  }
  get keyCount(): number {
    return this.state.keys.length;
  }

  marketRules(market: number) {
    return marketRulesOf(this.state, market);
  }
  isSuspended(market: number): boolean {
    return this.suspendedSeq(market) > 0;
  }
  suspendedSeq(market: number): number {
    return must(this.state.markets[market], 'market').suspendedSeq;
  }
  currentRound(market: number): RoundView | null {
    const current = this.state.markets[market]?.current ?? null;
    return current === null ? null : reads.roundView(current);
  }
  round(market: number, roundNumber: number): RoundView | null {
    return reads.findRound(this.state, market, roundNumber);
  }
  unsettledRounds(): readonly RoundView[] {
    const waiting = this.state.settling.filter((round) => round.resolvedAtMs === null);
    return [...this.state.resolved, ...waiting].map(reads.roundView);
  }
  latestOpenPrice(asset: number) {
    return this.state.openPrices[asset] ?? null;
  }
  dayResults(timeMs: number) {
    return {
      resultCents: LOSS_SCOPES.map((_, scope) => resultOf(this.state, scope, timeMs)),
      liftedCents: LOSS_SCOPES.map((_, scope) => liftedOf(this.state, scope, timeMs)),
    };
  }
  estimate(asset: number) {
    return this.state.estimates[asset] ?? null;
  }
  vacantMarkets(asset: number, timeMs: number): readonly number[] {
    return reads.vacantMarkets(this.state, asset, timeMs);
  }
  sessions(assetClass: number): readonly (readonly [number, number])[] | null {
    assert(assetClass < ASSET_CLASSES.length, 'a class of assets');
    return this.state.sessions[assetClass] ?? null;
  }
  keyDigest(key: number): string {
    return must(this.state.keys[key - 1], 'key').digest;
  }
  key(key: number): KeyView {
    return reads.keyView(must(this.state.keys[key - 1], 'key'));
  }
  keysOf(account: number): readonly KeyView[] {
    return this.state.keys.filter((key) => key.account === account).map(reads.keyView);
  }
  account(account: number): AccountView | null {
    const found = accountOf(this.state, account);
    return found === null ? null : reads.accountView(found);
  }
  tier(account: number): number {
    return must(this.account(account), 'account').tier;
  }
  isFrozen(account: number): boolean {
    return must(this.account(account), 'account').frozen;
  }
  accountTouchedSeq(account: number): number {
    return accountOf(this.state, account)?.touchedSeq ?? 0;
  }
  openSums(account: number): OpenSums {
    const open = this.openPositions(account);
    const pending = open.filter(({ status }) => status === 'PENDING');
    const bets = open.filter(({ status }) => status !== 'PENDING');
    const sumOf = (of: readonly BetView[], field: 'stakeCents' | 'payoutCents'): number =>
      of.reduce((sum, bet) => sum + bet[field], 0);
    const of = (side: number) => bets.filter((bet) => bet.side === side);
    return {
      ...{ openBets: bets.length, openStakesCents: sumOf(bets, 'stakeCents') },
      ...{ payoutUpCents: sumOf(of(UP), 'payoutCents'), payoutDownCents: sumOf(of(DOWN), 'payoutCents') },
      ...{ pendingOrders: pending.length, reservedCents: sumOf(pending, 'stakeCents') },
    };
  }

  openPositions(account: number): BetView[] {
    return reads.positions(this.state, account, 'open', Number.POSITIVE_INFINITY);
  }
  changesPage(account: number, limit: number) {
    return { bets: reads.positions(this.state, account, 'all', limit) };
  }
  /** All bets, from the newest on. */
  betsPage(account: number, { limit }: Pick<BetsQuery, 'limit'>) {
    return { bets: reads.positions(this.state, account, 'orders', limit) };
  }
  rememberedOrder(order: PlaceOrder): Replayed | Rejected | null {
    const remembered = rememberedOrder(this.state, order);
    return remembered === null ? null : nothingDone(remembered);
  }
  totals(): Totals {
    return reads.totals(this.state);
  }
}

function nothingDone(verdict: NothingDone): Replayed | Rejected {
  if ('refused' in verdict) return { status: 'rejected', code: verdict.refused, detail: '' };
  return { status: 'replayed', seq: verdict.replayed.seq, event: verdict.replayed.event };
}
