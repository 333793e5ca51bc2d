/** Which test files run, and in which order. */

/**
 * The files that take longest, longest first: they start first, so that no long one is left at the end with the other
 * cores idle.
 */
const SLOW: readonly string[] = [
  'torture/torture',
  'simulation/simulation',
  'replication/torment',
  'simulation/replication/replication',
  'replication/takeover',
  'replication/leader',
  'replication/standby',
  'replication/operators',
  'replication/secured',
  'replication/deployment',
  'replication/console',
  'blackbox/faults/stall',
  'powerloss/power-loss',
  'blackbox/faults/snapshots',
  'engine/against-reference',
  'blackbox/faults/sigkill',
  'first-minutes',
  'http/console/browser',
  'http/console/replication',
  'client/examples',
  'client/programs',
  'client/stream-server',
  'client/real-server',
  'client/package',
  'main',
  'persistence/faults/process',
  'blackbox/operators/setup',
  'blackbox/operators/log',
  'persistence/upkeep/restore-points',
  'persistence/replay/read-ahead',
  'persistence/faults/bit-flips',
  'blackbox/http/rate-limits',
  'persistence/cli/restore',
  'persistence/cli/interrupt',
  'http/openapi/clients',
  'fuzz/fuzz',
  'engine/snapshot/snapshot',
  'engine/snapshot/refused',
  'engine/memory',
  'engine/replay',
];
/** Whose files are fast as a rule: no server is started and no disk is waited for. */
const FAST_FOLDERS: readonly string[] = ['engine/', 'http/'];

export interface Selection {
  /** Only files whose path contains one of these; all where there is none. */
  readonly parts: readonly string[];
  /** Only fast files of fast folders. */
  readonly isFast: boolean;
}

const SUFFIX = '.test.js';

/** Of the paths of all test files those that are to run, in the order in which to start them. */
export function select(paths: readonly string[], { parts, isFast }: Selection): string[] {
  const slow = SLOW.map((name) => `${name}${SUFFIX}`);
  const gone = slow.filter((path) => !paths.includes(path));
  if (gone.length > 0)
    throw new Error(`test/selection.ts names files that are not there: ${gone.join(', ')}`);
  const others = paths.filter((path) => !slow.includes(path)).sort();
  const chosen = isFast
    ? others.filter((path) => FAST_FOLDERS.some((folder) => path.startsWith(folder)))
    : [...slow, ...others];
  return chosen.filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)));
}
