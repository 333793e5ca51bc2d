/**
 * Commands on their way to disk: the open batch, closed batches that wait, and the one in flight. Group commit: only
 * one batch is in flight, and the next one fills meanwhile.
 */
import { assert, fail } from '../base/assert.js';
import { TextWriter } from '../base/text-writer.js';
import type { Batch, Clock } from '../model/ports.js';
import { OpenBatch } from './open-batch.js';

export class BatchQueue {
  #open: OpenBatch | null = null;
  readonly #text = new TextWriter();
  /** The row is made right after the last command, when the engine's digest is that of the batch. */
  readonly #closed: { readonly batch: OpenBatch; readonly row: Batch }[] = [];
  #inFlight: OpenBatch | null = null;

  constructor(
    private readonly batchCommandsMax: number,
    private readonly clock: Clock,
    private readonly digest: () => string,
  ) {}

  get isInFlight(): boolean {
    return this.#inFlight !== null;
  }
  get isEmpty(): boolean {
    return this.#inFlight === null && this.#closed.length === 0 && this.#open === null;
  }
  /** Age of the oldest command that is not durable at monotonic time `nowMs`; 0 if all are durable. */
  ageMs(nowMs: number): number {
    const oldest = this.#inFlight ?? this.#closed[0]?.batch ?? this.#open;
    return oldest === null ? 0 : nowMs - oldest.openedMs;
  }

  /** The batch for command `seq`. Call `joined` after adding the command. */
  open(seq: number): OpenBatch {
    this.#open ??= new OpenBatch(seq, this.clock.monotonicMs(), this.#text);
    return this.#open;
  }

  joined(seq: number): void {
    const batch = this.#open;
    if (batch === null || batch.lastSeq !== seq) fail(`command ${seq} is not the last of the open batch`);
    if (batch.count >= this.batchCommandsMax) this.#closeOpen();
  }

  /** Drops the open batch, whose digest is unknown after an engine error. */
  dropOpen(): void {
    this.#open = null;
  }

  /** Drops all batches. Waiters for commands after `heldSeq` are refused: these will not be written. */
  refuseAfter(heldSeq: number): void {
    const batches = [this.#inFlight, ...this.#closed.map(({ batch }) => batch), this.#open];
    this.#inFlight = null;
    this.#closed.length = 0;
    this.#open = null;
    for (const batch of batches) if (batch !== null && batch.lastSeq > heldSeq) batch.refuseWaiters();
  }

  /** The next row for an idle writer, or null. `nowMs` is monotonic. */
  next(nowMs: number): Batch | null {
    assert(this.#inFlight === null, 'one batch is in flight at a time');
    if (this.#closed.length === 0) this.#closeOpen();
    const next = this.#closed.shift();
    if (next === undefined) return null;
    next.batch.handedOverMs = nowMs;
    this.#inFlight = next.batch;
    return next.row;
  }

  /** The batch in flight, which ends at `lastSeq`, is durable now, at monotonic time `nowMs` (see `CommitTimes`). */
  acknowledge(lastSeq: number, nowMs: number, writtenMs: number): OpenBatch {
    const batch = this.#inFlight;
    assert(batch !== null && batch.lastSeq === lastSeq, `the journal acknowledged ${lastSeq} out of order`);
    this.#inFlight = null;
    batch.writtenMs = writtenMs;
    batch.durableMs = nowMs;
    return batch;
  }

  with(seq: number): OpenBatch {
    const open = this.#open;
    // Nearly always: an order is waited for as soon as it is submitted.
    if (open !== null && seq >= open.firstSeq && seq <= open.lastSeq) return open;
    if (this.#inFlight !== null && seq <= this.#inFlight.lastSeq) return this.#inFlight;
    const closed = this.#closed.find(({ batch }) => seq <= batch.lastSeq);
    return closed?.batch ?? fail(`command ${seq} is in no batch`);
  }

  #closeOpen(): void {
    if (this.#open === null) return;
    this.#closed.push({ batch: this.#open, row: this.#open.row(this.digest()) });
    this.#open = null;
  }
}
