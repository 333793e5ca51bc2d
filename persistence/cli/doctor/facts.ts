/** Facts about a machine that decide how well a server runs on it. Nothing is judged here. */
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { freeBytesOf } from '../../data-dir/space.js';
import { type ClockFacts, clockFacts } from './clock-facts.js';

const SYNCS = 200;
/** A page of the journal. */
const WRITE_BYTES = 4_096;
const NS_PER_US = 1_000;

export interface SyncTimes {
  readonly medianUs: number;
  readonly p99Us: number;
}

export interface Machine extends ClockFacts {
  readonly nodeVersion: string;
  readonly platform: string;
  /** null where the C library is another one. */
  readonly glibcVersion: string | null;
  /** The data directory, or the nearest folder above it that exists. */
  readonly folder: string;
  /** Its type as the kernel calls it; null if unknown. */
  readonly fileSystem: string | null;
  /** Of a write of 4 KiB; null where none can be written. */
  readonly sync: SyncTimes | null;
  readonly freeBytes: number;
  /** Files that a process started here may open: the hard limit, to which Node raises the soft one. */
  readonly openFilesMax: number;
  readonly cores: number;
  /** Of the machine or of the container, whichever is less. */
  readonly memoryBytes: number;
  readonly isRoot: boolean;
}

export async function machineOf(dataDir: string): Promise<Machine> {
  const folder = existingFolder(resolve(dataDir));
  const header = (process.report.getReport() as { header?: { glibcVersionRuntime?: string } }).header;
  return {
    nodeVersion: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    glibcVersion: header?.glibcVersionRuntime ?? null,
    folder,
    fileSystem: fileSystemOf(folder, read('/proc/self/mountinfo')),
    sync: measureSync(folder),
    freeBytes: freeBytesOf(folder),
    ...(await clockFacts()),
    openFilesMax: hardLimitIn(read('/proc/self/limits')),
    cores: availableParallelism(),
    memoryBytes: Math.min(totalmem(), memoryLimit()),
    isRoot: process.getuid?.() === 0,
  };
}

function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The type of the mount that `folder` is in, from the text of `/proc/self/mountinfo`: the last of the longest. */
export function fileSystemOf(folder: string, mountinfo: string): string | null {
  let best = '';
  let type: string | null = null;
  for (const line of mountinfo.split('\n')) {
    const [mount = '', rest = ''] = line.split(' - ');
    // Blanks in a path are written as \040.
    const point = (mount.split(' ')[4] ?? '').replaceAll('\\040', ' ');
    const isAbove = point === '/' || folder === point || folder.startsWith(`${point}/`);
    if (point === '' || !isAbove || point.length < best.length) continue;
    best = point;
    type = rest.split(' ')[0] ?? null;
  }
  return type;
}

/** The hard limit in the text of `/proc/<pid>/limits`; Infinity if unknown. */
export function hardLimitIn(limits: string): number {
  const hard = /^Max open files\s+\S+\s+(\d+)\s/m.exec(limits)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

/** Writes as the journal does: a page, then a sync of the data, again and again. */
function measureSync(folder: string): SyncTimes | null {
  const path = join(folder, `.tote-doctor-${process.pid}`);
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch {
    return null;
  }
  try {
    const page = Buffer.alloc(WRITE_BYTES, 1);
    const tookUs: number[] = [];
    for (let n = 0; n < SYNCS; n++) {
      const from = process.hrtime.bigint();
      writeSync(file, page);
      fdatasyncSync(file);
      tookUs.push(Number(process.hrtime.bigint() - from) / NS_PER_US);
    }
    tookUs.sort((a, b) => a - b);
    const at = (share: number): number => Math.round(tookUs[Math.floor(share * (SYNCS - 1))] ?? 0);
    return { medianUs: at(0.5), p99Us: at(0.99) };
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
