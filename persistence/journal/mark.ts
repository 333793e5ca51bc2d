/**
 * The mark: the last durable batch, in a side file. SQLite ends a WAL at its first damaged frame and silently drops the
 * commits behind it; the mark detects that.
 *
 * Two slots are written in turn, each with its own generation number and checksum, so that a torn write leaves the
 * other one. Writes are not synced: a kill loses none of them, and a power loss can only set the mark back, never ahead
 * of the journal. The slots are 4,096 bytes apart, so that no sector holds both.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { assert } from '../../engine/base/assert.js';
import { attempt, messageOf } from '../../engine/base/attempt.js';
import type { Mark } from '../../engine/model/ports.js';
import { closing } from '../data-dir/closing.js';
import { ifThere, writeFileDurably } from '../data-dir/files.js';
import { isWithheld, orUnusable, unusable } from '../data-dir/layout.js';
import { JournalError } from '../errors.js';
import { crcHex } from './segment/batch-row.js';

const SLOT_BYTES = 4_096;
const SLOT_FORM =
  /^tote-mark v1 generation=(\d{16}) last_seq=(\d{16}) checksum=([0-9a-f]{8}) crc=([0-9a-f]{8})\n/;

export const EMPTY_MARK: Mark = { lastSeq: 0, checksum: '00000000' };

type Slot = Readonly<NonNullable<ReturnType<typeof parseSlot>>>;

/** null if there is no file. Throws `mark_unreadable` if neither slot is whole. */
export function readMarkFile(path: string): Mark | null {
  return readNewestSlot(path)?.mark ?? null;
}

/** The last acknowledged command as far as is known: 0 without a readable mark. */
export const acknowledgedSeq = (path: string): number => attempt(() => readMarkFile(path)?.lastSeq, 0) ?? 0;

export function createMarkFile(path: string, mark: Mark): void {
  const content = Buffer.alloc(2 * SLOT_BYTES);
  content.write(slotText(1, mark), 0, 'latin1');
  writeFileDurably(path, content);
}

/**
 * Raises the mark from `before` (null if there is none) to the end of a recovered journal: all of it is durable,
 * reads will show it, so the mark must cover it.
 */
export function raiseMark(path: string, before: Mark | null, { lastSeq, checksum }: Mark): void {
  if (before === null) createMarkFile(path, EMPTY_MARK);
  if (lastSeq === (before?.lastSeq ?? 0)) return;
  using file = closing(new MarkFile(path));
  file.write({ lastSeq, checksum });
  file.sync();
}

export class MarkFile {
  readonly #fd: number;
  readonly #room = Buffer.alloc(SLOT_BYTES);
  #newest: Slot;

  constructor(readonly path: string) {
    const newest = readNewestSlot(path);
    if (newest === null) throw unreadable(path, 'it is missing');
    this.#newest = newest;
    this.#fd = orUnusable(path, () => openSync(path, 'r+'));
  }

  get mark(): Mark {
    return this.#newest.mark;
  }

  write(mark: Mark): void {
    assert(mark.lastSeq >= this.mark.lastSeq, 'the mark must not go back');
    const index = 1 - this.#newest.index;
    const generation = this.#newest.generation + 1;
    const bytes = this.#room.write(slotText(generation, mark), 'latin1');
    const written = writeSync(this.#fd, this.#room, 0, bytes, index * SLOT_BYTES);
    if (written !== bytes) throw new Error(`only ${written} bytes of the mark were written`);
    this.#newest = { index, generation, mark };
  }

  sync(): void {
    fsyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function readNewestSlot(path: string): Slot | null {
  const refusal = (thrown: unknown): JournalError =>
    isWithheld(thrown) ? unusable(path, thrown) : unreadable(path, messageOf(thrown));
  const content = ifThere(() => readFileSync(path, 'latin1'), refusal);
  if (content === null) return null;
  const slots = [0, 1].map((index) => parseSlot(content, index)).filter((slot) => slot !== null);
  const newest = slots.sort((a, b) => b.generation - a.generation)[0];
  if (newest === undefined) throw unreadable(path, 'neither of its two slots is whole');
  return newest;
}

function slotText(generation: number, mark: Mark): string {
  const number = (value: number): string => String(value).padStart(16, '0');
  const text = `tote-mark v1 generation=${number(generation)} last_seq=${number(mark.lastSeq)} checksum=${mark.checksum} `;
  return `${text}crc=${crcHex(text)}\n`;
}

function parseSlot(content: string, index: number) {
  const text = content.slice(index * SLOT_BYTES, (index + 1) * SLOT_BYTES);
  const [whole, generation, lastSeq, checksum] = SLOT_FORM.exec(text) ?? [];
  if (whole === undefined || checksum === undefined) return null;
  const slot = { index, generation: Number(generation), mark: { lastSeq: Number(lastSeq), checksum } };
  return slotText(slot.generation, slot.mark) === whole ? slot : null;
}

function unreadable(path: string, why: string): JournalError {
  return new JournalError(
    'mark_unreadable',
    `The mark ${path} cannot be read (${why}), so nothing says which batches were acknowledged last. ` +
      'Put the file back from a backup of the same moment, or make a new data directory: npx tote restore DATA_DIR --out NEW_DIR',
  );
}
