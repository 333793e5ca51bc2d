/**
 * Makes the Merkle root of each round anew, from the bets that a replay comes to, and compares it with the one that the
 * journal has put on record. Where the replay began behind a lock, the root on record came with the snapshot.
 */
import type { Engine } from '../../../engine/engine.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import { masterSecretFingerprint } from '../../data-dir/secrets.js';
import { JournalError } from '../../errors.js';
import { RootFeed } from '../../roots/feed.js';
import { RoundRoots } from '../../roots/round-roots.js';

export class RootComparison {
  readonly #feed: RootFeed;
  readonly #fingerprint: string;
  #faults: string[] = [];

  constructor(
    private readonly engine: Engine,
    masterSecret: Uint8Array,
  ) {
    this.#fingerprint = masterSecretFingerprint(masterSecret);
    const roots = new RoundRoots(masterSecret, null, 0);
    this.#feed = new RootFeed(engine, ({ notes, reachedSeq }) => {
      // One after the other, so that a wrong root hides none of those behind it.
      for (const note of notes) {
        try {
          roots.take({ isBeginning: false, notes: [note], reachedSeq });
        } catch (thrown) {
          if (!(thrown instanceof JournalError)) throw thrown;
          this.#faults.push(thrown.message);
        }
      }
    });
  }

  /** Takes what a command did, the engine's last. */
  add(events: readonly EngineEvent[]): void {
    this.#feed.add(events);
  }

  /** What is wrong with the roots since the call before. With another secret than the rounds' all hashes are others. */
  takeFaults(): readonly string[] {
    this.#feed.tell();
    const faults = this.#faults;
    this.#faults = [];
    return this.engine.rules?.masterSecretFingerprint === this.#fingerprint ? faults : [];
  }
}
