/** The rules in force as descriptions say them: an operator may have other ones than the defaults. */
import type { Rules } from '../../engine/model/rules.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** `20 seconds`, `10 minutes`, `2.5 seconds`. */
export function durationInWords(ms: number): string {
  const [count, unit] =
    ms % MINUTE_MS === 0 && ms > 0 ? [ms / MINUTE_MS, 'minute'] : [ms / SECOND_MS, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** `3%` for 300 basis points. */
export const feeInWords = ({ feeBps }: Rules): string => `${feeBps / 100}%`;
/** What the fee leaves of a win: `0.97`. */
export const keptShareInWords = ({ feeBps }: Rules): string => `${(10_000 - feeBps) / 10_000}`;
/** `15 points`. */
export const slippageInWords = ({ slippageE2 }: Rules): string =>
  slippageE2 === 100 ? '1 point' : `${slippageE2 / 100} points`;

/** The text with what the rules say in place of `{fee}`, `{keptShare}` and the others. */
export function inWords(text: string, rules: Rules): string {
  const words = {
    fee: feeInWords(rules),
    keptShare: keptShareInWords(rules),
    cutoff: durationInWords(rules.cutoffMs),
    slippage: slippageInWords(rules),
    memory: durationInWords(rules.idempotencyTtlMs),
    roundsKept: `${rules.settledRoundsMax}`,
    openBetsMax: `${rules.openBetsMax}`,
  };
  return Object.entries(words).reduce((said, [name, word]) => said.replaceAll(`{${name}}`, word), text);
}
