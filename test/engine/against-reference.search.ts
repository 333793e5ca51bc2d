/**
 * Long random streams of commands through the engine and through the reference model, compared after every command
 * (`Pair`).
 *
 * TOTE_TEST_SEED sets the seed of the streams; a failure prints it, the path of the shrunk stream and its commands.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Command } from '../../engine/model/commands.js';
import { LIMIT_ODDS_E4_MAX } from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import { byEffort } from '../support/effort.js';
import { plainOrder } from '../support/engine/plain-order.js';
import { forMany } from '../support/for-all.js';
import { outcomeKind, STREAM_OUTCOMES } from '../support/reference/outcomes.js';
import { runStream } from '../support/reference/random/stream.js';
import { bettableRounds } from '../support/reference/reads.js';

const RUNS = byEffort({ test: 20, prove: 50, night: 1_200 });
const SEED = Number(process.env['TOTE_TEST_SEED'] ?? 20_261_121);
const STEPS_MAX = 900;

/** For outcomes of each kind: streams that do not reach them prove nothing. */
const OCCURRENCES_MIN = byEffort({ test: 1, prove: 5, night: 5 });
const seed32 = fc.noShrink(fc.noBias(fc.nat(0xffff_ffff)));
const steps = fc.noBias(fc.array(seed32, { maxLength: STEPS_MAX, size: 'max' }));

test('the engine and the reference model agree after every command of random streams', () => {
  const seen = new Map<string, number>();
  forMany(
    { numRuns: RUNS, seed: SEED, includeErrorInReport: true },
    seed32,
    steps,
    (worldSeed, stepSeeds) => {
      for (const line of runStream(worldSeed, stepSeeds).story) count(seen, line);
    },
  );
  const rare = STREAM_OUTCOMES.filter((name) => (seen.get(name) ?? 0) < OCCURRENCES_MIN);
  deepEqual(rare, [], `outcomes that ${RUNS} streams hardly ever had`);
});

test('a confirmed price and a moved manual clock change the time and nothing else', () => {
  const pair = runStream(1, []);
  const timeMs = pair.reference.timeMs + 1;
  const confirmed = { kind: 'confirmPrice', timeMs, asset: 0, price: 41_000, reason: 'seen' } as const;
  equal(pair.apply(confirmed).status, 'accepted');
  equal(pair.apply({ kind: 'moveClock', timeMs: timeMs + 1 }).status, 'accepted');
  equal(pair.reference.timeMs, timeMs + 1);
  equal(pair.apply({ kind: 'moveClock', timeMs: timeMs + 1 }).status, 'rejected');
});

const GATES = ['clock_unsynchronised', 'journal_backlog', 'disk_reserve', 'shutting_down'] as const;

test('refusals of limit orders and cancellations that random streams seldom have are the same in both', () => {
  let closed = 0;
  for (let seed = 11; seed <= 20; seed++) {
    const pair = runStream(seed, []);
    const { reference: state } = pair;
    const [round] = bettableRounds(state, state.timeMs);
    ok(round !== undefined, `world ${seed} has a round that takes bets`);
    const word = (command: Command, gate: ErrorCode | null = null): string => {
      const outcome = pair.apply(command, gate);
      return outcome.status === 'rejected' ? outcome.code : outcome.status;
    };
    const limit = plainOrder({
      ...{ timeMs: state.timeMs, account: 2, market: round.market, fairShareE6: 500_000 },
      ...{ stakeCents: round.rules.minStakeCents, limitOddsE4: LIMIT_ODDS_E4_MAX },
    });
    for (const gate of GATES) equal(word(limit, gate), gate);
    equal(word(limit), 'accepted');
    const cancel = { kind: 'cancelOrder', timeMs: state.timeMs, account: 2, key: 1, bet: 1 } as const;
    for (const gate of GATES) equal(word(cancel, gate), gate);
    equal(word({ ...cancel, account: 1 }, 'journal_backlog'), 'order_not_found');
    const timeMs = round.bettingClosesMs;
    // Under rules without a cutoff the round locks then.
    const isBeforeLock = timeMs < round.lockTimeMs;
    if (isBeforeLock) closed++;
    equal(word({ ...limit, timeMs }), isBeforeLock ? 'betting_closed' : 'round_not_live');
    equal(word({ ...cancel, timeMs }), 'accepted', 'the order rests until it is known to have expired');
    equal(word({ ...cancel, timeMs }, 'journal_backlog'), 'order_not_pending');
  }
  ok(closed > 0, 'some rules have a cutoff');
});

function count(seen: Map<string, number>, line: string): void {
  const [, text = '', words = ''] = /^(\{.*?\})(?: gate \w+)? -> ([\w ]+)$/.exec(line) ?? [];
  const kind = outcomeKind(JSON.parse(text) as Command);
  for (const word of words.split(' ')) seen.set(`${kind} ${word}`, (seen.get(`${kind} ${word}`) ?? 0) + 1);
}
