/**
 * The tables of a snapshot: the whole state in the specification's terms. Amounts are in cents, times in milliseconds
 * since 1970; markets, sides, tiers, statuses and results are text; accounts, keys and bets are numbers.
 *
 * Links between rows in memory are not stored: they follow from numbers and positions. Sums and counts stored beside
 * their parts are verified on import.
 */
import { integer, integerOrNull, numbered, ordered, type TableForm, text, textOrNull } from './form.js';
import { AWAITING_PRICE, MARKET, OPEN_PRICE, ROUND, SETTLING_ROUND } from './market-tables.js';

/** One row. */
export const ENGINE = numbered('engine', [
  /** Number and time of the last command. */
  integer('seq'),
  integer('time_ms'),
  /** Number of the last command that changed a round's state, an open price or a result. */
  integer('lifecycle_seq'),
  /** Of all outcomes up to `seq`, 16 hex digits. */
  text('rolling_digest'),
  integer('rules_version'),
  /** JSON of the rules in force (`rules.ts`); null before the first `configure`. */
  textOrNull('rules'),
  /** 0 or 1. */
  integer('trading_enabled'),
  text('trading_reason'),
  /** Number of the last bet. */
  integer('bets_placed'),
  integer('house_cents'),
  /** All deposits and withdrawals ever, of accounts and house. */
  integer('deposits_cents'),
  integer('withdrawals_cents'),
  /** Sum of all balances except the house's. */
  integer('accounts_cents'),
  /** In the pots of unsettled rounds. */
  integer('pots_cents'),
  /** Stakes of bets that are not settled. */
  integer('open_stakes_cents'),
  /** Rows of `account`, `api_key` and `bet`. */
  integer('accounts'),
  integer('keys'),
  integer('bets_retained'),
]);

/** Sessions of asset classes with market hours. A single row without times means no sessions. */
export const MARKET_HOURS = ordered('market_hours', [
  text('asset_class'),
  integerOrNull('open_ms'),
  integerOrNull('close_ms'),
]);

/** The directory's setup, one row per fact of `Setup`; empty if none was declared. */
export const SETUP = ordered('setup', [text('name'), text('value')]);

export const ACCOUNT = numbered('account', [
  /** Number from 1: the account's id is `acc_<account>`. */
  integer('account'),
  textOrNull('name'),
  text('tier'),
  integer('balance_cents'),
  /** 0 or 1. */
  integer('frozen'),
  /** Number of the last command that touched the account. */
  integer('touched_seq'),
  integer('open_bets'),
]);

export const API_KEY = numbered('api_key', [
  /** Number from 1: the key's id is `key_<key>`. */
  integer('key'),
  integer('account'),
  /** SHA-256 of the secret, 64 hex digits. */
  text('digest'),
  /** Bit i is scope i of `SCOPES`. */
  integer('scopes_mask'),
  /** 0 or 1. */
  integer('enabled'),
  integerOrNull('expires_at_ms'),
  integer('created_at_ms'),
]);

/** Deposits and withdrawals with their references, unique per account for ever. */
export const TRANSFER = ordered('transfer', [
  /** 0 is the house. */
  integer('account'),
  text('reference'),
  /** Number of the command. */
  integer('seq'),
  integer('time_ms'),
  /** Negative for a withdrawal. */
  integer('amount_cents'),
  /** The account's balance after it. */
  integer('balance_cents'),
]);

/** Bets in memory: all open ones, and per account the recently placed and recently settled ones. */
export const BET = numbered('bet', [
  /** Number from 1: the bet's id is `bet_<bet>`. */
  integer('bet'),
  integer('account'),
  text('market'),
  integer('round_number'),
  text('side'),
  integer('stake_cents'),
  /** Odds at the bet, 1e-4. */
  integer('odds_e4'),
  /** What a WIN pays. */
  integer('payout_cents'),
  integer('placed_at_ms'),
  /** null while open. */
  integerOrNull('settled_at_ms'),
  /** NONE while open; CANCELLED or EXPIRED for a limit order that ended unfilled. */
  text('result'),
  /** Number of the command that placed the bet or, once it is settled, of that one. */
  integer('changed_seq'),
  /** 1 if the bet is among the account's recently placed. */
  integer('recently_placed'),
  /** From 1 among the account's recently settled bets, in order of settlement; null otherwise. */
  integerOrNull('settled_position'),
  /** Hundredths of a point, after the stake joined; 0 for an order that rests. */
  integer('entry_percent_e2'),
  textOrNull('client_seed'),
]);

/** What limit orders have besides; a row for each that is in `bet`. */
export const LIMIT_ORDER = numbered('limit_order', [
  integer('bet'),
  integer('limit_odds_e4'),
  /** null for one that rests, or that ended unfilled. */
  integerOrNull('filled_at_ms'),
  /** 1 if it has rested, 0 if it was placed at once. */
  integer('rested'),
]);

/**
 * Unsettled bets that joined their round after one with a higher number: limit orders that have rested. In the order in which
 * they joined it, round by round.
 */
export const LATE_BET = ordered('late_bet', [
  integer('bet'),
  /** The bet of the round just before it. */
  integer('after_bet'),
]);

/** Unexpired Idempotency-Keys, each with every fact of its response. */
export const IDEMPOTENCY = numbered('idempotency', [
  /** Number of the command that placed the bet. */
  integer('seq'),
  integer('account'),
  /** Digest of the key, 96 bits in two numbers below 2^48. */
  integer('key_high'),
  integer('key_low'),
  /** Digest of the body, 48 bits. */
  integer('body'),
  integer('bet'),
  text('market'),
  integer('round_number'),
  text('side'),
  integer('stake_cents'),
  integer('odds_e4'),
  /** Hundredths of a point, after the stake joined. */
  integer('entry_percent_e2'),
  integer('payout_cents'),
  integer('new_balance_cents'),
  integer('placed_at_ms'),
  textOrNull('client_seed'),
  /** null but for limit orders; `rested` is 1 if the answer was PENDING. */
  integerOrNull('limit_odds_e4'),
  integerOrNull('rested'),
  /** JSON of `LimitFills`, or null. */
  textOrNull('filled'),
]);

/** In the order of export. */
export const TABLES: readonly TableForm[] = [
  ENGINE,
  SETUP,
  MARKET_HOURS,
  ACCOUNT,
  API_KEY,
  TRANSFER,
  MARKET,
  ROUND,
  AWAITING_PRICE,
  SETTLING_ROUND,
  OPEN_PRICE,
  LIMIT_ORDER,
  BET,
  LATE_BET,
  IDEMPOTENCY,
];
