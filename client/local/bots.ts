/** The example bots by name. */
import { Argument, InvalidArgumentError } from 'commander';
import type { Bot } from '../examples/bot.js';
import { bothSides } from '../examples/both-sides.js';
import { imbalance } from '../examples/imbalance.js';
import { momentum } from '../examples/momentum.js';

export type NamedBot = readonly [name: string, bot: Bot];

const BOTS: readonly NamedBot[] = [
  ['momentum', momentum],
  ['imbalance', imbalance],
  ['both-sides', bothSides],
];
const NAMES = BOTS.map(([name]) => name).join(', ');

export function botNamed(given: string): NamedBot {
  const named = BOTS.find(([name]) => name === given);
  if (named === undefined) throw new InvalidArgumentError(`The bots are ${NAMES}.`);
  return named;
}

/** Makes a `NamedBot`. */
export const BOT = new Argument('<bot>', `the example bot: ${NAMES}`).argParser(botNamed);
