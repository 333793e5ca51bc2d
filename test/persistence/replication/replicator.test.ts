/** A process at the replicated log, from the place of its journal to the lead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type {
  EpochMemory,
  LeaseEntry,
  LogEntry,
} from '../../../persistence/replication/log/replicated-log.js';
import { Replicator } from '../../../persistence/replication/replicator.js';
import { fromErrorParts } from '../../../persistence/thread/error-parts.js';
import { ModelLog } from './model-log.js';
import { BEGINNING, batchAfter, batches, epochMemory, journalOf, lead } from './support.js';

const LEASE_MS = 1_000;
const APPEND_MS = 100;

/** Appending takes time, by the clock that leases are judged by. */
class SlowLog extends ModelLog {
  nowMs = 0;
  #renewedMs: number | null = null;
  longestMsWithoutRenewal = 0;

  override async append(bytes: Uint8Array, id: string, afterSequence: number): Promise<void> {
    this.nowMs += APPEND_MS;
    const heldMs = this.#renewedMs === null ? 0 : this.nowMs - this.#renewedMs;
    this.longestMsWithoutRenewal = Math.max(this.longestMsWithoutRenewal, heldMs);
    await super.append(bytes, id, afterSequence);
  }

  override writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<number> {
    this.#renewedMs = entry.isReleased ? null : this.nowMs;
    return super.writeLease(entry, revision);
  }

  readonly onNews = (): void => undefined;
  readonly onReleased = (): void => undefined;
  isAnswering = false;
  readonly onHandOver = (): (() => void) => {
    this.isAnswering = true;
    return () => {
      this.isAnswering = false;
    };
  };
  readonly onReport = (): void => undefined;
  readonly reportedMs: number[] = [];
  readonly report = (): void => void this.reportedMs.push(this.nowMs);
}

interface Machine {
  readonly leaseMs?: number;
  readonly epochs?: EpochMemory;
  readonly onBatch?: (taken: () => void) => void;
  readonly onTrouble?: (reason: string | null) => void;
}

function untilLeading(
  log: SlowLog,
  own: readonly StoredBatch[],
  {
    leaseMs = LEASE_MS,
    epochs = epochMemory(),
    onBatch = (taken) => taken(),
    onTrouble = () => undefined,
  }: Machine = {},
): Promise<Replicator> {
  let isOver = false;
  return new Promise((resolve, reject) => {
    const over = (act: () => void): void => {
      isOver = true;
      act();
    };
    const replicator = new Replicator({
      ...{ role: 'auto', node: 'b', exchange: 'of tests', leaseMs, epochs },
      timers: {
        monotonicMs: () => log.nowMs,
        after: (ms, run) => {
          log.nowMs += ms;
          if (!isOver) setImmediate(run);
          return () => undefined;
        },
      },
      openLog: () => Promise.resolve(log),
      openJournal: () => ({
        ...journalOf(own),
        readBatches: (afterSeq) => own.filter(({ lastSeq }) => lastSeq > afterSeq),
        close: () => undefined,
      }),
      post: (message) => {
        if (message.kind === 'leading') over(() => resolve(replicator));
        if (message.kind === 'batch')
          onBatch(() => replicator.take({ kind: 'taken', chars: message.row.commands.length }));
        if (message.kind === 'trouble') onTrouble(message.reason);
        if (message.kind === 'failed') over(() => reject(fromErrorParts(message.error)));
      },
      onFailure: () => undefined,
    });
    replicator.start();
  });
}

test('a leader keeps its lease while it publishes what only its own journal has', async () => {
  const log = new SlowLog();
  const rows = batches(100);
  const before = await lead(log);
  for (const row of rows.slice(0, 1)) await before.publish(row);
  await before.release('');
  await untilLeading(log, rows);
  assert.equal(log.messages.filter(({ kind }) => kind === 'batch').length, rows.length);
  assert.ok(log.longestMsWithoutRenewal <= LEASE_MS / 2, `${log.longestMsWithoutRenewal} ms`);
});

test('a machine that takes over from a leader that has come back leads once that one believes it no more', async () => {
  const log = new SlowLog();
  const before = await lead(log);
  const append = log.append.bind(log);
  let renewedMs = 0;
  log.append = async (...given) => {
    await append(...given);
    await before.renew();
    renewedMs = log.nowMs;
  };
  await untilLeading(log, []);
  assert.ok(log.nowMs >= renewedMs + LEASE_MS);
});

const HANGS = 'the disk of this machine has written nothing of what the log has for 10 s';

test('a machine whose disk hangs says so, and keeps no other one from the lead', async () => {
  const log = new SlowLog();
  const before = await lead(log);
  for (const row of batches(1)) await before.publish(row);
  await before.release('');
  const epochs = epochMemory();
  let write = (): void => assert.fail('nothing to write');
  const troubles: (string | null)[] = [];
  await untilLeading(log, [], {
    epochs,
    onBatch: (taken) => {
      write = taken;
    },
    onTrouble: (reason) => {
      troubles.push(reason);
      if (reason === null) return;
      assert.deepEqual([log.entries.length, log.lease?.isReleased, epochs.highest], [2, true, 1]);
      write();
    },
  });
  assert.deepEqual(troubles, [HANGS, null]);
  assert.equal(epochs.highest, 2, 'its own is kept, for a log that loses it');
});

test('a leader does not hear of a standby whose disk hangs', async () => {
  const log = new SlowLog();
  for (const row of batches(1)) await (await lead(log)).publish(row);
  const hangs = { fromMs: 0, toMs: 0 };
  await untilLeading(log, [], {
    leaseMs: 60_000,
    onBatch: (taken) => {
      hangs.fromMs = log.nowMs;
      setImmediate(function wait() {
        hangs.toMs = log.nowMs;
        if (hangs.toMs - hangs.fromMs < 20_000) setImmediate(wait);
        else taken();
      });
    },
    onTrouble: (reason) => assert.ok([HANGS, null].includes(reason)),
  });
  const during = log.reportedMs.filter((atMs) => atMs > hangs.fromMs && atMs < hangs.toMs);
  assert.ok(during.length > 0 && during.every((atMs) => atMs - hangs.fromMs <= 10_000));
  assert.ok(
    log.reportedMs.some((atMs) => atMs > hangs.toMs),
    'it is back',
  );
});

test('a leader that has given its lease back no longer says that it leads', async () => {
  const log = new SlowLog();
  const replicator = await untilLeading(log, batches(1));
  assert.equal(log.isAnswering, true);
  await replicator.release('');
  assert.deepEqual([log.isAnswering, (await log.readLease())?.isReleased], [false, true]);
});

/** The log's leading server shows `odd` in place of the fourth of six batches. */
async function withOddCopy(): Promise<{ log: SlowLog; rows: StoredBatch[]; odd: LogEntry }> {
  const log = new SlowLog();
  const rows = batches(6);
  const leader = await lead(log);
  for (const row of rows) await leader.publish(row);
  await leader.release('');
  const other = new ModelLog();
  const another = await lead(other);
  for (const row of rows.slice(0, 2)) await another.publish(row);
  await another.publish(batchAfter(rows[1] ?? BEGINNING, 1, 'odd'));
  return { log, rows, odd: other.entries[3] ?? assert.fail('a fourth message') };
}

test('what does not follow ends a standby', async () => {
  const { log, rows, odd } = await withOddCopy();
  const read = log.read.bind(log);
  const later = must(log.entries[odd.sequence + 1], 'a later message');
  log.read = async (sequence) => (sequence === odd.sequence ? { ...later, sequence } : read(sequence));
  await assert.rejects(untilLeading(log, rows.slice(0, 2)), { code: 'replication_damaged' });
});
