/**
 * The thread that reads ahead (`read-ahead.ts`): it reads the journal, checks checksums and chain, and parses the
 * commands into rows of numbers, a bounded number of messages ahead of the replaying thread. If anything is wrong, or
 * merely unusual, it gives up, and the replaying thread reads that position again and reports it.
 */
import { workerData } from 'node:worker_threads';
import type { StoredBatch } from '../../engine/model/ports.js';
import { openJournalReader } from '../journal/reader.js';
import { CommandRows, ROW } from './command-rows.js';
import { scanCommands } from './decode-batch.js';
import {
  CHECKSUM_CHARS,
  DIGEST_CHARS,
  ENDED,
  type ReadAheadMessage,
  type ReadAheadOptions,
  SENT,
  STOP,
  TAKEN,
} from './read-ahead-messages.js';

/** A message ends with the batch that reaches so many commands. */
const COMMANDS_PER_MESSAGE = 4_096;
/** Messages that may wait to be taken. */
const AHEAD_MAX = 8;

const { dir, afterSeq, port, signals } = workerData as ReadAheadOptions;

/** The batches of the next message. */
class Collected {
  #batches: number[] = [];
  #digests = '';
  #checksums = '';
  readonly #rows = new CommandRows();

  get commands(): number {
    return this.#rows.count;
  }

  /** Returns false if the replaying thread has to read the batch itself. */
  add({ firstSeq, lastSeq, digest, checksum, commands }: StoredBatch): boolean {
    if (digest.length !== DIGEST_CHARS || checksum.length !== CHECKSUM_CHARS) return false;
    const rows = this.#rows;
    const before = { count: rows.count, texts: rows.texts.length };
    if (!scanCommands(commands, rows) || rows.count - before.count !== lastSeq - firstSeq + 1) {
      rows.cutTo(before.count, before.texts);
      return false;
    }
    this.#batches.push(firstSeq, lastSeq);
    this.#digests += digest;
    this.#checksums += checksum;
    return true;
  }

  /** Sends all of it and clears it. */
  send(): void {
    if (this.#batches.length === 0) return;
    const batches = Float64Array.from(this.#batches);
    const numbers = this.#rows.numbers.slice(0, this.#rows.count * ROW);
    const { texts } = this.#rows;
    const [digests, checksums] = [this.#digests, this.#checksums];
    send({ kind: 'batches', batches, digests, checksums, numbers, texts }, [batches.buffer, numbers.buffer]);
    this.#batches = [];
    this.#digests = '';
    this.#checksums = '';
    this.#rows.clear();
  }
}

function send(message: ReadAheadMessage, transferred: ArrayBuffer[] = []): void {
  port.postMessage(message, transferred);
  Atomics.add(signals, SENT, 1);
  Atomics.notify(signals, SENT);
}

/** Waits until there is room for another message. Returns false if no more are wanted. */
function waitForRoom(): boolean {
  for (;;) {
    const taken = Atomics.load(signals, TAKEN);
    if (taken === STOP) return false;
    if (Atomics.load(signals, SENT) - taken < AHEAD_MAX) return true;
    Atomics.wait(signals, TAKEN, taken);
  }
}

/** Returns whether it reached the end of the journal. */
function readAll(batches: Iterable<StoredBatch>, collected: Collected): boolean {
  for (const batch of batches) {
    if (!collected.add(batch)) return false;
    if (collected.commands < COMMANDS_PER_MESSAGE) continue;
    collected.send();
    if (!waitForRoom()) return false;
  }
  return true;
}

/** What reading throws is not reported: the replaying thread gets to the same position and throws it. */
function isReadToTheEnd(collected: Collected): boolean {
  try {
    const reader = openJournalReader(dir);
    try {
      return readAll(reader.readBatches(afterSeq), collected);
    } finally {
      reader.close();
    }
  } catch {
    return false;
  }
}

const collected = new Collected();
const isWhole = isReadToTheEnd(collected);
collected.send();
send({ kind: isWhole ? 'end' : 'gaveUp' });
Atomics.store(signals, ENDED, 1);
Atomics.notify(signals, ENDED);
port.close();
