/** Parts of all example bots: their surroundings, and placing a bet in one round. */
import {
  type Market,
  type OrderToPlace,
  type PlacedOrder,
  type Round,
  type ToteClient,
  ToteError,
} from '../index.js';

export interface BotContext {
  readonly tote: ToteClient;
  /** One look at the market after the other; the bot ends when they do. */
  readonly markets: AsyncIterable<Market>;
  readonly log: (line: string) => void;
}

export type Bot = (context: BotContext) => Promise<void>;

/** A first attempt needs this long to arrive before betting closes. */
const MARGIN_MS = 1_000;

/** null unless the round takes bets and will for another second. */
export function openRound({ currentRound }: Market): Round | null {
  if (currentRound?.status !== 'LIVE') return null;
  return currentRound.timeToBettingClose > MARGIN_MS ? currentRound : null;
}

/** A bet's own odds are a little less than those seen, and others may bet before it: this share is insisted on. */
const CAUTION = 0.9;

/** The least odds to take where these were seen: `minOdds`, which is never below 1. */
export const cautiousOdds = (seenOdds: number): number =>
  Math.max(1, Math.floor(seenOdds * CAUTION * 10_000) / 10_000);

/** Refusals of this moment: the next look at the market may find another. */
const PASSING: readonly string[] = [
  ...['stale_price', 'price_held', 'price_source_changed', 'price_too_coarse'],
  ...['odds_changed', 'round_changed', 'round_exposure_limit', 'round_not_live', 'betting_closed'],
  ...['trading_disabled', 'market_suspended', 'disk_reserve', 'idempotency_key_reused'],
  'insufficient_balance',
];

/**
 * Places a bet in this round or not at all. `name` stands for the bet among the bot's own in this round: the
 * Idempotency-Key is made of both, so that a bot that was started anew does not place it a second time. null if it was
 * refused, or nobody knows; then the same call finds out.
 */
export async function placeIn(
  round: Round,
  name: string,
  order: OrderToPlace,
  { tote, log }: BotContext,
): Promise<PlacedOrder | null> {
  try {
    const placed = await tote.placeOrder(
      { ...order, roundId: round.id, clientOrderId: name },
      { idempotencyKey: `${name}:${round.id}` },
    );
    const { id, oddsAtBet } = placed.bet;
    log(
      `${id}: ${order.amount} on ${order.prediction} at ${oddsAtBet} in ${round.id}; ${placed.newBalance} left`,
    );
    return placed;
  } catch (error) {
    if (!(error instanceof ToteError)) throw error;
    if (!PASSING.includes(error.code) && !error.isOutcomeUnknown) throw error;
    log(`no bet in ${round.id}: ${error.message}`);
    return null;
  }
}
