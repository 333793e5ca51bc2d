/** The tables of a snapshot that have markets and rounds: see `tables.ts`. */
import { integer, integerOrNull, ordered, real, realOrNull, text, textOrNull } from './form.js';

/** All markets, in the order of `MARKET_IDS`. */
export const MARKET = ordered('market', [
  text('market'),
  /** 0 or 1. */
  integer('suspended'),
  /** The round that is UPCOMING, LIVE or LOCKED. */
  integerOrNull('current_round'),
  /** Number of the last round that opened or was voided. */
  integerOrNull('last_round'),
]);

/** Rounds in memory: per market the unsettled ones and the recently settled ones. */
export const ROUND = ordered('round', [
  text('market'),
  integer('round_number'),
  text('status'),
  text('result'),
  integer('start_time_ms'),
  integer('end_time_ms'),
  integer('lock_time_ms'),
  integer('betting_closes_ms'),
  integer('max_price_age_ms'),
  /** Half of the house's seeds. */
  integer('seed_cents'),
  integer('fee_bps'),
  integer('min_stake_cents'),
  integer('max_stake_cents'),
  /** Hundredths of a point. */
  integer('slippage_e2'),
  realOrNull('open_price'),
  realOrNull('close_price'),
  /** Including the seeds. */
  integer('pool_up_cents'),
  integer('pool_down_cents'),
  /** Payout owed to each side if it wins. */
  integer('payout_up_cents'),
  integer('payout_down_cents'),
  integer('bet_count'),
  integer('volume_cents'),
  /** Paid out so far. */
  integer('paid_cents'),
  integerOrNull('resolved_at_ms'),
  text('void_reason'),
  /** From 1 in order of settlement in this market; null until settled. */
  integerOrNull('settled_position'),
  /** How the house quotes, in millionths; all four are null where its seeds are fixed. */
  integerOrNull('shade_e6'),
  integerOrNull('clamp_e6'),
  /** The seeds in UP's pool. */
  integerOrNull('seed_up_cents'),
  integerOrNull('edge_cents'),
  /** Where the open price came from; `open_late` is null where there is none yet, 0 for a boundary's, 1 otherwise. */
  integerOrNull('open_late'),
  integerOrNull('open_price_time_ms'),
  textOrNull('open_source'),
  textOrNull('open_evidence'),
  /** The same of the close price. */
  integerOrNull('close_late'),
  integerOrNull('close_price_time_ms'),
  textOrNull('close_source'),
  textOrNull('close_evidence'),
  /** Fair shares of UP at which bets were placed, millionths; -1 if none was. */
  integer('first_share_e6'),
  integer('last_share_e6'),
  integer('least_share_e6'),
  integer('greatest_share_e6'),
  /** The Merkle root and its signature, in hex; all null until it is on record. */
  textOrNull('merkle_root'),
  integerOrNull('tree_size'),
  textOrNull('key_id'),
  textOrNull('signature'),
  integerOrNull('root_at_ms'),
]);

/** Ended rounds that await a price, oldest first. */
export const AWAITING_PRICE = ordered('awaiting_price', [text('market'), integer('round_number')]);

/** Resolved rounds with bets left to settle, in order of settlement. */
export const SETTLING_ROUND = ordered('settling_round', [
  text('market'),
  integer('round_number'),
  /** The next bet to settle, those before it in the round are settled; 0 if the round has resting orders only. */
  integer('next_bet'),
]);

/** Open price of each asset's most recently opened round. */
export const OPEN_PRICE = ordered('open_price', [
  text('asset'),
  real('price'),
  /** Start of that round. */
  integer('time_ms'),
]);
