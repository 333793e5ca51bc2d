/**
 * Free space on the journal's disk, as levels. A level is left a tenth above its threshold, so that a disk near one
 * does not flap. The worst level leaves enough for the commits in flight and a clean close: a full disk does not tear
 * the journal.
 */
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert } from '../../engine/base/assert.js';
import type { SpaceLevel } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';

const MIB = 1024 * 1024;
const HARD_MIB = 256;
/** A level is entered when less than this is free. */
export const DEFAULT_SPACE_THRESHOLDS = {
  softBytes: 2_048 * MIB,
  reserveBytes: 1_024 * MIB,
  hardBytes: HARD_MIB * MIB,
};
export type SpaceThresholds = Readonly<typeof DEFAULT_SPACE_THRESHOLDS>;

const HYSTERESIS = 0.1;
/** A start needs more than the hard mark: it must not stop again at once. */
export const START_BYTES = Math.ceil(HARD_MIB * (1 + HYSTERESIS)) * MIB;

/** Free for an ordinary user. A path that was deleted counts as the folder above it. */
export function freeBytesOf(path: string): number {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const COPY_SPARE_BYTES = 16 * MIB;

export const copyNeedsBytes = (bytes: number): number => bytes + COPY_SPARE_BYTES;

/**
 * Throws `disk_full` if a copy of `bytes` bytes does not fit. `sentence` gets the needed and the free bytes as text.
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

const LEVELS: readonly SpaceLevel[] = ['ok', 'soft', 'reserve', 'hard'];

export class SpaceWatch {
  readonly #thresholds: readonly number[];
  #level = 0;

  constructor(
    { softBytes, reserveBytes, hardBytes }: SpaceThresholds,
    private readonly freeBytes: () => number,
  ) {
    assert(softBytes >= reserveBytes && reserveBytes >= hardBytes, 'space thresholds must not rise');
    this.#thresholds = [softBytes, reserveBytes, hardBytes];
  }

  get level(): SpaceLevel {
    return LEVELS[this.#level] ?? 'hard';
  }

  check(): boolean {
    const freeBytes = this.freeBytes();
    const before = this.#level;
    this.#level = this.#thresholds.filter((thresholdBytes, index) => {
      const marginBytes = index < before ? thresholdBytes * HYSTERESIS : 0;
      return freeBytes < thresholdBytes + marginBytes;
    }).length;
    return this.#level !== before;
  }
}
