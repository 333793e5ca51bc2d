/** `tote round`: everything known about one round. */
import { Argument, InvalidArgumentError } from 'commander';
import { must } from '../../../engine/base/assert.js';
import { parseRoundId } from '../../../engine/model/domain.js';
import type { RoundJson } from '../answers/answers.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { LIMIT_OPTION, type LimitOptions, limitOf } from '../frame/options.js';
import { lastRows } from '../frame/output.js';
import { Look } from '../past/look.js';
import { AT_OPTIONS, type AtOptions, seqOf } from '../past/moments.js';
import { readRoundSeeds, roundFacts } from '../past/round.js';
import { showRound } from '../past/round-text.js';

export const roundCommand = defineCommand<AtOptions & LimitOptions>({
  details:
    'Shows the rules of the round, its times, its prices with their origin, its pools, every bet with its payout, the seeds ' +
    'and the settlement of the house, why it was voided, and its seed commitment; the seed itself once it is settled, if ' +
    'the master secret can be read. If payouts, pools and the house do not add up, it says so and ends with 1. All of it is ' +
    'read from the archive, each row checked, and from the newest snapshot with the journal after it. Nothing is changed.',
  examples: [
    ['round BTC_ONE_MINUTE_29684880', 'the round with this id, as GET /markets shows it'],
    [
      'round BTC_ONE_MINUTE_29684880 ./data --at-time 2026-11-17T14:03:00Z --json',
      'as it was then, for a program',
    ],
  ],
  operands: [new Argument('<ID>', 'the round, such as BTC_ONE_MINUTE_29684880').argParser(parseRound)],
  options: [...AT_OPTIONS, LIMIT_OPTION],
  isPaged: true,
  run: (context, options, operands) =>
    Look.at(context, 'round', (look) => {
      const { market, roundNumber } = parseRound(must(operands[0], 'the round'));
      const { past, state, words } = look.upTo(seqOf(look, options));
      const engine = state();
      const seeds = readRoundSeeds(context.dir, look.withRules(engine));
      const { facts, house } = roundFacts(past, engine, market, roundNumber, seeds);
      const { out } = context;
      const limit = limitOf(options, out.isJson);
      const bets = lastRows(facts.bets, limit);
      const unfilledOrders = lastRows(facts.unfilledOrders, limit);
      if (out.isJson) out.document({ ...facts, bets, unfilledOrders } satisfies RoundJson);
      else showRound(out, facts, house, words, limit);
      return facts.faults.length === 0 ? EXIT.done : EXIT.faulty;
    }),
});

function parseRound(text: string): { market: number; roundNumber: number } {
  const parsed = parseRoundId(text);
  if (parsed === null) {
    throw new InvalidArgumentError('Expected the id of a round, such as BTC_ONE_MINUTE_29684880.');
  }
  return parsed;
}
