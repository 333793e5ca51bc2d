/**
 * The machine of the server: it starts it by the real recovery, kills it, stops it, and starts it again. Disk, clock
 * and crash points outlive the process; everything else does not.
 */
import { AssertionError } from '../../../engine/base/assert.js';
import type { SpaceLevel } from '../../../engine/model/ports.js';
import { MarketHours } from '../../../feeds/market-hours.js';
import { JournalError } from '../../../persistence/errors.js';
import { recoverEngine } from '../../../persistence/recovery/engine.js';
import type { Coverage } from '../coverage.js';
import type { Mutation } from '../mutations/planting.js';
import { RootMaker } from '../threads/root-maker.js';
import { check, Violation } from '../violation.js';
import type { World } from '../world.js';
import { Crash, CrashSwitch, DiskError } from './crash-points.js';
import { type CrashKind, SimDisk } from './disk.js';
import { SimJournalWriter, type WriterHost } from './journal-writer.js';
import { type Scheduler, SimClock } from './scheduler.js';
import { Server } from './server.js';
import { SimSnapshots } from './snapshots.js';
import { SimStore } from './store.js';

/** From the end of a process to the next one's start. */
const DOWN_MS = [20, 20, 300, 300, 300, 2_500, 2_500, 2_500, 15_000, 90_000] as const;
const DRAINED_WITHIN_MS = 200_000;
const hours = new MarketHours();

export class Machine implements WriterHost {
  readonly scheduler: Scheduler;
  readonly coverage: Coverage;
  readonly clock: SimClock;
  readonly disk = new SimDisk();
  readonly crashes = new CrashSwitch();
  server: Server | null = null;
  spaceLevel: SpaceLevel = 'ok';
  /** Counts the server's lives; `crashCount` those that a fault ended. */
  incarnation = 0;
  crashCount = 0;
  #writer: SimJournalWriter | null = null;
  #snapshots: SimSnapshots | null = null;
  #rootMaker: RootMaker | null = null;
  #snapshotSeq = 0;
  #expectsFatal = false;

  constructor(
    private readonly world: World,
    private readonly masterSecret: Uint8Array,
    private readonly mutation: Mutation | null,
  ) {
    this.scheduler = world.scheduler;
    this.coverage = world.coverage;
    this.clock = new SimClock(world.scheduler);
    this.crashes.onBlow = (point, kind) => {
      this.coverage.hit(
        'fault',
        kind === 'EIO' || kind === 'ENOSPC' ? `${kind} at ${point}` : `crash at ${point}`,
      );
      if (kind === 'EIO' || kind === 'ENOSPC') this.#expectsFatal = true;
    };
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }
  get isCalm(): boolean {
    return this.world.isCalm;
  }
  /** Something asynchronous may be under way: a request of an operator, a drain. */
  get needsMicrotasks(): boolean {
    return this.server?.isStopping === true || this.world.network.hasOperatorWaiting;
  }

  boot(): void {
    this.incarnation++;
    this.clock.boot();
    this.crashes.revive();
    this.#expectsFatal = false;
    try {
      this.#start();
    } catch (thrown) {
      this.#onBootFailure(thrown);
    }
  }

  #start(): void {
    const { world, disk } = this;
    const { chances, auditor } = world;
    const store = new SimStore(disk, this.crashes, chances.disk);
    const snapshots = new SimSnapshots(disk, this.crashes, chances.disk);
    const mark = store.readMark();
    const recovered = recoverEngine(store, snapshots, mark, this.clock);
    const { lastSeq, checksum } = recovered.end;
    // The mark is raised to the end.
    if (lastSeq > (mark?.lastSeq ?? 0)) store.writeMark({ lastSeq, checksum });
    this.crashes.reach('recovered');
    const { engine, end } = recovered;
    auditor.onRecovered(recovered);
    if (world.faults.isDamaged) this.coverage.hit('recovery', 'good in spite of damage');
    world.faults.repair();
    const writer = this.mutation?.writer?.(store, this) ?? new SimJournalWriter(store, this);
    this.#writer = writer;
    const server = new Server({
      config: world.config,
      clock: this.clock,
      engine,
      writer,
      masterSecret: this.masterSecret,
      calendar: hours.sessions.bind(hours),
      watcher: auditor.watcher(this),
      incarnation: this.incarnation,
      host: this,
      rng: world.chances.threads,
      coverage: world.coverage,
      limitsOf: this.mutation?.limitsOf ?? ((shared) => shared),
    });
    this.server = server;
    this.#snapshots = snapshots;
    this.#snapshotSeq = recovered.snapshotSeq;
    server.start(world.rules());
    world.network.serve(server.handlers);
    this.#pump(server);
    this.#rootMaker = new RootMaker({
      engine,
      masterSecret: this.masterSecret,
      host: this,
      rng: chances.roots,
      publish: (root) => server.roots.publish(root),
    });
    world.note(() => `life ${this.incarnation} begins at ${end.lastSeq}`);
  }

  #pump(server: Server): void {
    this.later(this.world.config.pumpEveryMs, () => {
      server.pump();
      this.world.auditor.afterPump(server);
      this.#pump(server);
    });
  }

  /** A refusal to start is right where something is damaged, and only there. */
  #onBootFailure(thrown: unknown): void {
    const { faults } = this.world;
    if (thrown instanceof Crash) {
      this.coverage.hit('recovery', 'crashed');
      this.onCrash(thrown);
      return;
    }
    if (thrown instanceof DiskError) {
      this.coverage.hit('recovery', 'disk error');
      this.crashNow('power');
      return;
    }
    if (!(thrown instanceof JournalError)) throw thrown;
    if (!faults.isDamaged)
      throw new Violation('recovery', `an undamaged disk is refused: ${thrown.code} ${thrown.message}`);
    this.coverage.hit('recovery', `refused ${thrown.code}`);
    faults.repair();
    this.#bootLater();
  }

  #bootLater(): void {
    const downMs = this.isCalm ? 100 : this.world.chances.disk.pick(DOWN_MS);
    this.scheduler.after(downMs, () => this.boot());
  }

  endInstant(): void {
    this.server?.endTurns();
  }

  offerTick(asset: number, price: number, timeMs: number): void {
    if (this.server !== null) this.server.feed.offer(asset, price, timeMs);
  }

  /* ---- for faults ---- */

  crashNow(kind: CrashKind): void {
    this.onCrash(new Crash('anywhere', kind));
  }

  onCrash(crash: Crash): void {
    this.crashCount++;
    this.world.trace.fold(this.crashCount);
    this.world.note(() => `${crash.message}, durable ${this.disk.syncedSeq}`);
    this.#end();
    // Damage and a mark that a power loss set back below it would be two faults at once, which nothing can notice.
    const kind = this.world.faults.isDamaged ? 'kill' : crash.kind;
    const fate = this.disk.crash(kind, this.world.chances.disk);
    if (fate !== 'none') this.coverage.hit('fault', `unsynced batch ${fate}`);
    this.disk.reopen();
    this.world.auditor.follow();
    this.#bootLater();
  }

  stop(): void {
    const { server } = this;
    const writer = this.#writer;
    if (server === null || writer === null || server.isStopping) return;
    server.isStopping = true;
    const drained = server.sequencer.drain();
    const untilMs = this.nowMs + DRAINED_WITHIN_MS;
    const close = (): void => {
      if (this.server !== server) return;
      // Gateways answer their requests before the process ends.
      if (server.gateways.pending > 0) {
        check(this.nowMs < untilMs, 'clean stop', () => 'every request is answered before the end');
        this.scheduler.after(1, close);
        return;
      }
      void writer.close();
      this.coverage.hit('recovery', 'clean stop');
      this.#end();
      this.#bootLater();
    };
    // A drain that fails has told the reason as fatal.
    drained.then(close, () => {});
  }

  #end(): void {
    this.server?.die();
    this.server = null;
    this.#writer = null;
    this.#rootMaker = null;
    this.incarnation++;
    this.world.network.serve(null);
  }

  /** The process ends by itself: its journal has failed, or it found a fault in itself. */
  onFatal(error: Error): void {
    const isHung = error.message.includes('has not answered');
    if (error instanceof Violation || error instanceof AssertionError || !(this.#expectsFatal || isHung))
      throw error;
    this.coverage.hit('fault', isHung ? 'fail-stop: hung' : 'fail-stop: disk error');
    // The process is inside its own code: it ends when that has returned.
    const { server } = this;
    this.scheduler.after(0, () => {
      if (this.server === server && server !== null) this.crashNow('power');
    });
  }

  snapshotSoon(): void {
    this.#snapshotSeq = Number.NEGATIVE_INFINITY;
  }

  setSpace(level: SpaceLevel): void {
    this.spaceLevel = level;
    this.#writer?.reportSpace();
  }
  stopGateway(forMs: number): void {
    this.server?.gateways.stopOne(forMs);
  }
  holdRequests(forMs: number): void {
    this.server?.gateways.holdRequests(forMs);
  }
  changeRules(): void {
    this.world.changeRules();
  }
  calm(): void {
    this.crashes.disarm();
    this.setSpace('ok');
    this.clock.wallOffsetMs = 0;
  }

  /* ---- for the journal's thread ---- */

  commitMs(): number {
    const { faults, config, chances } = this.world;
    const hangMs = faults.hangMs;
    faults.hangMs = 0;
    return chances.disk.integer(0, config.commitMs) + faults.slowMs + hangMs;
  }

  later(delayMs: number, run: () => void): void {
    const { incarnation } = this;
    this.scheduler.after(delayMs, () => {
      if (this.incarnation === incarnation) run();
    });
  }

  onCommitted(): void {
    const { auditor, config } = this.world;
    auditor.follow();
    this.#rootMaker?.poll();
    if (auditor.shadow.seq - this.#snapshotSeq < config.snapshotEveryCommands) return;
    this.#snapshotSeq = auditor.shadow.seq;
    this.later(0, () => this.#saveSnapshot());
  }

  /** In some worlds the journal before the oldest snapshot is deleted then. */
  #saveSnapshot(): void {
    const { shadow } = this.world.auditor;
    const last = this.disk.rows.at(-1);
    if (last === undefined || this.#snapshots === null || this.spaceLevel !== 'ok') return;
    this.#snapshotSeq = shadow.seq;
    try {
      this.#snapshots.save(shadow, last.chain);
      this.coverage.hit('recovery', 'snapshot saved');
    } catch (thrown) {
      if (thrown instanceof Crash) this.onCrash(thrown);
      else if (!(thrown instanceof DiskError)) throw thrown;
      return;
    }
    const [oldest] = this.disk.snapshots;
    if (!this.world.config.deletesJournal || oldest === undefined || this.disk.snapshots.length < 2) return;
    if (!this.world.faults.isDamaged && this.disk.deleteThrough(oldest.seq))
      this.coverage.hit('recovery', 'journal shortened');
  }
}
