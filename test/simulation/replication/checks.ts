/** Invariants of two machines and the log. */
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';
import { check } from '../violation.js';
import type { SimLog } from './log.js';
import type { SimProcess } from './process.js';

/** A process may end by itself for these reasons. */
const ENDS: readonly string[] = ['replication_fenced', 'replication_unpublished', 'replication_went_back'];

export interface Leading {
  readonly process: SimProcess;
  readonly node: string;
  readonly epoch: number;
  /** It was stopped for longer than the lease, and another one took over meanwhile. */
  isZombie: boolean;
}

export class Checks {
  acknowledged = 0;
  readonly #acknowledgedChains = new Set<string>();
  readonly #acknowledgers = new Map<number, number>();

  constructor(
    private readonly log: SimLog,
    private readonly leaseMs: number,
    private readonly nowMs: () => number,
  ) {}

  /** The process tells a client that this batch is done. `own` are its disk's rows. */
  acknowledge({ process, node, epoch, isZombie }: Leading, batch: Batch, own: readonly StoredBatch[]): void {
    const who = `${node} (process ${process.id}, epoch ${epoch}) has acknowledged ${batch.lastSeq}`;
    const row = own.at(-1);
    check(row?.lastSeq === batch.lastSeq, 'disk', () => `${who}, which its disk does not have`);
    const inLog = this.log.batches[own.length - 1];
    // The log may have lost it since its answer: in the end it must have it again.
    if (!this.log.lost.has(row?.chain ?? '')) {
      check(inLog?.row.chain === row?.chain, 'log', () => `${who}, which the log does not have`);
      check(inLog?.epoch === epoch, 'epoch', () => `${who}, which is of epoch ${inLog?.epoch}`);
    }
    const takeover = this.log.takeovers.get(epoch)?.takeover;
    check(takeover?.node === node, 'takeover', () => `${who}, but the log has no takeover of its`);
    const acknowledger = this.#acknowledgers.get(epoch) ?? process.id;
    check(acknowledger === process.id, 'one leader', () => `${who}, and so has process ${acknowledger}`);
    this.#acknowledgers.set(epoch, process.id);
    check(!isZombie, 'zombie', () => `${who} after it was stopped and another one took over`);
    const next = this.log.takeovers.get(
      Math.min(...[...this.log.takeovers.keys()].filter((led) => led > epoch)),
    );
    const lateMs = next === undefined ? 0 : this.nowMs() - next.atMs;
    check(lateMs <= this.leaseMs, 'overtaken', () => `${who} ${lateMs} ms after ${next?.takeover.node} led`);
    this.acknowledged += 1;
    if (row !== undefined) this.#acknowledgedChains.add(row.chain);
  }

  /** `rows` are the log's, or lost there, but for one last batch, which nobody was told of. */
  journal(node: string, rows: readonly StoredBatch[], from: number): void {
    for (let index = from; index < rows.length; index++) {
      const chain = rows[index]?.chain ?? '';
      if (this.log.batches[index]?.row.chain === chain || this.log.lost.has(chain)) continue;
      const isLast = index === rows.length - 1;
      check(isLast, 'journal', () => `batch ${index} of ${node} is not the log's`);
      check(!this.#acknowledgedChains.has(chain), 'lost', () => `batch ${index} of ${node} was acknowledged`);
    }
  }

  takenBack(node: string, row: StoredBatch): void {
    check(!this.#acknowledgedChains.has(row.chain), 'lost', () => `${node} takes back what it acknowledged`);
  }

  ended(node: string, error: Error & { code?: string }): void {
    check(ENDS.includes(error.code ?? ''), 'ended', () => `${node} ended: ${error.message}`);
  }

  equal(node: string, rows: readonly StoredBatch[]): void {
    const { batches } = this.log;
    const chains = new Set(batches.map(({ row }) => row.chain));
    for (const chain of this.#acknowledgedChains)
      check(chains.has(chain), 'lost', () => `the log does not have ${chain}, which was acknowledged`);
    check(rows.length === batches.length, 'equal', () => `${node} has ${rows.length} of ${batches.length}`);
    for (const [index, { row }] of batches.entries())
      check(rows[index]?.chain === row.chain, 'equal', () => `batch ${index} of ${node} is not the log's`);
  }
}
