/**
 * The reference engine: it never crashes, and applies exactly the durable commands, from the journal's text. It is
 * the shadow that the hot engine is compared with, the reference of every recovery, and the source of the events that
 * the ledger is built from.
 */

import { Engine } from '../../../engine/engine.js';
import { decodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { newHasher } from '../../support/reference/pair.js';
import type { SimDisk } from '../machine/disk.js';
import { check } from '../violation.js';

export type OnDurable = (command: Command, seq: number, events: readonly EngineEvent[]) => void;

export class Reference {
  readonly engine = new Engine();
  batches = 0;
  #digest = '';
  #digestSeq = -1;

  constructor(
    private readonly disk: () => SimDisk,
    private readonly onDurable: OnDurable,
  ) {}

  /** Takes in every row that has become durable. */
  follow(): void {
    const disk = this.disk();
    const { rows } = disk;
    for (let i = disk.indexAfter(this.engine.seq); i < rows.length; i++) this.#apply(rows[i] as StoredBatch);
  }

  #apply(row: StoredBatch): void {
    const commands = JSON.parse(row.commands) as unknown[];
    for (const text of commands) {
      const command = decodeCommand(text);
      const outcome = this.engine.apply(command);
      check(outcome.status === 'accepted', 'shadow', () => `journaled ${command.kind} is ${outcome.status}`);
      this.onDurable(command, outcome.seq, outcome.events);
    }
    const digest = this.engine.rollingDigest();
    check(
      this.engine.seq === row.lastSeq,
      'shadow',
      () => `the batch to ${row.lastSeq} ends at ${this.engine.seq}`,
    );
    check(
      digest === row.digest,
      'shadow equals hot',
      () => `after ${row.lastSeq} the digest is ${digest}, the hot engine's ${row.digest}`,
    );
    this.batches++;
  }

  /** Digest of the whole state; several recoveries of the same journal ask for the same one. */
  #stateDigest(): string {
    if (this.#digestSeq !== this.engine.seq) {
      this.#digest = this.engine.stateDigest(newHasher);
      this.#digestSeq = this.engine.seq;
    }
    return this.#digest;
  }

  /** The whole state of `engine`, which has done exactly the same commands, is the same. */
  checkSame(engine: Engine, what: string): void {
    check(
      engine.seq === this.engine.seq,
      what,
      () => `it ends at ${engine.seq}, durable are ${this.engine.seq}`,
    );
    check(
      engine.rollingDigest() === this.engine.rollingDigest(),
      what,
      () => 'its rolling digest is another',
    );
    check(
      engine.stateDigest(newHasher) === this.#stateDigest(),
      what,
      () => `its state at ${engine.seq} is another`,
    );
  }
}
