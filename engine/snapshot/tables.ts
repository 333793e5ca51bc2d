/**
 * The tables of a snapshot: the whole state in the specification's terms. Amounts are in cents, times in milliseconds
 * since 1970; markets, sides, tiers, statuses and results are text; accounts, keys and bets are numbers.
 *
 * Links between rows in memory are not stored: they follow from numbers and positions. Sums and counts stored beside
 * their parts are verified on import.
 */
import type { ColumnForm, ColumnType, TableForm } from './form.js';

const column =
  (type: ColumnType, isNullable: boolean) =>
  (name: string): ColumnForm => ({ name, type, isNullable });
const whole = column('INTEGER', false);
const integerOrNull = column('INTEGER', true);
const real = column('REAL', false);
const realOrNull = column('REAL', true);
const text = column('TEXT', false);
const textOrNull = column('TEXT', true);

/** Rows of a numbered table are in the order of their first column. */
const numbered = (name: string, columns: readonly ColumnForm[]): TableForm => ({
  name,
  isNumbered: true,
  columns,
});
const ordered = (name: string, columns: readonly ColumnForm[]): TableForm => ({
  name,
  isNumbered: false,
  columns,
});

/** One row. */
export const ENGINE = numbered('engine', [
  /** Number and time of the last command. */
  whole('seq'),
  whole('time_ms'),
  /** Number of the last command that changed a round's state, an open price or a result. */
  whole('lifecycle_seq'),
  /** Of all outcomes up to `seq`, 16 hex digits. */
  text('rolling_digest'),
  whole('rules_version'),
  /** JSON of the rules in force (`rules.ts`); null before the first `configure`. */
  textOrNull('rules'),
  /** 0 or 1. */
  whole('trading_enabled'),
  text('trading_reason'),
  /** Number of the last bet. */
  whole('bets_placed'),
  whole('house_cents'),
  /** All that ever came in and went out, accounts and house. */
  whole('deposits_cents'),
  whole('withdrawals_cents'),
  /** Sum of all balances, the house's left out. */
  whole('accounts_cents'),
  /** In the pots of unsettled rounds. */
  whole('pots_cents'),
  /** Stakes of bets that are not settled. */
  whole('open_stakes_cents'),
  /** Rows of `account`, `api_key` and `bet`. */
  whole('accounts'),
  whole('keys'),
  whole('bets_retained'),
]);

/** Sessions of asset classes with market hours. A single row without times means no sessions. */
export const MARKET_HOURS = ordered('market_hours', [
  text('asset_class'),
  integerOrNull('open_ms'),
  integerOrNull('close_ms'),
]);

export const ACCOUNT = numbered('account', [
  /** Number from 1: the account's id is `acc_<account>`. */
  whole('account'),
  textOrNull('name'),
  text('tier'),
  whole('balance_cents'),
  /** 0 or 1. */
  whole('frozen'),
  /** Number of the last command that touched the account. */
  whole('touched_seq'),
  whole('open_bets'),
]);

export const API_KEY = numbered('api_key', [
  /** Number from 1: the key's id is `key_<key>`. */
  whole('key'),
  whole('account'),
  /** SHA-256 of the secret, 64 hex digits. */
  text('digest'),
  /** Bit i is scope i of `SCOPES`. */
  whole('scopes_mask'),
  /** 0 or 1. */
  whole('enabled'),
  integerOrNull('expires_at_ms'),
  whole('created_at_ms'),
]);

/** Deposits and withdrawals with their references, unique per account for ever. */
export const TRANSFER = ordered('transfer', [
  /** 0 is the house. */
  whole('account'),
  text('reference'),
  /** Number of the command. */
  whole('seq'),
  whole('time_ms'),
  /** Negative for a withdrawal. */
  whole('amount_cents'),
  /** The account's balance after it. */
  whole('balance_cents'),
]);

/** All markets, in the order of `MARKET_IDS`. */
export const MARKET = ordered('market', [
  text('market'),
  /** 0 or 1. */
  whole('suspended'),
  /** The round that is UPCOMING, LIVE or LOCKED. */
  integerOrNull('current_round'),
  /** Number of the last round that opened or was voided. */
  integerOrNull('last_round'),
]);

/** Rounds in memory: per market the unsettled ones and the recently settled ones. */
export const ROUND = ordered('round', [
  text('market'),
  whole('round_number'),
  text('status'),
  text('result'),
  whole('start_time_ms'),
  whole('end_time_ms'),
  whole('lock_time_ms'),
  whole('betting_closes_ms'),
  whole('max_price_age_ms'),
  /** On each side, from the house. */
  whole('seed_cents'),
  whole('fee_bps'),
  whole('min_stake_cents'),
  whole('max_stake_cents'),
  /** Hundredths of a point. */
  whole('slippage_e2'),
  realOrNull('open_price'),
  realOrNull('close_price'),
  /** With the seeds. */
  whole('pool_up_cents'),
  whole('pool_down_cents'),
  /** What each side would be paid if it won. */
  whole('payout_up_cents'),
  whole('payout_down_cents'),
  whole('bet_count'),
  whole('volume_cents'),
  /** What was paid for the bets that are settled. */
  whole('paid_cents'),
  integerOrNull('resolved_at_ms'),
  text('void_reason'),
  /** From 1 in order of settlement in this market; null until settled. */
  integerOrNull('settled_position'),
]);

/** Rounds that ended and have no price yet, oldest first. */
export const AWAITING_PRICE = ordered('awaiting_price', [text('market'), whole('round_number')]);

/** Resolved rounds with bets left to settle, in order of settlement. */
export const SETTLING_ROUND = ordered('settling_round', [
  text('market'),
  whole('round_number'),
  /** The bet that is settled next; those of the round with smaller numbers are settled. */
  whole('next_bet'),
]);

/** Open price of each asset's most recently opened round. */
export const OPEN_PRICE = ordered('open_price', [
  text('asset'),
  real('price'),
  /** Start of that round. */
  whole('time_ms'),
]);

/** Bets in memory: all open ones, and per account the recently placed and recently settled ones. */
export const BET = numbered('bet', [
  /** Number from 1: the bet's id is `bet_<bet>`. */
  whole('bet'),
  whole('account'),
  text('market'),
  whole('round_number'),
  text('side'),
  whole('stake_cents'),
  /** Odds at the bet, 1e-4. */
  whole('odds_e4'),
  /** What a WIN pays. */
  whole('payout_cents'),
  whole('placed_at_ms'),
  /** null while open. */
  integerOrNull('settled_at_ms'),
  /** NONE while open. */
  text('result'),
  /** Number of the command that changed the bet last. */
  whole('changed_seq'),
  /** 1 where the bet is one of the account's last placed. */
  whole('recently_placed'),
  /** From 1 among the account's last settled bets, in the order of settlement; null elsewhere. */
  integerOrNull('settled_position'),
]);

/** Unexpired Idempotency-Keys, each with every fact of its response. */
export const IDEMPOTENCY = numbered('idempotency', [
  /** Number of the command that placed the bet. */
  whole('seq'),
  whole('account'),
  /** Digest of the key, 96 bits in two numbers below 2^48. */
  whole('key_high'),
  whole('key_low'),
  /** Digest of the body, 48 bits. */
  whole('body'),
  whole('bet'),
  text('market'),
  whole('round_number'),
  text('side'),
  whole('stake_cents'),
  whole('odds_e4'),
  /** Hundredths of a point, after the stake joined. */
  whole('entry_percent_e2'),
  whole('payout_cents'),
  whole('new_balance_cents'),
  whole('placed_at_ms'),
  textOrNull('client_seed'),
]);

/** In the order of export. */
export const TABLES: readonly TableForm[] = [
  ENGINE,
  MARKET_HOURS,
  ACCOUNT,
  API_KEY,
  TRANSFER,
  MARKET,
  ROUND,
  AWAITING_PRICE,
  SETTLING_ROUND,
  OPEN_PRICE,
  BET,
  IDEMPOTENCY,
];
