/** Values of the rules in force as text, for descriptions: an operator may have changed the defaults. */
import type { Rules } from '../../engine/model/rules.js';
import { suggestedMarket } from './order.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** `20 seconds`, `10 minutes`, `2.5 seconds`. */
export function describeDuration(ms: number): string {
  const [count, unit] =
    ms % MINUTE_MS === 0 && ms > 0 ? [ms / MINUTE_MS, 'minute'] : [ms / SECOND_MS, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** `3%` for 300 basis points. */
export const describeFee = ({ feeBps }: Rules): string => `${feeBps / 100}%`;
/** The share of a win that is left after the fee: `0.97`. */
export const describeKeptShare = ({ feeBps }: Rules): string => `${(10_000 - feeBps) / 10_000}`;
/** `15 points`. */
export const describeSlippage = ({ slippageE2 }: Rules): string =>
  slippageE2 === 100 ? '1 point' : `${slippageE2 / 100} points`;

/** Replaces `{fee}`, `{keptShare}` and the others in a text by values of the rules. */
export function fillInRules(text: string, rules: Rules): string {
  const words = {
    fee: describeFee(rules),
    keptShare: describeKeptShare(rules),
    cutoff: describeDuration(rules.cutoffMs),
    slippage: describeSlippage(rules),
    memory: describeDuration(rules.idempotencyTtlMs),
    roundsKept: `${rules.settledRoundsMax}`,
    openBetsMax: `${rules.openBetsMax}`,
    suggestedMarket: suggestedMarket(rules),
  };
  return Object.entries(words).reduce((said, [name, word]) => said.replaceAll(`{${name}}`, word), text);
}
