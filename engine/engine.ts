/**
 * The deterministic state machine: `(state, command) -> outcome`, in memory, on one thread,
 * without I/O, clock or randomness. The same commands always give the same outcomes and digests.
 */
import { fail, must } from './base/assert.js';
import { RollingDigest } from './digest/rolling.js';
import { dispatch } from './handlers/dispatch.js';
import { isFillable } from './handlers/fills.js';
import { nextExpiryMs, rowOf } from './handlers/limit-orders.js';
import { vacantMarkets } from './handlers/opening.js';
import { placeOrder, quoteOrder, quoteParts, rememberedOrder, seenKey } from './handlers/orders.js';
import type { BetsPage, BetsQuery, Listed } from './model/bet-pages.js';
import type { Command, IdempotencyDigest, OrderGuards, PlaceOrder } from './model/commands.js';
import type { ErrorCode } from './model/errors.js';
import type { Accepted, BalanceMoved, EngineEvent, Outcome, Rejected, Replayed } from './model/events.js';
import type { DayResults } from './model/loss-limits.js';
import type { NewHasher } from './model/ports.js';
import type { PriceEstimate } from './model/prices.js';
import type { MarketRules, Rules } from './model/rules.js';
import type { Setup } from './model/setup.js';
import type {
  AccountView,
  BetView,
  KeyView,
  OpenPrice,
  OpenSums,
  OrderQuote,
  PartsQuote,
  RoundView,
  SeenKey,
  Totals,
} from './model/views.js';
import { betView, openPositions } from './reads/bets.js';
import { betsPage, changesPage } from './reads/pages.js';
import { RoundBets } from './reads/round-bets.js';
import type { ReadTable } from './snapshot/columns.js';
import { type ExportedTable, exportTables, importTables } from './snapshot/tables.js';
import { type Sessions, State } from './state/state.js';

/** Read access: state changes only through commands. The reference model of the tests has the same. */
export type EngineReads = Omit<
  Engine,
  | 'apply'
  | 'placeOrder'
  | 'exportTables'
  | 'rollingDigest'
  | 'stateDigest'
  | 'roundBets'
  | 'order'
  | 'betsPage'
  | 'changesPage'
  | 'quoteOrder'
  | 'quoteParts'
  | 'seenKey'
  | 'transfer'
>;

export class Engine {
  #state = new State();
  readonly #digest = new RollingDigest();

  /** Restores the engine that `exportTables` wrote. Throws AssertionError if the tables contradict each other. */
  static fromTables(read: ReadTable): Engine {
    const { state, rollingDigest } = importTables(read);
    const engine = new Engine();
    engine.#state = state;
    engine.#digest.resume(rollingDigest);
    return engine;
  }

  /** The whole state as tables. Rows are generated as they are read: apply no command until the last one has been. */
  exportTables(): Iterable<ExportedTable> {
    return exportTables(this.#state, this.rollingDigest());
  }

  /**
   * Applies one command. Only an accepted command changes the state and gets a sequence number. `gate` is the host's
   * reason to refuse new orders, or null; `guards` are those of an order. A command older than the last accepted one is
   * a programming error.
   */
  apply(command: Command, gate: ErrorCode | null = null, guards: OrderGuards | null = null): Outcome {
    if (command.kind === 'placeOrder') return this.placeOrder(command, gate, guards);
    const state = this.#state;
    const { timeMs } = command;
    if (!(timeMs >= state.timeMs)) fail(`command ${command.kind} is from before engine time`);
    const effect = dispatch(state, command, gate);
    return Array.isArray(effect) ? this.#accept(timeMs, effect) : effect;
  }

  /** `apply` for orders. Kept apart because the many shapes of other commands would make property reads megamorphic. */
  placeOrder(order: PlaceOrder, gate: ErrorCode | null, guards: OrderGuards | null = null): Outcome {
    const state = this.#state;
    const { timeMs } = order;
    if (!(timeMs >= state.timeMs)) fail('an order is from before engine time');
    const effect = placeOrder(state, order, gate, guards);
    if ('status' in effect) return effect;
    if (Array.isArray(effect)) return this.#accept(timeMs, effect);
    const seq = state.nextSeq;
    state.seq = seq;
    state.timeMs = timeMs;
    this.#digest.foldPlaced(seq, effect);
    return { status: 'accepted', seq, events: [effect] };
  }

  #accept(timeMs: number, events: EngineEvent[]): Accepted {
    const state = this.#state;
    const seq = state.nextSeq;
    state.seq = seq;
    state.timeMs = timeMs;
    this.#digest.foldOutcome(seq, events);
    return { status: 'accepted', seq, events };
  }

  /** Digest of all outcomes so far, 16 hex digits. */
  rollingDigest(): string {
    return this.#digest.hex();
  }
  /**
   * SHA-256 over the tables of a snapshot, which are the full state in a canonical order, 64 hex digits. It covers content
   * only, not where a row is in memory or what has expired, and takes time proportional to the state's size.
   */
  stateDigest(newHasher: NewHasher): string {
    const hasher = newHasher();
    for (const { form, blocks } of this.exportTables()) {
      hasher.update(`${form.name}\n`);
      for (const block of blocks) hasher.update(block);
    }
    return hasher.digestHex();
  }

  /** Number of the last accepted command; 0 before the first. */
  get seq(): number {
    return this.#state.seq;
  }
  /** Engine time: that of the last accepted command. */
  get timeMs(): number {
    return this.#state.timeMs;
  }
  /** Number of the last command that changed a round's state, an open price or a result. */
  get lifecycleSeq(): number {
    return this.#state.lifecycleSeq;
  }
  /** When `advance` next has work; Infinity if nothing is due. */
  get nextDueMs(): number {
    return this.#state.markets.nextDueMs;
  }
  /** Whether `settle` has work. */
  get settlementsWaiting(): boolean {
    return this.#state.markets.settling.length > 0;
  }
  /** Number of resting limit orders, of all rounds. */
  get restingOrders(): number {
    return this.#state.books.orders;
  }
  /** When `expireOrders` next has work; Infinity if nothing rests. */
  get nextExpiryMs(): number {
    return nextExpiryMs(this.#state);
  }
  /** Whether `fillOrders` would fill an order at this fair share and time. */
  isFillable(market: number, fairShareE6: number, timeMs: number): boolean {
    return isFillable(this.#state, market, fairShareE6, timeMs);
  }
  /** null before the first `configure`. */
  get rules(): Rules | null {
    return this.#state.rules;
  }
  get rulesVersion(): number {
    return this.#state.rulesVersion;
  }
  /** null before the first `declareSetup`. */
  get setup(): Setup | null {
    return this.#state.setup;
  }
  get trading(): { readonly enabled: boolean; readonly reason: string } {
    return this.#state.trading;
  }
  get accountCount(): number {
    return this.#state.accounts.count;
  }
  get betsPlaced(): number {
    return this.#state.bets.placedCount;
  }
  /** Open, or among the last placed or settled of their account. */
  get betsRetained(): number {
    return this.#state.bets.retainedCount;
  }
  get keyCount(): number {
    return this.#state.keys.count;
  }

  /** null if the market is not active. */
  marketRules(market: number): MarketRules | null {
    return this.#state.markets.market(market).rules;
  }
  isSuspended(market: number): boolean {
    return this.#state.markets.market(market).isSuspended;
  }
  /** Number of the last command that suspended the market; 0 while it is active. */
  suspendedSeq(market: number): number {
    return this.#state.markets.market(market).suspendedSeq;
  }
  /** The market's round that is UPCOMING, LIVE or LOCKED, or null. */
  currentRound(market: number): RoundView | null {
    return this.#state.markets.market(market).current;
  }
  /** Any round still in memory. */
  round(market: number, roundNumber: number): RoundView | null {
    return this.#state.markets.market(market).rounds.get(roundNumber) ?? null;
  }
  /** Ended rounds: first those in settlement, then those that await a price; each oldest first. */
  unsettledRounds(): readonly RoundView[] {
    return [...this.#state.markets.settling, ...this.#state.markets.awaitingPrice];
  }
  /** Open price of the asset's most recently opened round, or null. */
  latestOpenPrice(asset: number): OpenPrice | null {
    return this.#state.markets.latestOpenPrices[asset] ?? null;
  }
  /** The house's results on the day (UTC) of `timeMs`, which is not before engine time. */
  dayResults(timeMs: number): DayResults {
    return this.#state.day.at(timeMs);
  }
  /** How the asset's price moves, as of its last boundary price that said so; null before the first. */
  estimate(asset: number): PriceEstimate | null {
    return this.#state.estimates[asset] ?? null;
  }
  /** Markets of the asset in which `openLate` opens a round now, given a fresh price and a house that can pay. */
  vacantMarkets(asset: number, timeMs: number): readonly number[] {
    return vacantMarkets(this.#state, asset, timeMs);
  }
  /** Market hours in force, by `ASSET_CLASSES` index; null for a class that is always open. */
  sessions(assetClass: number): Sessions | null {
    return this.#state.sessions[assetClass] ?? null;
  }

  /** The key must exist. */
  key(key: number): KeyView {
    return this.#state.keys.view(key);
  }
  /** SHA-256 of the key's secret, 64 hex digits. */
  keyDigest(key: number): string {
    return this.#state.keys.digest(key);
  }
  keysOf(account: number): readonly KeyView[] {
    return this.#state.keys.ofAccount(account);
  }
  account(account: number): AccountView | null {
    return this.#state.accounts.has(account) ? this.#state.accounts.view(account) : null;
  }
  /** Two fields of an account that exists, for every order. */
  tier(account: number): number {
    return this.#state.accounts.tier(account);
  }
  isFrozen(account: number): boolean {
    return this.#state.accounts.isFrozen(account);
  }
  /** Number of the last command that touched the account. */
  accountTouchedSeq(account: number): number {
    return this.#state.accounts.touchedSeq(account);
  }
  /** The bets of a round that is not resolved, in the order in which they joined it. */
  roundBets(market: number, roundNumber: number): RoundBets {
    const { bets, markets } = this.#state;
    return new RoundBets(bets, must(markets.market(market).rounds.get(roundNumber), 'a round in memory'));
  }
  /** Open bets, most recently placed first. */
  openPositions(account: number): BetView[] {
    return openPositions(this.#state, account);
  }
  openSums(account: number): OpenSums {
    return this.#state.accounts.openSums(account);
  }
  /** null if the bet is not in memory or another account's. */
  order(account: number, bet: number): BetView | null {
    const row = rowOf(this.#state, account, bet);
    return row === 0 ? null : betView(this.#state, row);
  }
  /** Bets in memory, most recently placed first. */
  betsPage(account: number, query: BetsQuery): BetsPage {
    return betsPage(this.#state, account, query);
  }
  /** Open bets and the last settled ones, the last placed or ended first, and the rows that later pages list. */
  changesPage(account: number, limit: number): BetsPage & { readonly rest: Listed } {
    return changesPage(this.#state, account, limit);
  }
  /** A replay or a refusal if the order's Idempotency-Key is remembered, else null. */
  rememberedOrder(order: PlaceOrder): Replayed | Rejected | null {
    return rememberedOrder(this.#state, order);
  }
  /** The answer that the order would get if it is not remembered; `gate` and `guards` as when it is placed. */
  quoteOrder(order: PlaceOrder, gate: ErrorCode | null, guards: OrderGuards | null): OrderQuote {
    return quoteOrder(this.#state, order, gate, guards);
  }
  /** The same for an order in `parts` equal parts. */
  quoteParts(
    order: PlaceOrder,
    gate: ErrorCode | null,
    guards: OrderGuards | null,
    parts: number,
  ): PartsQuote {
    return quoteParts(this.#state, order, gate, guards, parts);
  }

  seenKey(account: number, digest: IdempotencyDigest, nowMs: number): SeenKey {
    return seenKey(this.#state, account, digest, nowMs);
  }

  /** The transfer of the account (0 is the house) under this reference, or null. */
  transfer(account: number, reference: string): BalanceMoved | null {
    return this.#state.house.reference(account, reference)?.event ?? null;
  }

  totals(): Totals {
    const { accounts, books, house, markets } = this.#state;
    return {
      houseCents: house.balanceCents,
      accountsCents: accounts.totalCents,
      openStakesCents: markets.openStakesCents,
      openSeedsCents: markets.potsCents - markets.openStakesCents,
      reservedStakesCents: books.reservedCents,
      depositsCents: house.depositsCents,
      withdrawalsCents: house.withdrawalsCents,
    };
  }
}
