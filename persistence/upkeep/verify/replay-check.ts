/**
 * Replays a journal, from its beginning or from the oldest good snapshot, and compares the rolling digest and the
 * books after every batch, the Merkle root of every round and its signature, the full state with every snapshot, and
 * every row of the archive.
 */
import { lstatSync } from 'node:fs';
import { newSha256 } from '../../../crypto/hashes.js';
import { messageOf } from '../../../engine/base/attempt.js';
import { Engine, type EngineReads } from '../../../engine/engine.js';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { roundId } from '../../../engine/model/domain.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { ArchiveProgress } from '../../archive/schema.js';
import { isOtherSecret } from '../../data-dir/secrets.js';
import type { ChainPosition } from '../../journal/segment/batch-row.js';
import { ReplayMismatch, replayBatch } from '../../replay/replay.js';
import { type BatchEnd, faultAtEnd } from '../../replay/usable-snapshot.js';
import { RootFeed } from '../../roots/feed.js';
import type { RootNote } from '../../roots/messages.js';
import { type RoundRoot, RoundRoots } from '../../roots/round-roots.js';
import type { SnapshotFiles } from '../../snapshot/files.js';
import { ArchiveComparison } from './archive-rows.js';
import type { Findings } from './findings.js';
import type { RootSignatures } from './root-signatures.js';

interface ReplayCheckSources {
  readonly snapshots: SnapshotFiles;
  readonly archiveFile: string;
  readonly archive: ArchiveProgress | null;
  /** null if it cannot be read: then no roots are compared. */
  readonly masterSecret: Uint8Array | null;
  readonly signatures: RootSignatures;
}

export class ReplayCheck {
  #engine: Engine | null = null;
  #comparison: ArchiveComparison | null = null;
  #roots: RootComparison | null = null;
  /** Oldest first. */
  readonly #ahead: SnapshotRef[];
  #ended: string | null = null;
  #fromSeq = 0;
  readonly compared: SnapshotRef[] = [];
  batches = 0;

  constructor(
    readonly sources: ReplayCheckSources,
    readonly findings: Findings,
  ) {
    this.#ahead = [...sources.snapshots.list()].reverse();
  }

  /** null if there is no state to start from. */
  get engine(): Engine | null {
    return this.#engine;
  }
  get rowsCompared(): number {
    return this.#comparison?.rowsCompared ?? 0;
  }
  get fromSeq(): number {
    return this.#fromSeq;
  }

  /** Call it where the journal begins. */
  begin(start: ChainPosition): void {
    if (start.lastSeq === 0) {
      this.#startFrom(new Engine());
      return;
    }
    for (; (this.#ahead[0]?.seq ?? start.lastSeq) < start.lastSeq; this.#ahead.shift()) {
      const ref = this.#ahead[0];
      if (ref !== undefined && this.#load(ref) !== null)
        this.findings.note(
          `The snapshot ${ref.name} is of what is absent: only the file itself was checked.`,
        );
    }
    this.#reach(start.lastSeq, { chain: start.chain, digest: null });
  }

  /** `row` is good and follows the one before. `path` is its segment. */
  apply(row: StoredBatch, path: string): void {
    if (this.#engine !== null && this.#ended === null) {
      const what = this.#replay(this.#engine, row, path);
      if (what !== null) {
        this.findings.fault('replay', path, row.firstSeq, what);
        this.#ended = `the replay ended at sequence number ${row.firstSeq}`;
      }
    }
    this.#reach(row.lastSeq, row);
  }

  /** Call it after the last good batch; `lastSeq` is the end of the journal, `isLater` whether it has come so far since. */
  end(lastSeq: number, isWhole: boolean, isLater: (seq: number) => boolean): void {
    if (this.#engine === null) {
      if (lastSeq > 0) this.findings.note('Nothing was replayed: there is no good snapshot to begin with.');
    } else if (this.#ended === null) {
      const fault = faultOfBooks(this.#engine);
      if (fault !== null) this.findings.fault('conservation', '', this.#engine.seq, fault);
      if (isWhole) this.#comparison?.end(lastSeq);
    }
    // A backup copies its snapshots before their part of the journal.
    for (const ref of this.#ahead) if (!isLater(ref.seq)) this.#checkUnreached(ref, lastSeq, isWhole);
    this.#comparison?.close();
  }

  #startFrom(engine: Engine): void {
    this.#engine = engine;
    this.#fromSeq = engine.seq;
    const { archive, archiveFile, masterSecret } = this.sources;
    if (masterSecret !== null) this.#roots = new RootComparison(engine, masterSecret);
    if (archive === null) return;
    this.#comparison = new ArchiveComparison(archiveFile, archive, engine.seq, engine, this.findings);
  }

  #replay(engine: Engine, row: StoredBatch, path: string): string | null {
    this.batches += 1;
    try {
      replayBatch(engine, row, ({ seq, events }, command) => {
        this.#comparison?.add(seq, command, events);
        this.#roots?.add(events);
        this.sources.signatures.ofCommand(engine, events, path, seq);
      });
    } catch (thrown) {
      if (!(thrown instanceof ReplayMismatch)) throw thrown;
      return thrown.what;
    }
    const fault = faultOfTotals(engine);
    if (fault !== null) this.findings.fault('conservation', '', row.lastSeq, fault);
    for (const what of this.#roots?.takeFaults() ?? []) this.findings.fault('root', path, row.lastSeq, what);
    this.#comparison?.atEnd(row);
    return null;
  }

  #reach(lastSeq: number, end: BatchEnd): void {
    while (this.#ahead[0] !== undefined && this.#ahead[0].seq <= lastSeq) {
      const ref = this.#ahead.shift();
      if (ref === undefined) return;
      if (ref.seq < lastSeq)
        this.findings.fault('snapshot', ref.name, ref.seq, 'No batch of the journal ends where it stands.');
      else this.#compareSnapshot(ref, end);
    }
  }

  #compareSnapshot(ref: SnapshotRef, end: BatchEnd): void {
    const loaded = this.#load(ref);
    if (loaded === null) return;
    const fault = (what: string): void => this.findings.fault('snapshot', ref.name, ref.seq, what);
    const why = faultAtEnd(loaded.meta, end);
    if (why !== null) {
      fault(`It is not of this journal: ${why}`);
      return;
    }
    if (this.#engine === null) {
      this.#startFrom(loaded.engine);
      this.sources.signatures.ofSnapshot(loaded.engine, ref.name);
      this.compared.push(ref);
      return;
    }
    if (this.#ended !== null) return;
    const [there, expected] = isSameState(loaded.engine, this.#engine)
      ? []
      : [loaded.engine, this.#engine].map((engine) => engine.stateDigest(newSha256));
    if (there !== expected) {
      fault(`Its state has the digest ${there}; the replay gives ${expected}.`);
    }
    this.compared.push(ref);
    const books = faultOfBooks(this.#engine);
    if (books !== null) this.findings.fault('conservation', '', ref.seq, books);
  }

  #checkUnreached(ref: SnapshotRef, lastSeq: number, isWhole: boolean): void {
    const loaded = this.#load(ref);
    if (loaded === null) return;
    if (isWhole) {
      const what = `It stands at ${ref.seq}, but the journal ends at ${lastSeq}.`;
      this.findings.fault('snapshot', ref.name, ref.seq, what);
    } else {
      this.findings.note(
        `The snapshot ${ref.name} lies behind a fault of the journal: only the file itself was checked.`,
      );
    }
  }

  #load(ref: SnapshotRef): ReturnType<SnapshotFiles['load']> | null {
    try {
      return this.sources.snapshots.load(ref);
    } catch (thrown) {
      const isThere = lstatSync(ref.name, { throwIfNoEntry: false }) !== undefined;
      if (isThere) this.findings.fault('snapshot', ref.name, ref.seq, messageOf(thrown));
      else this.findings.note(`The snapshot ${ref.name} is not compared: it was deleted meanwhile.`);
      return null;
    }
  }
}

/** The running sums; null if they are right. */
function faultOfTotals(engine: EngineReads): string | null {
  const { houseCents, accountsCents, openStakesCents, openSeedsCents, reservedStakesCents, ...moved } =
    engine.totals();
  const { depositsCents, withdrawalsCents } = moved;
  const held = houseCents + accountsCents + openStakesCents + openSeedsCents + reservedStakesCents;
  const paidIn = depositsCents - withdrawalsCents;
  if (held === paidIn && houseCents >= 0) return null;
  return (
    `house ${houseCents} + accounts ${accountsCents} + open stakes ${openStakesCents} + open seeds ${openSeedsCents} + ` +
    `reserved stakes ${reservedStakesCents} = ${held} cents, but deposits ${depositsCents} - withdrawals ${withdrawalsCents} = ${paidIn}`
  );
}

/** The sums of all accounts and all open bets; null if they are right. */
function faultOfBooks(engine: EngineReads): string | null {
  let accountsCents = 0;
  let openStakesCents = 0;
  let reservedStakesCents = 0;
  for (let account = 1; account <= engine.accountCount; account++) {
    const balanceCents = engine.account(account)?.balanceCents ?? 0;
    if (balanceCents < 0) return `the balance of acc_${account} is ${balanceCents} cents`;
    accountsCents += balanceCents;
    for (const { status, stakeCents } of engine.openPositions(account)) {
      if (status === 'PENDING') reservedStakesCents += stakeCents;
      else openStakesCents += stakeCents;
    }
  }
  const totals = engine.totals();
  const sums = [
    ["accounts' balances", accountsCents, totals.accountsCents],
    ["open bets' stakes", openStakesCents, totals.openStakesCents],
    ["resting orders' stakes", reservedStakesCents, totals.reservedStakesCents],
  ] as const;
  for (const [what, cents, sumCents] of sums)
    if (cents !== sumCents) return `the ${what} add up to ${cents} cents, the engine's sum is ${sumCents}`;
  return faultOfTotals(engine);
}

/** Compares the roots on record with those of the bets that the journal tells of. */
class RootComparison {
  readonly #feed: RootFeed;
  /** By locked round, until it is settled. */
  readonly #made = new Map<string, RoundRoot>();
  #faults: string[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly masterSecret: Uint8Array,
  ) {
    const roots = new RoundRoots(masterSecret);
    const take = (notes: readonly RootNote[]): void => {
      for (const root of roots.take(notes)) this.#made.set(roundId(root.market, root.roundNumber), root);
    };
    this.#feed = new RootFeed(engine, take, Number.POSITIVE_INFINITY);
    this.#feed.tell();
  }

  /** The events are of the engine's last command. */
  add(events: readonly EngineEvent[]): void {
    if (events.some(({ type }) => type === 'roundLocked')) this.#feed.tell();
    for (const event of events) {
      if (event.type === 'rootPublished') this.#compare(event);
      else if (event.type === 'roundSettled') this.#made.delete(roundId(event.market, event.roundNumber));
    }
  }

  #compare({ market, roundNumber, merkleRoot, treeSize }: RoundRoot): void {
    const id = roundId(market, roundNumber);
    const own = this.#made.get(id);
    // A round that locked before the replay began has none.
    if (own === undefined || (own.merkleRoot === merkleRoot && own.treeSize === treeSize)) return;
    this.#faults.push(
      `The journal has the Merkle root ${merkleRoot} of ${treeSize} bets for the round ${id}; the bets that it tells of have ` +
        `${own.merkleRoot}, of ${own.treeSize}. Neither is to be trusted before it is known which is wrong.`,
    );
  }

  /** Since the call before. None with another secret than the rounds', since all hashes are others then. */
  takeFaults(): readonly string[] {
    const faults = this.#faults;
    this.#faults = [];
    return faults.length > 0 && isOtherSecret(this.engine.rules, this.masterSecret) ? [] : faults;
  }
}

/**
 * Compares text by text: digests of the full states take longer. Also false if only an order differs, which does not
 * affect digests: those decide then.
 */
function isSameState(one: Engine, other: Engine): boolean {
  const others = [...other.exportTables()];
  return [...one.exportTables()].every((table, index) => {
    const match = others[index];
    return match?.form.name === table.form.name && areSameBlocks(table.blocks, match.blocks);
  });
}

function areSameBlocks(one: Iterable<Uint8Array>, other: Iterable<Uint8Array>): boolean {
  const others = other[Symbol.iterator]();
  for (const block of one) {
    const next = others.next();
    if (next.done === true || Buffer.compare(block, next.value) !== 0) return false;
  }
  return others.next().done === true;
}
