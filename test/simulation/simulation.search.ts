/** Short runs of the simulator from fixed seeds. `npm run simulate` does the same at length. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../engine/model/errors.js';
import { byEffort } from '../support/effort.js';
import { mutationNamed } from './mutations/mutations.js';
import { EXPECTED } from './runs/expected.js';
import { describe, runWorld, shorten } from './runs/failure.js';
import { runWorlds } from './runs/run.js';
import { Violation } from './violation.js';

const HOURS = 0.05;
/** Worlds with every kind of fault; in hundredths of an hour. An hour in short worlds costs a third. */
const HUNDREDTHS = byEffort({ test: 25, prove: 35, night: 100 });
const WORLD_HOURS = byEffort({ test: HOURS, prove: 0.1, night: 0.1 });

test('worlds with every kind of fault keep every promise and recover', async () => {
  const { tally, failed } = await runWorlds(
    { seed: 20_261_121, hours: HUNDREDTHS / 100, worldHours: WORLD_HOURS, mutation: null },
    { index: 0, of: 1 },
    () => false,
  );
  equal(failed?.outcome.error?.message, undefined, `world ${failed?.options.seed}`);
  ok(tally.counts.crashes >= HUNDREDTHS / 2, `${tally.counts.crashes} crashes`);
  ok(tally.counts.rounds >= 2 * HUNDREDTHS, `${tally.counts.rounds} rounds`);
  ok(tally.counts.bets >= 25 * HUNDREDTHS, `${tally.counts.bets} bets`);
  ok(tally.counts.proofs >= HUNDREDTHS, `${tally.counts.proofs} proofs`);
  ok(tally.counts.replays >= 2 * HUNDREDTHS, `${tally.counts.replays} replays`);
  const names = Object.values(EXPECTED).flat();
  const missing = tally.coverage.missing(EXPECTED, 1);
  ok(missing.length < 0.3 * names.length, `not met: ${missing.join(', ')}`);
});

test('a long run must meet every error code that a server on a real clock can give', () => {
  const expected = Object.values(EXPECTED).flat().join('\n');
  const left = ERROR_CODES.filter((code) => !new RegExp(`\\b${code}\\b`).test(expected));
  // No client opens a stream, waits for the archive, or asks it for a proof. Prices are pushed, and no operator
  // vouches for any.
  const ofStreams = ['slow_consumer', 'upgrade_required', 'resync_required', 'too_many_streams'];
  const ofArchive = ['archive_behind', 'proof_not_found'];
  // No client is a browser.
  const ofConsole = ['invalid_session', 'csrf_refused'];
  const ofPrices = [
    ...['feed_not_push', 'price_held', 'price_not_held', 'price_source_changed', 'price_too_coarse'],
  ];
  const ofTls = ['client_certificate_required'];
  // No token has less than all rights, there is no second machine, no file of the journal is deleted, and nothing
  // throws while a client is served.
  const ofOthers = ['insufficient_role', 'internal_error', 'journal_unavailable', 'standby'];
  const sorted = left.toSorted();
  deepEqual(
    sorted,
    [...ofStreams, ...ofArchive, ...ofConsole, ...ofPrices, ...ofTls, ...ofOthers].toSorted(),
  );
});

test('one seed gives one run, another seed another', async () => {
  const [first, again, other] = [
    await runWorld({ seed: 7, hours: HOURS / 4 }),
    await runWorld({ seed: 7, hours: HOURS / 4, isVerbose: true }),
    await runWorld({ seed: 6, hours: HOURS / 4 }),
  ];
  for (const { error } of [first, again, other]) equal(error, null);
  deepEqual([again.world.trace.digest(), again.world.steps], [first.world.trace.digest(), first.world.steps]);
  equal(again.world.auditor.shadow.rollingDigest(), first.world.auditor.shadow.rollingDigest());
  equal(again.world.machine.disk.rows.at(-1)?.chain, first.world.machine.disk.rows.at(-1)?.chain);
  notEqual(other.world.trace.digest(), first.world.trace.digest());
});

test('the report of a failure is short and repeats it', async () => {
  const mutation = mutationNamed('stake-twice');
  const { failed } = await runWorlds(
    { seed: 4, hours: 10, worldHours: HOURS, mutation },
    { index: 0, of: 1 },
    () => false,
  );
  ok(failed !== null && failed.outcome.error instanceof Violation);
  const { seed } = failed.options;
  const only = await shorten(failed.options, failed.outcome);
  ok(only.size <= 2, `${only.size} faults are left of ${failed.outcome.world.plan.length}`);
  const text = await describe({ ...failed.options, only });
  match(text, new RegExp(failed.outcome.error.invariant));
  match(
    text,
    new RegExp(`npm run simulate -- --world ${seed} --world-hours ${HOURS} --mutation stake-twice`),
  );
  ok(text.split('\n').length < 60, 'a page of text');
});
