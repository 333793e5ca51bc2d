/**
 * Prices that are held back as absurd, on the engine's thread. An operator who knows that a price is right need not wait
 * until later ones have agreed with it. What is confirmed is journaled before it takes effect.
 */
import type { PriceTracker } from '../../../engine/host/price-tracker.js';
import { ASSETS, textAt } from '../../../engine/model/domain.js';
import { Refused } from '../../kit/refused.js';
import type { AskOf } from './dealings.js';
import { type Facts, facts, taken } from './reply.js';
import type { Submitter } from './submitter.js';

/** The price that an operator has seen may differ by this part from the one that is held back now. */
const SEEN_WITHIN = 0.01;

export interface HeldPriceOptions {
  readonly tracker: PriceTracker;
}

/** The fact is the price that is believed from now on: the last of those that agree. */
export function confirmPrice(
  { tracker }: HeldPriceOptions,
  sequencer: Submitter,
  { asset, price: seen, reason }: AskOf<'confirmPrice'>,
): Facts<number> | Refused {
  const held = tracker.held(asset);
  if (held === null) {
    return new Refused('price_not_held', `no price of ${textAt(ASSETS, asset)} is held back`);
  }
  const { price } = held.last;
  if (Math.abs(price - seen) > SEEN_WITHIN * price) {
    return new Refused('price_not_held', `the price that is held back is ${price}, not ${seen}`);
  }
  const timeMs = sequencer.stampMs();
  const outcome = taken(sequencer.submit({ kind: 'confirmPrice', timeMs, asset, price, reason }));
  if (outcome instanceof Refused) return outcome;
  tracker.confirmHeld(asset, timeMs);
  return facts(price, 'all');
}

/** As status shows them, by asset. */
export function heldPrices(tracker: PriceTracker): Record<string, unknown> {
  const shown = ASSETS.flatMap((crypto, asset) => {
    const held = tracker.held(asset);
    if (held === null) return [];
    const { last, sinceMs, agreeing } = held;
    const since = new Date(sinceMs).toISOString();
    return [[crypto, { price: last.price, source: last.source, since, ticks: agreeing + 1 }] as const];
  });
  return Object.fromEntries(shown);
}
