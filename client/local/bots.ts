/** The example bots by name. */
import type { Bot } from '../examples/bot.js';
import { bothSides } from '../examples/both-sides.js';
import { imbalance } from '../examples/imbalance.js';
import { momentum } from '../examples/momentum.js';
import { UsageError } from './program.js';

const BOTS: ReadonlyMap<string, Bot> = new Map([
  ['momentum', momentum],
  ['imbalance', imbalance],
  ['both-sides', bothSides],
]);

/** Throws a `UsageError` that lists the bots. */
export function botNamed(name: string | undefined): Bot {
  const bot = BOTS.get(name ?? '');
  if (bot === undefined) throw new UsageError(`name a bot: ${[...BOTS.keys()].join(', ')}`);
  return bot;
}
