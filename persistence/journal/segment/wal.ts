/**
 * Finds damage in the middle of a WAL. SQLite treats the first bad frame of a WAL as its end and silently drops the
 * commits behind it; after a power loss the mark may be too old to notice. But the checksum of each frame continues
 * from the one in the frame before it, so frames behind a bad one can still be told from leftovers: a commit that began
 * after the commit of the bad frame was synced proves that the bad frame was once whole.
 *
 * With durability `os` commits are not synced one by one, and a power loss may legitimately leave such a gap. Then it
 * is the end, and only the mark may object.
 */
import { readFileSync } from 'node:fs';
import { ifThere, walPath } from '../../data-dir/files.js';
import { damaged } from './schema.js';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The smallest unit that a disk writes completely or not at all. */
const SECTOR_BYTES = 512;
/** The last bit is the byte order of the checksums. */
const MAGIC = 0x377f0682;

/**
 * Throws `journal_corrupt` if synced commits are behind a damaged frame in the WAL of the segment, or anything behind a
 * damaged header, which SQLite syncs before it writes the first frame.
 */
export function checkWal(path: string): void {
  const bytes = ifThere(() => readFileSync(walPath(path)));
  if (bytes === null || bytes.length <= HEADER_BYTES) return;
  const wal = new Wal(bytes);
  if (!wal.isWhole) {
    throw damaged(path, 'the header of its WAL is bad, and SQLite would drop all that stands behind it');
  }
  const bad = wal.firstBad();
  if (bad !== null && wal.hasCommitAfter(bad)) {
    throw damaged(
      path,
      `frame ${bad + 1} of its WAL is bad, and whole commits stand behind it, which SQLite would drop`,
    );
  }
}

class Wal {
  /** Whether the header is whole. If not, SQLite reads nothing from the file, and its frames cannot be judged. */
  readonly isWhole: boolean;
  readonly #frameBytes: number;
  readonly #isBigEndian: boolean;

  constructor(private readonly bytes: Buffer) {
    const magic = bytes.readUInt32BE(0);
    this.#isBigEndian = magic === MAGIC + 1;
    this.#frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(8);
    const sums = this.#sum([0, 0], 0, HEADER_BYTES - 8);
    this.isWhole = (magic === MAGIC || this.#isBigEndian) && this.#sumsAt(HEADER_BYTES - 8, sums);
  }

  /** SQLite stops at this frame; null if it reads all. Frames are numbered from 0. */
  firstBad(): number | null {
    for (let frame = 0; this.#offset(frame) < this.bytes.length; frame += 1) {
      if (!this.#followsOn(frame)) return frame;
    }
    return null;
  }

  hasCommitAfter(bad: number): boolean {
    let hasEnded = false;
    for (let frame = bad; this.#offset(frame + 1) <= this.bytes.length; frame += 1) {
      if (hasEnded && this.#followsOn(frame)) return true;
      hasEnded ||= this.#endsCommit(frame);
    }
    return false;
  }

  /** By the header of the frame, which may be the only good part of it. */
  #endsCommit(frame: number): boolean {
    const at = this.#offset(frame);
    if (this.bytes.readUInt32BE(at + 4) === 0) return false;
    // The salts vouch for what is before them only if both are in one sector, which a power loss cannot tear.
    const mayBeTorn = at % SECTOR_BYTES === SECTOR_BYTES - 8;
    return mayBeTorn ? this.#followsOn(frame) : this.#isOfThisWal(frame);
  }

  /**
   * Whether the header of the frame is from this run of the WAL and not left over from before it was restarted. A power
   * loss may leave an old header where the first frame of a commit did not arrive but later ones did. Then both salts
   * differ; damage affects only one of them.
   */
  #isOfThisWal(frame: number): boolean {
    const { bytes } = this;
    const at = this.#offset(frame) + 8;
    return (
      bytes.readInt32BE(16) === bytes.readInt32BE(at) || bytes.readInt32BE(20) === bytes.readInt32BE(at + 4)
    );
  }

  /** The frame is whole, from this run of the WAL, and continues the checksum of the frame before it. */
  #followsOn(frame: number): boolean {
    const { bytes } = this;
    const at = this.#offset(frame);
    if (this.#offset(frame + 1) > bytes.length) return false;
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) return false;
    const sumsBefore = frame === 0 ? HEADER_BYTES - 8 : this.#offset(frame - 1) + 16;
    let sums = this.#sum([bytes.readUInt32BE(sumsBefore), bytes.readUInt32BE(sumsBefore + 4)], at, at + 8);
    sums = this.#sum(sums, at + FRAME_HEADER_BYTES, this.#offset(frame + 1));
    return this.#sumsAt(at + 16, sums);
  }

  #offset(frame: number): number {
    return HEADER_BYTES + frame * this.#frameBytes;
  }

  #sumsAt(at: number, [first, second]: readonly [number, number]): boolean {
    return this.bytes.readUInt32BE(at) === first && this.bytes.readUInt32BE(at + 4) === second;
  }

  /** SQLite's checksum, continued from `sums`. */
  #sum([first, second]: readonly [number, number], from: number, to: number): [number, number] {
    let a = first;
    let b = second;
    const { bytes } = this;
    for (let at = from; at < to; at += 8) {
      const [x, y] = this.#isBigEndian
        ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
        : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      a = (a + x + b) >>> 0;
      b = (b + y + a) >>> 0;
    }
    return [a, b];
  }
}
