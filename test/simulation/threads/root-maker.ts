/**
 * Makes the roots of rounds beside one life of the server, as the shadow and its thread do: the real feed and the
 * real trees over an engine that begins at the recovery's snapshot and follows the durable rows. Roots come late, as
 * threads do, and now and then too late.
 */
import { Engine } from '../../../engine/engine.js';
import { decodeCommand } from '../../../engine/model/command-codec.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../../persistence/errors.js';
import { RootFeed } from '../../../persistence/roots/feed.js';
import type { MadeRoot, RootNotes } from '../../../persistence/roots/messages.js';
import type { RoundRoots } from '../../../persistence/roots/round-roots.js';
import { newRoundRoots } from '../../support/engine/signing.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { SimDisk } from '../machine/disk.js';
import { check, Violation } from '../violation.js';
import type { ThreadHost } from './thread.js';

const POLL_MS = 200;
/** The thread hangs this often. `HANG_MS_MAX`: a round of a minute is settled by then. */
const HANG_CHANCE = 0.02;
const HANG_MS_MAX = 30_000;

export interface RootMakerParts {
  readonly disk: SimDisk;
  readonly snapshot: Engine | null;
  readonly masterSecret: Uint8Array;
  readonly host: ThreadHost;
  readonly rng: Rng;
  readonly publish: (root: MadeRoot) => void;
  /** A row on the disk may be damaged: nothing is read then. */
  readonly isDamaged: () => boolean;
}

export class RootMaker {
  readonly #engine: Engine;
  readonly #roots: RoundRoots;
  readonly #feed: RootFeed;
  #isPolling = false;
  #toldUntilMs = 0;

  constructor(private readonly parts: RootMakerParts) {
    this.#engine = parts.snapshot ?? new Engine();
    this.#roots = newRoundRoots(parts.masterSecret, parts.disk.syncedSeq);
    this.#feed = new RootFeed(this.#engine, (notes) => this.#post(notes));
    this.poll();
  }

  /** Something is durable: it is looked at within the time of a poll. */
  poll(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.parts.host.later(this.parts.rng.integer(0, POLL_MS), () => {
      this.#isPolling = false;
      this.follow();
    });
  }

  follow(): void {
    if (this.parts.isDamaged()) return;
    const { rows } = this.parts.disk;
    for (let i = this.parts.disk.indexAfter(this.#engine.seq); i < rows.length; i++) {
      for (const text of JSON.parse((rows[i] as StoredBatch).commands) as unknown[]) {
        const command = decodeCommand(text);
        const outcome = this.#engine.apply(command);
        check(
          outcome.status === 'accepted',
          'roots follow',
          () => `journaled ${command.kind} is ${outcome.status}`,
        );
        this.#feed.add(outcome.events);
      }
    }
    this.#feed.tell();
  }

  /** To the thread of roots: no message overtakes another. */
  #post(notes: RootNotes): void {
    const { host, rng } = this.parts;
    const lateMs = rng.chance(HANG_CHANCE) ? rng.integer(0, HANG_MS_MAX) : rng.integer(0, 3);
    this.#toldUntilMs = Math.max(this.#toldUntilMs, host.nowMs + lateMs);
    host.later(this.#toldUntilMs - host.nowMs, () => this.#take(notes));
  }

  #take(notes: RootNotes): void {
    try {
      for (const root of this.#roots.take(notes)) this.parts.publish(root);
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      throw new Violation('root made again', thrown.message);
    }
  }
}
