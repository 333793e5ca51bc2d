/**
 * A data directory with history: minutes of orders in 28 markets whose rounds end and settle, with its archive.
 * Commands that read the past are measured on it.
 */
import { assert, must } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import { encodeCommand } from '../../engine/model/command-codec.js';
import type { Command } from '../../engine/model/commands.js';
import { ASSETS, MARKETS_MAX } from '../../engine/model/domain.js';
import { systemClock } from '../../http/process/clock.js';
import { ArchiveWriter } from '../../persistence/archive/writer.js';
import { masterSecretFingerprint } from '../../persistence/data-dir/secrets.js';
import { commitBatch } from '../../persistence/journal/commit.js';
import { CHAIN_START } from '../../persistence/journal/segment/batch-row.js';
import { SqliteStore } from '../../persistence/journal/store.js';
import { openStore } from '../../persistence/recovery/open-store.js';
import { order, START_MS, setUpCommands } from '../engine/scenario.js';

const ACCOUNTS = 1_000;
const OPEN_BETS_MAX = 1_000_000;
const MINUTE_MS = 60_000;
const ORDERS_A_MINUTE = 50_000;
/** Bets are placed in this part of a minute: its rounds take none in the last 25 s. */
const BETTING_MS = 34_000;
const BATCH = 128;
const SETTLE_SLICE_BETS = 512;
const ARCHIVE_ROWS = 20_000;
const TIME_FRAMES = MARKETS_MAX / ASSETS.length;
/** The shortest two time frames: bets on longer rounds would all stay open. */
const TIME_FRAMES_USED = 2;
const START = { seq: 0, timeMs: 0, digest: '', chain: CHAIN_START };

/** Writes journal and archive, as a server and its shadow do. */
class Writer {
  readonly engine = new Engine();
  readonly #opened;
  readonly #store: SqliteStore;
  readonly #archive: ArchiveWriter;
  #texts: string[] = [];
  #firstSeq = 1;

  constructor(path: string) {
    this.#opened = openStore(path, systemClock, () => {});
    this.#store = SqliteStore.open(this.#opened.dir, 'os');
    this.#archive = ArchiveWriter.create(this.#opened.dir, START, this.engine, 1);
    this.#archive.follow(this.engine);
    const fingerprint = masterSecretFingerprint(this.#opened.masterSecret);
    for (const command of setUpCommands(ACCOUNTS, OPEN_BETS_MAX, fingerprint)) this.apply(command);
  }

  apply(command: Command): void {
    const outcome = this.engine.apply(command);
    // If nothing is due or waiting, nothing is journaled.
    if (outcome.status !== 'accepted') return;
    this.#archive.add(outcome.seq, command, outcome.events);
    this.#texts.push(encodeCommand(command));
    if (this.#texts.length >= BATCH) this.#commit();
  }

  #commit(): void {
    const { seq: lastSeq, timeMs } = this.engine;
    const digest = this.engine.rollingDigest();
    if (this.#texts.length > 0) {
      const commands = `[${this.#texts.join(',')}]`;
      commitBatch(this.#store, { firstSeq: this.#firstSeq, lastSeq, timeMs, commands, digest });
      this.#store.checkpointIfDue();
      this.#store.rollIfDue(1);
    }
    this.#texts = [];
    this.#firstSeq = lastSeq + 1;
    if (this.#archive.pendingRows >= ARCHIVE_ROWS) this.#archiveAll();
  }

  #archiveAll(): void {
    const { seq, timeMs } = this.engine;
    const chain = this.#store.chainAt(seq);
    assert(chain !== null, 'a batch ends here');
    this.#archive.commit({ seq, timeMs, digest: this.engine.rollingDigest(), chain });
  }

  end(): void {
    this.#commit();
    this.#archiveAll();
    this.#archive.close();
    this.#store.close();
    this.#opened.lock.release();
  }
}

export interface AgedDir {
  readonly commands: number;
  readonly digest: string;
}

/** Writes `bets` bets; those of the last minute are still open. */
export function writeAgedDir(path: string, bets: number): AgedDir {
  const writer = new Writer(path);
  const { engine } = writer;
  for (let minute = 0, next = 0; engine.betCount < bets; minute += 1) {
    const fromMs = START_MS + minute * MINUTE_MS;
    if (minute > 0) passTo(writer, fromMs);
    for (let at = 0; at < ORDERS_A_MINUTE && engine.betCount < bets; at += 1, next += 1) {
      const timeMs = Math.max(engine.timeMs, fromMs + Math.floor((at * BETTING_MS) / ORDERS_A_MINUTE));
      writer.apply(orderAt(next, timeMs));
    }
  }
  writer.end();
  return { commands: engine.seq, digest: engine.rollingDigest() };
}

/** An order with an Idempotency-Key of its own. */
function orderAt(index: number, timeMs: number): Command {
  const market =
    (index % ASSETS.length) * TIME_FRAMES + (Math.floor(index / ASSETS.length) % TIME_FRAMES_USED);
  const side = Math.floor(index / (ASSETS.length * TIME_FRAMES_USED)) % 2;
  const like = order(index % OPEN_BETS_MAX, ACCOUNTS);
  // Spread over all bits, as digests are.
  const idempotency = must(like.idempotency, 'a key');
  return {
    ...like,
    timeMs,
    market,
    side,
    idempotency: { ...idempotency, keyLow: idempotency.keyLow + index },
  };
}

/** Locks, ends, prices and settles what is due up to `toMs`. */
function passTo(writer: Writer, toMs: number): void {
  const { engine } = writer;
  while (engine.nextDueMs <= toMs) {
    const dueMs = engine.nextDueMs;
    const timeMs = Math.max(dueMs, engine.timeMs);
    writer.apply({ kind: 'advance', timeMs });
    if (dueMs % MINUTE_MS !== 0) continue;
    ASSETS.forEach((_, asset) => {
      const price = 100 + ((dueMs / MINUTE_MS + asset) % 3);
      const priced = { boundaryMs: dueMs, price, priceTimeMs: dueMs, source: null, evidence: 'bench' };
      writer.apply({ kind: 'boundaryPrice', timeMs, asset, ...priced });
    });
    while (engine.settlementsWaiting) {
      writer.apply({ kind: 'settle', timeMs: engine.timeMs, betsMax: SETTLE_SLICE_BETS });
    }
  }
}
