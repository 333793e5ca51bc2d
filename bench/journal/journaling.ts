/**
 * The journal alone, through the server's own code: commits by batch size on this disk, and the replay of a journal
 * by the recovery that a start runs.
 */
import { assert } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import { encodeCommand } from '../../engine/model/command-codec.js';
import type { Command } from '../../engine/model/commands.js';
import type { Batch } from '../../engine/model/ports.js';
import { masterSecretFingerprint } from '../../persistence/data-dir/secrets.js';
import { commitBatch } from '../../persistence/journal/commit.js';
import type { Durability } from '../../persistence/journal/segment/open.js';
import { SqliteStore } from '../../persistence/journal/store.js';
import { openStore } from '../../persistence/recovery/open-store.js';
import { systemClock } from '../../process/clock.js';
import { Latencies } from '../client/latencies.js';
import { order, setUpCommands } from '../engine/scenario.js';

const ACCOUNTS = 1_000;
const OPEN_BETS_MAX = 1_000_000;
const BATCH_SIZES = [1, 16, 64, 256, 512];
const REPLAY_BATCH = 128;
const COMMITS_MAX = 2_000;

class Source {
  readonly engine = new Engine();
  readonly #setUp: readonly Command[];
  #next = 0;

  /** Round seeds come from the secret of the directory whose journal the commands go to. */
  constructor(masterSecret: Buffer) {
    this.#setUp = setUpCommands(ACCOUNTS, OPEN_BETS_MAX, masterSecretFingerprint(masterSecret));
  }

  batch(count: number): Batch {
    const firstSeq = this.engine.seq + 1;
    const texts: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const command = this.#setUp[this.#next] ?? order(this.#next - this.#setUp.length, ACCOUNTS);
      this.#next += 1;
      const outcome = this.engine.apply(command);
      assert(outcome.status === 'accepted', `${command.kind} is accepted`);
      texts.push(encodeCommand(command));
    }
    const { seq: lastSeq, timeMs } = this.engine;
    return {
      firstSeq,
      lastSeq,
      timeMs,
      commands: `[${texts.join(',')}]`,
      digest: this.engine.rollingDigest(),
    };
  }

  get setUpCount(): number {
    return this.#setUp.length;
  }
}

/** `end` closes the store, which must contain every command, and releases the directory. */
function newJournal(path: string, durability: Durability) {
  const { dir, lock, masterSecret } = openStore(path, systemClock, () => {});
  const store = SqliteStore.open(dir, durability);
  const source = new Source(masterSecret);
  commitBatch(store, source.batch(source.setUpCount));
  const end = (): void => {
    assert(store.lastSeq === source.engine.seq, 'every command is in the journal');
    store.close();
    lock.release();
  };
  return { store, source, end };
}

/** Each batch size gets a new journal, at most `commandsMax` commands and 2,000 commits. */
export function commitRates(dir: string, commandsMax: number, durability: Durability) {
  return BATCH_SIZES.map((batchSize) => {
    const { store, source, end } = newJournal(`${dir}/commits-${batchSize}`, durability);
    const commits = Math.min(COMMITS_MAX, Math.floor(commandsMax / batchSize));
    const latencies = new Latencies();
    let totalMs = 0;
    for (let count = 0; count < commits; count += 1) {
      const batch = source.batch(batchSize);
      const startedMs = performance.now();
      commitBatch(store, batch);
      latencies.record(performance.now() - startedMs);
      // After the acknowledgement, but before the next commit: it counts in the rate, not in the latency.
      store.checkpointIfDue();
      totalMs += performance.now() - startedMs;
    }
    end();
    const { p50Us, p99Us, maxUs } = latencies.summary();
    const commitsPerSecond = (commits * 1000) / totalMs;
    return {
      batchSize,
      commitsPerSecond,
      commandsPerSecond: commitsPerSecond * batchSize,
      p50Us,
      p99Us,
      maxUs,
    };
  });
}

export function writeJournal(dir: string, orders: number) {
  const { store, source, end } = newJournal(dir, 'os');
  while (source.engine.betsPlaced < orders) {
    commitBatch(store, source.batch(Math.min(REPLAY_BATCH, orders - source.engine.betsPlaced)));
    store.checkpointIfDue();
  }
  end();
  return { commands: source.engine.seq, digest: source.engine.rollingDigest() };
}

/** Checks and replays the journal in `dir`, which contains `orders` orders, as a start does. */
export function journalReplayRate(dir: string, orders: number) {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const { engine, recovered, lock } = openStore(dir, systemClock, () => {});
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  lock.release();
  assert(engine.betsPlaced === orders && !recovered.wasUnclean, 'the whole journal was replayed');
  const { seq: commands } = engine;
  return {
    commands,
    commandsPerSecond: (commands * 1000) / tookMs,
    /** Per second of CPU time, which a busy machine does not distort. */
    commandsPerCpuSecond: (commands * 1e6) / (user + system),
    digest: engine.rollingDigest(),
  };
}
