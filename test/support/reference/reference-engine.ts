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
  liftedOf,
  marketRulesOf,
  type NothingDone,
  ReferenceState,
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

export class ReferenceEngine extends ReferenceState implements EngineReads {
  apply(command: Command, gate: ErrorCode | null = null, guards: OrderGuards | null = null): Outcome {
    assert(command.timeMs >= this.timeMs, 'time never goes backwards');
    assert(command.kind === 'configure' || this.rules !== null, 'configure comes first');
    const decide = DECISIONS[command.kind] as Decision<Command['kind']>;
    const verdict = decide(this, command as never, gate, guards);
    if (!('events' in verdict)) return nothingDone(verdict);
    this.seq += 1;
    this.timeMs = command.timeMs;
    for (const event of verdict.events) this.#touch(command, event);
    return { status: 'accepted', seq: this.seq, events: verdict.events };
  }

  #touch({ kind }: Command, event: EngineEvent): void {
    const isLifecycle = event.type.startsWith('ro') || kind === 'settle';
    if (isLifecycle) this.lifecycleSeq = this.seq;
    if (!('account' in event)) return;
    const account = accountOf(this, event.account);
    if (account !== null) account.touchedSeq = this.seq;
  }

  get nextDueMs(): number {
    return reads.nextDueMs(this);
  }
  get settlementsWaiting(): boolean {
    return this.resolved.length > 0;
  }
  get restingOrders(): number {
    return this.bets.filter((bet) => bet.round.resting.includes(bet)).length;
  }
  get nextExpiryMs(): number {
    return limits.nextExpiryMs(this);
  }
  isFillable(market: number, fairShareE6: number, timeMs: number): boolean {
    return limits.isFillable(this, market, fairShareE6, timeMs);
  }
  get accountCount(): number {
    return this.accounts.length;
  }
  get betsPlaced(): number {
    return this.bets.length;
  }
  get betsRetained(): number {
    return this.accounts.reduce((sum, account) => sum + reads.retained(account).size, 0);
  }
  get keyCount(): number {
    return this.keys.length;
  }

  marketRules(market: number) {
    return marketRulesOf(this, market);
  }
  isSuspended(market: number): boolean {
    return this.suspendedSeq(market) > 0;
  }
  suspendedSeq(market: number): number {
    return must(this.markets[market], 'market').suspendedSeq;
  }
  currentRound(market: number): RoundView | null {
    const current = this.markets[market]?.current ?? null;
    return current === null ? null : reads.roundView(current);
  }
  round(market: number, roundNumber: number): RoundView | null {
    return reads.findRound(this, market, roundNumber);
  }
  unsettledRounds(): readonly RoundView[] {
    const waiting = this.settling.filter((round) => round.resolvedAtMs === null);
    return [...this.resolved, ...waiting].map(reads.roundView);
  }
  latestOpenPrice(asset: number) {
    return this.openPrices[asset] ?? null;
  }
  dayResults(timeMs: number) {
    return {
      resultCents: LOSS_SCOPES.map((_, scope) => resultOf(this, scope, timeMs)),
      liftedCents: LOSS_SCOPES.map((_, scope) => liftedOf(this, scope, timeMs)),
    };
  }
  estimate(asset: number) {
    return this.estimates[asset] ?? null;
  }
  vacantMarkets(asset: number, timeMs: number): readonly number[] {
    return reads.vacantMarkets(this, asset, timeMs);
  }
  sessions(assetClass: number): readonly (readonly [number, number])[] | null {
    assert(assetClass < ASSET_CLASSES.length, 'a class of assets');
    return this.calendars[assetClass] ?? null;
  }
  keyDigest(key: number): string {
    return must(this.keys[key - 1], 'key').digest;
  }
  key(key: number): KeyView {
    return reads.keyView(must(this.keys[key - 1], 'key'));
  }
  keysOf(account: number): readonly KeyView[] {
    return this.keys.filter((key) => key.account === account).map(reads.keyView);
  }
  account(account: number): AccountView | null {
    const found = accountOf(this, account);
    return found === null ? null : reads.accountView(found);
  }
  tier(account: number): number {
    return must(this.account(account), 'account').tier;
  }
  isFrozen(account: number): boolean {
    return must(this.account(account), 'account').frozen;
  }
  accountTouchedSeq(account: number): number {
    return accountOf(this, account)?.touchedSeq ?? 0;
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
    return reads.positions(this, account, 'open', Number.POSITIVE_INFINITY);
  }
  changesPage(account: number, limit: number) {
    return { bets: reads.positions(this, account, 'all', limit) };
  }
  /** All bets, from the newest on. */
  betsPage(account: number, { limit }: Pick<BetsQuery, 'limit'>) {
    return { bets: reads.positions(this, account, 'orders', limit) };
  }
  rememberedOrder(order: PlaceOrder): Replayed | Rejected | null {
    const remembered = rememberedOrder(this, order);
    return remembered === null ? null : nothingDone(remembered);
  }
  totals(): Totals {
    return reads.totals(this);
  }
}

function nothingDone(verdict: NothingDone): Replayed | Rejected {
  if ('refused' in verdict) return { status: 'rejected', code: verdict.refused, detail: '' };
  return { status: 'replayed', seq: verdict.replayed.seq, event: verdict.replayed.event };
}
