/**
 * Outcomes of commands, and some events, by kind, that random streams and long runs of the simulator must have met: a
 * run that reaches nothing proves nothing.
 */
import type { Command } from '../../../engine/model/commands.js';
import { NO_LIMIT } from '../../../engine/model/domain.js';

type Outcomes = Readonly<Record<string, readonly string[]>>;

const OF_ORDERS = [
  ...['accepted', 'replayed', 'clock_unsynchronised', 'idempotency_full', 'idempotency_key_reused'],
  ...['insufficient_balance', 'market_not_found', 'market_suspended', 'round_not_live'],
  ...['stake_out_of_range', 'stale_price', 'too_many_open_bets', 'trading_disabled'],
];
const MOVED_ONCE = ['accepted', 'replayed', 'reference_conflict'];

const EVERYWHERE: Outcomes = {
  configure: ['accepted'],
  advance: ['accepted'],
  setCalendar: ['accepted'],
  boundaryPrice: ['accepted'],
  openLate: ['accepted'],
  settle: ['accepted'],
  placeOrder: [...OF_ORDERS, 'betting_closed', 'odds_changed', 'round_exposure_limit'],
  limitOrder: OF_ORDERS,
  cancelOrder: ['accepted', 'order_not_found', 'order_not_pending'],
  cancelOrders: ['accepted', 'order_not_pending'],
  fillOrders: ['accepted'],
  expireOrders: ['accepted'],
  createAccount: MOVED_ONCE,
  updateAccount: ['accepted'],
  deposit: MOVED_ONCE,
  withdraw: [...MOVED_ONCE, 'insufficient_balance'],
  depositHouse: MOVED_ONCE,
  createKey: ['accepted', 'tier_too_low', 'too_many_keys'],
  updateKey: ['accepted', 'key_expired', 'too_many_keys'],
  setTrading: ['accepted'],
  suspendMarket: ['accepted', 'market_not_found'],
  voidRound: ['accepted', 'round_not_found', 'round_already_resolved'],
};

/** A server never asks these of its engine. */
const IN_STREAMS: Outcomes = {
  createAccount: ['invalid_request'],
  declareSetup: ['accepted'],
  withdrawHouse: [...MOVED_ONCE, 'insufficient_balance'],
  expireKey: ['accepted', 'invalid_request', 'key_not_found'],
  rotateKey: ['accepted', 'key_disabled', 'key_expired', 'key_not_found', 'tier_too_low', 'too_many_keys'],
  configure: ['lossLimitReached'],
  settle: ['invalid_request', 'lossLimitReached'],
  ...Object.fromEntries(
    ['advance', 'boundaryPrice', 'openLate', 'fillOrders', 'expireOrders'].map((kind) => [
      kind,
      ['invalid_request'],
    ]),
  ),
  ...Object.fromEntries(
    ['updateAccount', 'deposit', 'withdraw', 'createKey'].map((kind) => [kind, ['account_not_found']]),
  ),
  updateKey: ['key_not_found'],
  setDeadman: ['accepted', 'key_not_found'],
};

const BUSY = ['disk_reserve', 'journal_backlog'];
const GUARDED = ['order_expired', 'round_changed'];

/** These depend on the edge of a server, or on a round's root. */
const IN_WORLDS: Outcomes = {
  placeOrder: [...BUSY, ...GUARDED, 'shutting_down'],
  limitOrder: [...BUSY, ...GUARDED, 'betting_closed'],
  cancelOrder: [...BUSY, 'clock_unsynchronised'],
  publishRoot: ['accepted', 'invalid_request'],
};

/** Orders with a limit are a kind of their own. */
export const outcomeKind = (command: Command): string =>
  command.kind === 'placeOrder' && command.limitOddsE4 !== NO_LIMIT ? 'limitOrder' : command.kind;

const named = (...all: readonly Outcomes[]): string[] =>
  all.flatMap((outcomes) =>
    Object.entries(outcomes).flatMap(([kind, words]) => words.map((word) => `${kind} ${word}`)),
  );

export const STREAM_OUTCOMES = named(EVERYWHERE, IN_STREAMS);
export const WORLD_OUTCOMES = named(EVERYWHERE, IN_WORLDS);
