/**
 * Retention of snapshots (TOTE_SNAPSHOTS_KEPT). They are thinned with age like backups: any past moment is close
 * after a snapshot, yet few are kept. Server and command line parse the same text;
 * persistence/upkeep/retention/choice.ts applies the policy.
 */

/** A snapshot is kept if any of these rules keeps it. Ages are in milliseconds of engine time. */
export interface SnapshotsKept {
  /** This many of the newest, at least 1. */
  readonly newest: number;
  /** All up to this age. */
  readonly allMs: number;
  /** The first of each hour, up to this age. */
  readonly hourlyMs: number;
  /** The first of each day (UTC), up to this age; null: as long as the journal that continues it. */
  readonly dailyMs: number | null;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const DEFAULT_SNAPSHOTS_KEPT: SnapshotsKept = {
  newest: 3,
  allMs: HOUR_MS,
  hourlyMs: DAY_MS,
  dailyMs: null,
};

export const SNAPSHOTS_KEPT_EXPECTED =
  'a number of the newest from 1 to 1000, or parts such as newest=3,all=1h,hourly=1d,daily=30d (ages in hours or ' +
  'days, or 0; daily=journal: for as long as the journal)';

const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS };
const NAMES = ['newest', 'all', 'hourly', 'daily'];

/**
 * Null if malformed. Parts not named keep their defaults. A bare number keeps that many of the newest, and the first of
 * each day.
 */
export function parseSnapshotsKept(text: string): SnapshotsKept | null {
  const newestAlone = newestOf(text.trim());
  if (newestAlone !== null) return { ...DEFAULT_SNAPSHOTS_KEPT, newest: newestAlone, allMs: 0, hourlyMs: 0 };
  const parts = new Map<string, string>();
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = /^\s*([a-z]+)\s*=\s*([a-z0-9]+)\s*$/.exec(part) ?? [];
    if (!NAMES.includes(name) || parts.has(name)) return null;
    parts.set(name, value);
  }
  return fromParts(parts);
}

function fromParts(parts: ReadonlyMap<string, string>): SnapshotsKept | null {
  const read = <T>(name: string, fallback: T, parse: (value: string) => T | undefined): T | undefined => {
    const value = parts.get(name);
    return value === undefined ? fallback : parse(value);
  };
  const { newest, allMs, hourlyMs, dailyMs } = DEFAULT_SNAPSHOTS_KEPT;
  const found = {
    newest: read('newest', newest, (value) => newestOf(value) ?? undefined),
    allMs: read('all', allMs, ageMs),
    hourlyMs: read('hourly', hourlyMs, ageMs),
    dailyMs: read('daily', dailyMs, (value) => (value === 'journal' ? null : ageMs(value))),
  };
  const isComplete = Object.values(found).every((value) => value !== undefined);
  return isComplete ? (found as SnapshotsKept) : null;
}

function newestOf(text: string): number | null {
  return /^[1-9]\d{0,2}$|^1000$/.test(text) ? Number(text) : null;
}

const ageMs = (text: string): number | undefined => (text === '0' ? 0 : (parseAgeMs(text) ?? undefined));

/** For an age such as `12h` or `30d`; null if malformed. */
export function parseAgeMs(text: string): number | null {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? null : Number(count) * unitMs;
}

/**
 * Null if `kept` agrees with segments kept for `retentionMs` (null: all). If daily snapshots are deleted before the
 * segments are, the older segments have no snapshot from which their state can be rebuilt.
 */
export function snapshotsKeptConflict({ dailyMs }: SnapshotsKept, retentionMs: number | null): string | null {
  if (retentionMs === null || dailyMs === null || dailyMs >= retentionMs) return null;
  return 'daily must reach as far back as TOTE_RETENTION: without snapshots its older part cannot be shown';
}
