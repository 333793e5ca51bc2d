/**
 * Looks for damage in the middle of a WAL. SQLite takes a WAL's first bad frame for its end and drops the commits
 * behind it without a word; after a power loss the mark may be too old to notice. But each frame's checksum goes on from
 * the one that stands in the frame before it, so that frames behind a bad one can still be told from left-overs:
 * a commit that was begun after the bad frame's own had been synced proves that the bad one was once whole.
 *
 * With durability `os` commits are not synced one by one, and a power loss may rightly leave such a gap: then it is an
 * end, which only the mark may object to.
 */
import { readFileSync } from 'node:fs';
import { walPath } from '../../data-dir/database-files.js';
import { isMissing } from '../../data-dir/files.js';
import { damaged } from './schema.js';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The least that a disk writes whole, or not at all. */
const SECTOR_BYTES = 512;
/** The last bit says in which byte order checksums are made. */
const MAGIC = 0x377f0682;

/** Throws `journal_corrupt` where commits that were synced stand behind a damaged frame in the segment's WAL. */
export function checkWal(path: string): void {
  const wal = readWal(path);
  if (wal === null) return;
  const bad = wal.firstBad();
  if (bad !== null && wal.hasCommitAfter(bad)) {
    throw damaged(
      path,
      `frame ${bad + 1} of its WAL is bad, and whole commits stand behind it, which SQLite would drop`,
    );
  }
}

function readWal(path: string): Wal | null {
  try {
    const bytes = readFileSync(walPath(path));
    const wal = bytes.length < HEADER_BYTES ? null : new Wal(bytes);
    return wal?.isWhole === true ? wal : null;
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}

/** Frames are numbered from 0. */
class Wal {
  /** Whether the header is: without it SQLite takes nothing from the file, and nothing can be said of its frames. */
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

  /** The frame at which SQLite stops, or null where it takes all. */
  firstBad(): number | null {
    for (let frame = 0; this.#offset(frame) < this.bytes.length; frame += 1) {
      if (!this.#followsOn(frame)) return frame;
    }
    return null;
  }

  /** Whether behind `bad` a commit ends, and a good frame of a later one follows. */
  hasCommitAfter(bad: number): boolean {
    let hasEnded = false;
    for (let frame = bad; this.#offset(frame + 1) <= this.bytes.length; frame += 1) {
      if (hasEnded && this.#followsOn(frame)) return true;
      hasEnded ||= this.#endsCommit(frame);
    }
    return false;
  }

  /** Whether the frame's header, which may be all that is good of the frame, says that a commit of this WAL ends here. */
  #endsCommit(frame: number): boolean {
    const at = this.#offset(frame);
    if (this.bytes.readUInt32BE(at + 4) === 0) return false;
    // The salts speak for what stands before them only where no power loss could have parted the two.
    const mayBeTorn = at % SECTOR_BYTES === SECTOR_BYTES - 8;
    return mayBeTorn ? this.#followsOn(frame) : this.#isOfThisWal(frame);
  }

  /**
   * Whether the frame's header is none left over from before the WAL last began again: a power loss may leave that where
   * the first frame of a commit did not arrive and its others did. Both salts are others then; damage is in one of them.
   */
  #isOfThisWal(frame: number): boolean {
    const { bytes } = this;
    const at = this.#offset(frame) + 8;
    return (
      bytes.readInt32BE(16) === bytes.readInt32BE(at) || bytes.readInt32BE(20) === bytes.readInt32BE(at + 4)
    );
  }

  /** Whether the frame is whole, of this WAL, and right behind the one before it as that one says. */
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

  /** SQLite's checksum of the bytes from `from` to `to`, going on from `sums`. */
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
