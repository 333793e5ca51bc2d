/**
 * The points at which a process can be killed or an operation made to fail: before and after every operation on the
 * disk. One point is armed at a time, and hits the next operation that reaches it.
 */
import type { CrashKind } from './disk.js';

export const CRASH_POINTS = [
  ...['append.before', 'append.after', 'sync.before', 'sync.during', 'sync.after', 'mark.before'],
  ...['mark.after', 'readMark.before', 'read.before', 'read.row', 'read.after', 'recovered'],
  ...['snapshot.save.before', 'snapshot.save.during', 'snapshot.save.after', 'snapshot.load'],
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export const FAILING_POINTS = [
  'append.before',
  'sync.during',
  'mark.before',
  'snapshot.save.before',
] as const;

/** The end of the process, on its way up from an operation. */
export class Crash extends Error {
  override readonly name = 'Crash';
  constructor(
    readonly point: CrashPoint | 'anywhere',
    readonly kind: CrashKind,
  ) {
    super(`${kind} at ${point}`);
  }
}

/** The operating system's word for a failed operation. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  constructor(readonly code: 'EIO' | 'ENOSPC') {
    super(`${code}: the simulated disk`);
  }
}

type Blow = { readonly point: CrashPoint; readonly kind: CrashKind | 'EIO' | 'ENOSPC'; passes: number };

export class CrashSwitch {
  #armed: Blow | null = null;
  /** The crash that ended this process: no operation gets by it, whoever may have caught it. */
  #crash: Crash | null = null;
  onBlow: (point: CrashPoint, kind: Blow['kind']) => void = () => {};

  /** Hits the `passes + 1`th operation that reaches `point`. */
  arm(point: CrashPoint, kind: Blow['kind'], passes = 0): void {
    this.#armed = { point, kind, passes };
  }
  disarm(): void {
    this.#armed = null;
  }

  revive(): void {
    this.#crash = null;
  }

  reach(point: CrashPoint): void {
    if (this.#crash !== null) throw this.#crash;
    const armed = this.#armed;
    if (armed === null || armed.point !== point || armed.passes-- > 0) return;
    this.#armed = null;
    this.onBlow(point, armed.kind);
    if (armed.kind === 'EIO' || armed.kind === 'ENOSPC') throw new DiskError(armed.kind);
    this.#crash = new Crash(point, armed.kind);
    throw this.#crash;
  }
}
