/** A process at the replicated log, from the place of its journal to the lead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseEntry } from '../../../persistence/replication/log/replicated-log.js';
import { Replicator } from '../../../persistence/replication/replicator.js';
import { ModelLog } from './model-log.js';
import { batches, epochMemory, journalOf, lead } from './support.js';

const LEASE_MS = 1_000;
const APPEND_MS = 100;

/** Appending takes time, by the clock that leases are judged by. */
class SlowLog extends ModelLog {
  nowMs = 0;
  /** The last time that somebody wrote a lease to keep. */
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
  readonly onHandOver = (): void => undefined;
  readonly onReport = (): void => undefined;
  readonly report = (): void => undefined;
}

test('a leader keeps its lease while it publishes what only its own journal has', async () => {
  const log = new SlowLog();
  const rows = batches(100);
  const before = await lead(log);
  for (const row of rows.slice(0, 1)) await before.publish(row);
  await before.release('');
  let hasLed = false;
  await new Promise<void>((resolve, reject) => {
    const replicator = new Replicator({
      role: 'auto',
      node: 'b',
      leaseMs: LEASE_MS,
      epochs: epochMemory(),
      timers: {
        monotonicMs: () => log.nowMs,
        after: (ms, run) => {
          log.nowMs += ms;
          if (!hasLed) setImmediate(run);
          return () => undefined;
        },
      },
      openLog: () => Promise.resolve(log),
      openJournal: () => ({
        ...journalOf(rows),
        readBatches: (afterSeq) => rows.filter(({ lastSeq }) => lastSeq > afterSeq),
        close: () => undefined,
      }),
      post: ({ kind }) => {
        hasLed ||= kind === 'leading';
        if (hasLed) resolve();
      },
      onFailure: () => reject(new Error('it should lead')),
    });
    replicator.start();
  });
  assert.equal(log.messages.filter(({ kind }) => kind === 'batch').length, rows.length);
  assert.ok(log.longestMsWithoutRenewal <= LEASE_MS / 2, `${log.longestMsWithoutRenewal} ms`);
});
