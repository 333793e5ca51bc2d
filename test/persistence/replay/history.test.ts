/**
 * The journal's history: the engine at any sequence number, every command with its effect, and ledgers that add up;
 * over random streams, with and without snapshots, and after retention has deleted the journal's beginning.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import { Books, type LedgerEntry, ledgerEntryOf } from '../../../persistence/archive/reader/entries.js';
import { accountHistory } from '../../../persistence/cli/commands/account.js';
import { Output, PROCESS_STREAMS } from '../../../persistence/cli/frame/output.js';
import { type Records, withRecords } from '../../../persistence/cli/sources/records.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { History } from '../../../persistence/replay/history.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { newHasher } from '../../support/reference/pair.js';
import { Rng } from '../../support/reference/random/rng.js';
import { drawStream } from '../../support/reference/random/stream.js';
import { temporaryDir } from '../support/journal-files.js';
import { type MadeDir, makeDataDir } from '../support/made-dir.js';

const STREAMS = [1, 2, 3];
const STEPS = 500;

/** Streams are slow to make and are made once. */
function streamOf(seed: number): { commands: readonly Command[]; rng: Rng } {
  const rng = new Rng(seed);
  const steps = Array.from({ length: STEPS }, () => rng.integer(0, 0xffff_ffff));
  const commands = streams.get(seed) ?? drawStream(seed, steps).accepted;
  streams.set(seed, commands);
  return { commands, rng };
}
const streams = new Map<number, readonly Command[]>();
const openHistory = (made: MadeDir, notes: string[] = []): History =>
  new History(new JournalReader(made.dir), new SnapshotFiles(made.dir.snapshots), {
    onNote: (note) => notes.push(note),
  });

const recordsOf = ({ dir }: MadeDir, work: (records: Records) => void): unknown =>
  withRecords({ dir, out: new Output(false, PROCESS_STREAMS, 100) }, 'test', (records) => {
    work(records);
    return 0;
  });

const entriesOf = (made: MadeDir, account: number, toSeq: number): LedgerEntry[] =>
  made.events
    .slice(0, toSeq)
    .flatMap((events, index) => events.map((event) => ledgerEntryOf(index + 1, event)))
    .filter((entry) => entry !== null && entry.account === account)
    .map((entry) => must(entry, 'entry'));

test('the engine at any sequence number is as it was then, with and without snapshots', (t) => {
  for (const seed of STREAMS) {
    const { commands, rng } = streamOf(seed);
    const made = makeDataDir(join(temporaryDir(t), 'data'), commands, {
      batchSize: () => rng.integer(1, 4),
      snapshotsAfter: seed % 2 === 0 ? [10, 25, 40] : [],
    });
    const history = openHistory(made);
    assert.equal(history.lastSeq, commands.length);
    const anySeqs = Array.from({ length: 6 }, () => rng.integer(1, commands.length));
    for (const seq of [0, 1, commands.length, ...anySeqs]) {
      const expected = new Engine();
      for (const command of commands.slice(0, seq)) expected.apply(command);
      const engine = history.engineAt(seq);
      assert.equal(engine.seq, seq);
      assert.equal(engine.stateDigest(newHasher), expected.stateDigest(newHasher), `stream ${seed}, ${seq}`);
    }
  }
});

test('a replay gives every command once, with its events and the engine after it', (t) => {
  const { commands, rng } = streamOf(3);
  const made = makeDataDir(join(temporaryDir(t), 'data'), commands, {
    batchSize: () => rng.integer(1, 40),
    snapshotsAfter: [2],
  });
  const history = openHistory(made);
  for (let run = 0; run < 20; run++) {
    const to = rng.integer(1, commands.length);
    const engine = history.startFor(rng.integer(0, to - 1));
    let seq = engine.seq + 1;
    for (const step of history.replay(engine, to)) {
      assert.deepEqual([[step.seq, engine.seq], step.command], [[seq, seq], commands[seq - 1]]);
      assert.deepEqual(step.events, made.events[seq - 1]);
      seq += 1;
    }
    assert.equal(seq, to + 1);
  }
});

test('a time means the last command at or before it', (t) => {
  const { commands, rng } = streamOf(1);
  const made = makeDataDir(join(temporaryDir(t), 'data'), commands, { batchSize: () => rng.integer(1, 40) });
  const history = openHistory(made);
  const firstMs = must(commands[0], 'command').timeMs;
  const lastMs = must(commands.at(-1), 'command').timeMs;
  const times = commands.flatMap(({ timeMs }, at) => (at % 3 === 0 ? timeMs : []));
  for (const timeMs of [firstMs - 1, lastMs, lastMs + 1, ...times])
    assert.equal(history.seqAt(timeMs), commands.filter((command) => command.timeMs <= timeMs).length);
});

test('every ledger adds up at random moments, also where retention deleted the beginning: the archive has it', (t) => {
  const pruned = { snapshotsAfter: [30, 45], firstBatch: 28, hasArchive: true };
  for (const [options, beginsAfter] of [
    [{}, null],
    [pruned, 30],
  ] as const) {
    let checked = 0;
    for (const seed of STREAMS) {
      const { commands, rng } = streamOf(seed);
      const batchSize = (): number => rng.integer(1, 4);
      const made = makeDataDir(join(temporaryDir(t), 'data'), commands, { batchSize, ...options });
      const from = openHistory(made).beginning().seq;
      assert.equal(from, beginsAfter === null ? 0 : must(made.batches[beginsAfter], 'batch').lastSeq);
      const moments = [1, 2].map(() => rng.integer(Math.max(1, from), commands.length));
      for (const toSeq of [commands.length, Math.max(1, from), ...moments])
        checked += checkLedgers(made, toSeq);
    }
    assert.ok(checked > 500, `${checked} entries are too few to prove anything`);
  }
});

function checkLedgers(made: MadeDir, toSeq: number): number {
  let entries = 0;
  recordsOf(made, (records) => {
    const { archive, state } = records.upTo(toSeq);
    const engine = state();
    assert.equal(engine.seq, toSeq);
    for (let account = 1; account <= made.engine.accountCount; account++) {
      const { entries: found } = accountHistory(archive, engine, account);
      const books = new Books(true);
      for (const entry of found) books.add(entry);
      books.close(account, engine.account(account)?.balanceCents ?? 0);
      assert.deepEqual([books.faults, found], [[], entriesOf(made, account, toSeq)]);
      entries += found.length;
    }
  });
  return entries;
}
