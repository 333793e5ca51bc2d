/**
 * Free space on the journal's disk, as levels (design, "Faults"): each level is entered at its mark and left only
 * a tenth above it, so that a disk at a mark does not flutter. The worst level leaves enough for the commits under
 * way and for a clean close, which is what keeps a full disk from ending in a torn journal.
 */
import { statfsSync } from 'node:fs';
import { assert } from '../../engine/base/assert.js';
import type { SpaceLevel } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';

/** Below this much free space the level holds. */
export interface SpaceThresholds {
  readonly softBytes: number;
  readonly reserveBytes: number;
  readonly hardBytes: number;
}

const MIB = 1024 * 1024;
export const DEFAULT_SPACE_THRESHOLDS: SpaceThresholds = {
  softBytes: 2_048 * MIB,
  reserveBytes: 1_024 * MIB,
  hardBytes: 256 * MIB,
};

/** What an ordinary user may still write on the file system of `path`. */
export function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Left free beside a copy of files. */
const COPY_SPARE_BYTES = 16 * MIB;

/** Free space that a copy of so many bytes needs. */
export const copyNeedsBytes = (bytes: number): number => bytes + COPY_SPARE_BYTES;

/**
 * Throws `disk_full` where the file system of `path` has no space for a copy of so many bytes. `sentence` is made of what
 * is needed and what is free, in words.
 */
export function requireSpaceForCopy(
  path: string,
  bytes: number,
  sentence: (needed: string, free: string) => string,
): void {
  const neededBytes = copyNeedsBytes(bytes);
  const freeBytes = freeBytesOf(path);
  if (freeBytes >= neededBytes) return;
  const mib = (count: number): string => `${Math.ceil(count / MIB)} MiB`;
  throw new JournalError('disk_full', sentence(mib(neededBytes), mib(freeBytes)));
}

/** A level is left when this share of its threshold is free above it. */
const HYSTERESIS = 0.1;
const LEVELS: readonly SpaceLevel[] = ['ok', 'soft', 'reserve', 'hard'];

export class SpaceWatch {
  readonly #thresholds: readonly number[];
  readonly #freeBytes: () => number;
  #level = 0;

  /** `freeBytes` asks the file system how much an ordinary user may still write. */
  constructor(thresholds: SpaceThresholds, freeBytes: () => number) {
    const { softBytes, reserveBytes, hardBytes } = thresholds;
    assert(softBytes >= reserveBytes && reserveBytes >= hardBytes, 'space thresholds must not rise');
    this.#thresholds = [softBytes, reserveBytes, hardBytes];
    this.#freeBytes = freeBytes;
  }

  get level(): SpaceLevel {
    return LEVELS[this.#level] ?? 'hard';
  }

  /** Looks again; true where the level has changed. */
  check(): boolean {
    const freeBytes = this.#freeBytes();
    const before = this.#level;
    this.#level = this.#thresholds.filter((thresholdBytes, index) => {
      const marginBytes = index < before ? thresholdBytes * HYSTERESIS : 0;
      return freeBytes < thresholdBytes + marginBytes;
    }).length;
    return this.#level !== before;
  }
}
