/**
 * Replay on two cores: one thread reads the journal, checks it and parses its commands (`read-ahead-worker.ts`), while
 * the thread that starts the server applies them. A start is synchronous, so this side waits on shared memory and takes
 * messages from the port itself.
 *
 * Nothing depends on the other thread. If it gives up at damage or at something unusual, or is silent, this side reads
 * on from there as it would have without it, and so gets the same engine and the same errors.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { StoredBatch } from '../../engine/model/ports.js';
import type { DataDir } from '../data-dir/layout.js';
import type { JournalReader } from '../journal/reader.js';
import { RowsReader } from './command-rows.js';
import {
  BATCH,
  CHECKSUM_CHARS,
  DIGEST_CHARS,
  ENDED,
  type ReadAheadMessage,
  type ReadAheadOptions,
  type ReadBatches,
  SENT,
  SIGNALS,
  STOP,
  TAKEN,
} from './read-ahead-messages.js';
import { commandsOf, type DecodedBatch, decodeBatches } from './replay.js';

/** Fewer commands are replayed before the thread has started. */
const COMMANDS_MIN = 20_000;
/** How long to wait for a message of the thread. */
const SILENCE_MS_MAX = 10_000;
const WORKER = new URL('./read-ahead-worker.js', import.meta.url);

export interface ReadAheadSettings {
  readonly silenceMsMax: number;
  /** The module that the thread runs. */
  readonly worker: URL;
}
const DEFAULTS: ReadAheadSettings = { silenceMsMax: SILENCE_MS_MAX, worker: WORKER };

/**
 * The batches after `afterSeq`, up to about `endSeq`, of `journal`, which is that of `dir`: read on another thread if
 * that is worth it. Throws what `decodeBatches` throws.
 */
export function batchesAfter(
  dir: DataDir,
  journal: Pick<JournalReader, 'readBatches'>,
  afterSeq: number,
  endSeq: number,
): Iterable<DecodedBatch> {
  const isWorthIt = endSeq - afterSeq >= COMMANDS_MIN && availableParallelism() > 1;
  return isWorthIt ? readAhead(dir, journal, afterSeq) : decodeBatches(journal.readBatches(afterSeq));
}

/** As `batchesAfter`, always on another thread. */
export function* readAhead(
  dir: DataDir,
  journal: Pick<JournalReader, 'readBatches'>,
  afterSeq: number,
  settings = DEFAULTS,
): Generator<DecodedBatch, void, undefined> {
  const thread = new ReaderThread(dir, afterSeq, settings);
  let lastSeq = afterSeq;
  let beforeLastSeq = afterSeq;
  try {
    for (;;) {
      const message = thread.next();
      if (message.kind === 'end') return;
      if (message.kind === 'gaveUp') break;
      for (const batch of batchesOf(message)) {
        yield batch;
        beforeLastSeq = lastSeq;
        lastSeq = batch.row.lastSeq;
      }
    }
  } finally {
    thread.end();
  }
  // From one row earlier, so that the next one is checked against it even if it begins a segment.
  yield* decodeBatches(rowsAfter(journal.readBatches(beforeLastSeq), lastSeq));
}

function* rowsAfter(rows: Iterable<StoredBatch>, seq: number): Generator<StoredBatch, void, undefined> {
  for (const row of rows) if (row.lastSeq > seq) yield row;
}

function* batchesOf({
  batches,
  digests,
  checksums,
  numbers,
  texts,
}: ReadBatches): Generator<DecodedBatch, void, undefined> {
  const reader = new RowsReader(numbers, texts);
  for (let index = 0; index * BATCH < batches.length; index++) {
    const firstSeq = batches[index * BATCH] as number;
    const lastSeq = batches[index * BATCH + 1] as number;
    const digest = digests.slice(index * DIGEST_CHARS, (index + 1) * DIGEST_CHARS);
    const checksum = checksums.slice(index * CHECKSUM_CHARS, (index + 1) * CHECKSUM_CHARS);
    const row = { firstSeq, lastSeq, digest, checksum };
    yield { row, commands: commandsOf(row, () => reader.take(lastSeq - firstSeq + 1)) };
  }
}

/** The reading thread, seen from this one. */
class ReaderThread {
  readonly #port: MessagePort;
  readonly #signals = new Int32Array(new SharedArrayBuffer(SIGNALS * Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  #taken = 0;

  constructor(
    dir: DataDir,
    afterSeq: number,
    private readonly settings: ReadAheadSettings,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: ReadAheadOptions = { dir, afterSeq, port: port2, signals: this.#signals };
    this.#worker = new Worker(settings.worker, { name: 'read-ahead', workerData, transferList: [port2] });
    // This side does not depend on it.
    this.#worker.on('error', () => {});
  }

  /** Waits for the next message; `gaveUp` if none comes. */
  next(): ReadAheadMessage {
    for (;;) {
      const received = receiveMessageOnPort(this.#port) as { message: ReadAheadMessage } | undefined;
      if (received !== undefined) {
        this.#taken += 1;
        Atomics.store(this.#signals, TAKEN, this.#taken);
        Atomics.notify(this.#signals, TAKEN);
        return received.message;
      }
      const waited = Atomics.wait(this.#signals, SENT, this.#taken, this.settings.silenceMsMax);
      if (waited === 'timed-out') return { kind: 'gaveUp' };
    }
  }

  /** Returns when the thread has closed its files, unless it is silent. */
  end(): void {
    Atomics.store(this.#signals, TAKEN, STOP);
    Atomics.notify(this.#signals, TAKEN);
    Atomics.wait(this.#signals, ENDED, 0, this.settings.silenceMsMax);
    this.#port.close();
    void this.#worker.terminate();
  }
}
