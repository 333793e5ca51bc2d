/**
 * A machine of the exchange: the real membership, replicator, follower and leader over a disk in memory. A process
 * that ends is started again.
 */
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Batch, JournalWriter, JournalWriterEvents, StoredBatch } from '../../../engine/model/ports.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { replayBatch } from '../../../persistence/replay/replay.js';
import type { EpochMemory } from '../../../persistence/replication/log/replicated-log.js';
import type { FromReplication, ToReplication } from '../../../persistence/replication/messages.js';
import { Replica } from '../../../persistence/replication/replica.js';
import type { ReplicatedJournal } from '../../../persistence/replication/replicated-journal.js';
import { type OpenJournal, Replicator } from '../../../persistence/replication/replicator.js';
import type { ReplicationEvents, ReplicationLink } from '../../../persistence/replication/thread.js';
import { fromErrorParts } from '../../../persistence/thread/error-parts.js';
import { BEGINNING, epochMemory, journalOf } from '../../persistence/replication/support.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { Scheduler } from '../machine/scheduler.js';
import type { Checks, Leading } from './checks.js';
import type { Mutation } from './mutations.js';
import type { Network, Way } from './network.js';
import { SimProcess } from './process.js';

export interface MachineParts {
  readonly scheduler: Scheduler;
  readonly rng: Rng;
  readonly network: Network;
  readonly checks: Checks;
  readonly leaseMs: number;
  readonly mutation: Mutation;
}

export class SimMachine {
  readonly rows: StoredBatch[] = [];
  readonly epochs: EpochMemory;
  readonly way: Way = { isCutUp: false, isCutDown: false };
  diskMs = 2;
  isLoaded = true;
  /** Run once, when a leader has its next batch under way. */
  onCommit: (() => void) | null = null;
  /** Run once, when the log's answer to a leader's batch is on its way to the main thread. */
  onAnswer: (() => void) | null = null;
  process: SimProcess;
  leading: Leading | null = null;
  engine = new Engine();
  #replica: Replica | null = null;
  #journal: ReplicatedJournal | null = null;
  #batch: Batch | null = null;
  #isStopping = false;

  constructor(
    readonly node: string,
    private readonly parts: MachineParts,
    private readonly nextId: () => number,
  ) {
    this.epochs = parts.mutation.epochs?.() ?? epochMemory();
    this.process = this.#start();
  }

  /** SIGKILL. A row that was being written is on the disk, or is not. */
  kill(downMs: number): void {
    this.process.end();
    this.leading = null;
    this.parts.scheduler.after(downMs, () => {
      this.process = this.#start();
    });
  }

  continue(): void {
    const forMs = this.process.continue();
    const { leading } = this;
    if (leading === null || forMs <= this.parts.leaseMs) return;
    if (this.parts.network.log.lastEpoch > leading.epoch) leading.isZombie = true;
  }

  /** SIGTERM, or an operator's wish: a leader answers its orders, and gives its lease back. */
  terminate(): void {
    const { process } = this;
    if (this.#isStopping || !process.isAlive) return;
    this.#isStopping = true;
    if (this.#journal !== null) this.#endIfIdle();
    else void this.#replica?.close().then(() => this.#restart(process));
  }

  covered(seq: number): void {
    this.#replica?.snapshotTaken(seq);
  }

  /** The last command on the disk that is in the log, too. */
  get seq(): number {
    const { batches } = this.parts.network.log;
    const isUnpublished = batches[this.rows.length - 1]?.row.chain !== this.rows.at(-1)?.chain;
    return this.rows.at(isUnpublished ? -2 : -1)?.lastSeq ?? 0;
  }

  #start(): SimProcess {
    const { scheduler, rng, leaseMs } = this.parts;
    const process = new SimProcess(this.nextId(), scheduler, rng);
    this.engine = new Engine();
    for (const row of this.rows) replayBatch(this.engine, row);
    this.#isStopping = false;
    this.#journal = null;
    this.#batch = null;
    const fail = (error: Error): void => this.#fail(process, error);
    const dir = dataDirLayout(`/${this.node}`);
    const store = { engine: this.engine, masterSecret: Buffer.alloc(32), dir };
    const replica = new Replica(
      store,
      this.#disk(process),
      (events) => this.#thread(process, events),
      { leaseMs, monotonicMs: () => this.parts.mutation.leaseClock?.(process) ?? process.monotonicMs() },
      {
        onStatus: () => undefined,
        onTrouble: () => undefined,
        onPublished: () => undefined,
        onHandOver: () => this.terminate(),
        onFailure: fail,
      },
    );
    this.#replica = replica;
    void replica.joined.then((isInLog) => {
      if (process.isAlive && !isInLog) this.#takeBack();
    });
    void replica.leading.then((journal) => {
      // The leader may have been overtaken by the time that its server is ready.
      if (process.isAlive)
        process.after(rng.integer(1, 800), () => this.#lead(process, journal, replica.log.epoch));
    });
    return process;
  }

  #thread(process: SimProcess, events: ReplicationEvents): ReplicationLink {
    const { network, leaseMs, mutation } = this.parts;
    let isOver = false;
    const told = (message: FromReplication): void => {
      if (isOver) return;
      if (message.kind === 'failed') {
        isOver = true;
        events.onFailure(fromErrorParts(message.error));
      } else events.onMessage(message);
    };
    const toMain = (message: FromReplication): void => {
      process.post(() => told(message));
      if (message.kind !== 'published') return;
      const { onAnswer } = this;
      this.onAnswer = null;
      onAnswer?.();
    };
    const log = network.client(process, this.way);
    const replicator = new Replicator({
      ...{ role: 'auto', node: this.node, exchange: 'simulated', leaseMs },
      timers: process.timers,
      epochs: this.epochs,
      openLog: () =>
        new Promise((resolve, reject) => {
          const { isReached } = network;
          process.after(10, () =>
            isReached ? resolve(mutation.log?.(log) ?? log) : reject(new Error('no server')),
          );
        }),
      openJournal: () => this.#openJournal(),
      post: (message) => (mutation.fromThread ?? forward)(message, toMain),
      onFailure: () => undefined,
    });
    process.post(() => replicator.start());
    const take = (message: ToReplication): void => process.post(() => replicator.take(message));
    return {
      post: (message) =>
        (mutation.toThread ?? forward)(message, take, (answer) => process.post(() => told(answer))),
      close: () => {
        isOver = true;
        return new Promise((resolve) => {
          process.post(() => void replicator.release('').then(() => process.post(resolve)));
        });
      },
    };
  }

  #openJournal(): OpenJournal {
    const rows = [...this.rows];
    return {
      ...journalOf(rows),
      readBatches: (afterSeq) => rows.filter(({ lastSeq }) => lastSeq > afterSeq),
      close: () => undefined,
    };
  }

  /** The disk writes in order, also while the process is stopped, and perhaps when it is killed. */
  #disk(process: SimProcess): JournalWriter {
    const { scheduler, rng, checks, mutation } = this.parts;
    let events: JournalWriterEvents | null = null;
    let writtenMs = 0;
    let isLost = false;
    return {
      open: (of) => {
        events = of;
      },
      commit: (batch) => {
        const done = (): void => events?.onDurable(batch.lastSeq);
        const isEarly = mutation.isDiskIgnored === true;
        if (isEarly) process.post(done);
        const isKept = rng.chance(0.5);
        writtenMs = Math.max(writtenMs, scheduler.nowMs + rng.integer(1, this.diskMs));
        scheduler.after(writtenMs - scheduler.nowMs, () => {
          // Nothing is kept behind a lost row.
          if (!process.isAlive && !isKept) isLost = true;
          if (this.process !== process || isLost) return;
          this.rows.push(sealBatch(this.rows.at(-1) ?? BEGINNING, batch));
          checks.journal(this.node, this.rows, this.rows.length - 1);
          if (!isEarly) process.deliver('message', done);
        });
      },
      close: () => Promise.resolve(),
    };
  }

  #takeBack(): void {
    this.parts.checks.takenBack(this.node, must(this.rows.pop(), 'a batch to take back'));
    this.#restart(this.process);
  }

  #fail(process: SimProcess, error: Error): void {
    if (!process.isAlive) return;
    this.parts.checks.ended(this.node, error);
    this.#restart(process);
  }

  #lead(process: SimProcess, journal: ReplicatedJournal, epoch: number): void {
    this.leading = { process, node: this.node, epoch, isZombie: false };
    this.#journal = journal;
    journal.open({
      onDurable: (lastSeq) => this.#onDurable(process, lastSeq),
      onFailure: (error) => this.#fail(process, error),
      onLost: () => undefined,
      onSpaceLevel: () => undefined,
    });
    this.#place(process);
  }

  #place(process: SimProcess): void {
    const { rng, scheduler } = this.parts;
    process.after(rng.integer(5, 120), () => {
      if (this.#isStopping) return;
      if (!this.isLoaded) {
        this.#place(process);
        return;
      }
      const commands = Array.from({ length: rng.integer(1, 3) }, (_, index) => {
        const reference = `${process.id}-${this.engine.seq + index}`;
        return {
          kind: 'depositHouse',
          timeMs: Math.floor(scheduler.nowMs),
          amountCents: 1,
          reference,
          ...OPERATED,
        } as const;
      });
      const firstSeq = this.engine.seq + 1;
      for (const command of commands) this.engine.apply(command);
      const batch: Batch = {
        firstSeq,
        lastSeq: this.engine.seq,
        timeMs: Math.floor(scheduler.nowMs),
        commands: `[${commands.map(encodeCommand).join(',')}]`,
        digest: this.engine.rollingDigest(),
      };
      this.#batch = batch;
      must(this.#journal, 'the journal').commit(batch);
      const { onCommit } = this;
      this.onCommit = null;
      onCommit?.();
    });
  }

  #onDurable(process: SimProcess, lastSeq: number): void {
    const batch = must(this.#batch, 'a batch under way');
    if (batch.lastSeq !== lastSeq) throw new Error('another batch is durable than the one under way');
    this.#batch = null;
    this.parts.checks.acknowledge(must(this.leading, 'the lead'), batch, this.rows);
    this.#endIfIdle();
    if (!this.#isStopping) this.#place(process);
  }

  #endIfIdle(): void {
    const { process } = this;
    if (!this.#isStopping || this.#batch !== null || this.#journal === null) return;
    this.#replica?.release();
    void this.#journal.close().then(() => this.#restart(process));
  }

  #restart(process: SimProcess): void {
    if (process.isAlive) this.kill(this.parts.rng.integer(1, 500));
  }
}

const OPERATED = { reason: 'simulated', operator: 'simulation' } as const;

const forward = <T>(message: T, on: (message: T) => void): void => on(message);
