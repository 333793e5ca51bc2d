/** The archive's reader in one thread: its archive is made of a journal in memory. */
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { type ArchiveAnswer, type ArchiveReads, archiveReads } from '../../../engine/model/archive-reads.js';
import type { Batch } from '../../../engine/model/ports.js';
import { ArchiveReader } from '../../../persistence/archive/reader/reader.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import { CHAIN_START } from '../../../persistence/journal/segment/batch-row.js';
import { commandsOf } from '../../../persistence/replay/replay.js';
import { newFolder } from '../new-folder.js';

const START = { seq: 0, timeMs: 0, digest: '', chain: CHAIN_START };

export const NO_ARCHIVE: ArchiveReads = archiveReads((_question, tell) =>
  tell({ refused: 'archive_unavailable', detail: 'there is no archive here' }),
);

const BEHIND: ArchiveAnswer = {
  refused: 'archive_behind',
  detail: 'the newest events are not stored yet; try again',
};

export function archiveOfJournal(durable: () => readonly Batch[]): ArchiveReads {
  let made: MadeArchive | null = null;
  return archiveReads((question, tell) => {
    made ??= new MadeArchive();
    made.follow(durable());
    const found = made.reader.answer(question);
    // The answer itself may be null.
    tell(found === null ? BEHIND : found.answer);
  });
}

class MadeArchive {
  readonly reader: ArchiveReader;
  readonly #engine = new Engine();
  readonly #writer: ArchiveWriter;
  #batches = 0;

  constructor() {
    const dir = openDataDir(newFolder());
    this.#writer = ArchiveWriter.create(dir, START, this.#engine, 1);
    this.#writer.follow(this.#engine);
    this.reader = must(ArchiveReader.open(dir.archiveFile), 'the archive that was made');
  }

  follow(durable: readonly Batch[]): void {
    const engine = this.#engine;
    for (const batch of durable.slice(this.#batches)) {
      for (const command of commandsOf(batch)) {
        const outcome = engine.apply(command);
        if (outcome.status === 'accepted') this.#writer.add(outcome.seq, command, outcome.events);
      }
    }
    if (this.#batches === durable.length) return;
    this.#batches = durable.length;
    const { seq, timeMs } = engine;
    this.#writer.commit({ seq, timeMs, digest: engine.rollingDigest(), chain: CHAIN_START });
  }
}
