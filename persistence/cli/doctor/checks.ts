/** What the facts about a machine mean for a server, and what to do about those that are not good. */
import { bytesText, countText } from '../frame/output.js';
import type { Machine, SyncTimes } from './facts.js';

/** `note`: it works, and there is something to know. `bad`: do something before the server is relied on. */
export type Verdict = 'good' | 'note' | 'bad';

export interface Check {
  readonly name: string;
  readonly value: string;
  readonly verdict: Verdict;
  readonly meaning: string;
  /** null if there is nothing to do. */
  readonly todo: string | null;
}

type Judged = Omit<Check, 'name' | 'value'>;
const good = (meaning: string): Judged => ({ verdict: 'good', meaning, todo: null });
const note = (meaning: string, todo: string): Judged => ({ verdict: 'note', meaning, todo });
const bad = (meaning: string, todo: string): Judged => ({ verdict: 'bad', meaning, todo });

/** By major version: from which minor one on. The newest ones need a newer C library. */
const NODE_MINORS: ReadonlyMap<number, number> = new Map([
  [20, 19],
  [22, 12],
  [24, 0],
  [26, 0],
]);
const OLD_GLIBC_MINOR = 28;
const NEW_GLIBC_MINOR = 38;
const NEW_NODE_MAJOR = 24;
/** Connections of both ports, and the process's own files. */
const OPEN_FILES = 10_512;
const GIB = 1024 ** 3;
const FREE_BYTES_GOOD = 20 * GIB;
const FREE_BYTES_MIN = 2 * GIB;
const MEMORY_GOOD = 4 * GIB;
const MEMORY_MIN = GIB;
const SYNC_US_GOOD = 2_000;
const SYNC_US_MAX = 10_000;
/** No disk has written and answered by then. */
const SYNC_US_UNBELIEVABLE = 15;
/** A hundredth may take this long. */
const SYNC_P99_US_MAX = 20_000;
const CLOCK_OFF_MS_MAX = 100;
const CORES_GOOD = 4;

const LOCAL = ['ext4', 'ext3', 'xfs', 'btrfs', 'zfs', 'f2fs'];
const IN_MEMORY = ['tmpfs', 'ramfs'];
const REMOTE = /^(nfs|cifs|smb|ceph|gluster|9p|fuse|afs|lustre)/;

export function checksOf(machine: Machine): Check[] {
  const { glibcVersion, fileSystem, sync, isClockSynchronised, openFilesMax, cores } = machine;
  const files = Number.isFinite(openFilesMax) ? countText(openFilesMax) : 'unknown';
  return [
    { name: 'node', value: `${machine.nodeVersion}, ${machine.platform}`, ...judgeNode(machine.nodeVersion) },
    { name: 'glibc', value: glibcVersion ?? 'none', ...judgeGlibc(machine) },
    { name: 'cores', value: String(cores), ...judgeCores(cores) },
    { name: 'memory', value: bytesText(machine.memoryBytes), ...judgeMemory(machine.memoryBytes) },
    {
      name: 'file system',
      value: `${fileSystem ?? 'unknown'}, ${machine.folder}`,
      ...judgeFileSystem(fileSystem),
    },
    { name: 'sync', value: sync === null ? 'not writable' : syncText(sync), ...judgeSync(sync) },
    { name: 'free space', value: bytesText(machine.freeBytes), ...judgeSpace(machine.freeBytes) },
    { name: 'clock', value: clockText(machine), ...judgeClock(isClockSynchronised, machine.clockOffMs) },
    { name: 'open files', value: files, ...judgeFiles(openFilesMax) },
    { name: 'user', value: machine.isRoot ? 'root' : 'not root', ...judgeUser(machine.isRoot) },
  ];
}

const syncText = ({ medianUs, p99Us }: SyncTimes): string =>
  `${(medianUs / 1_000).toFixed(2)} ms, 99 of 100 within ${(p99Us / 1_000).toFixed(2)} ms`;

function clockText({ isClockSynchronised, clockOffMs }: Machine): string {
  if (isClockSynchronised === null) return 'unknown';
  const off = clockOffMs === null ? '' : `, off by ${clockOffMs.toFixed(1)} ms`;
  return `${isClockSynchronised ? 'synchronised' : 'not synchronised'}${off}`;
}

function judgeNode(version: string): Judged {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const from = NODE_MINORS.get(major);
  if (from !== undefined && minor >= from) return good('a version that the server is made for');
  return bad(
    'not a version that the server is made for: uWebSockets.js has no binary for it, or the tests were not run with it',
    'install Node 20 from 20.19, 22 from 22.12, 24 or 26',
  );
}

function judgeGlibc({ nodeVersion, glibcVersion }: Machine): Judged {
  const need = Number(nodeVersion.split('.')[0]) >= NEW_NODE_MAJOR ? NEW_GLIBC_MINOR : OLD_GLIBC_MINOR;
  const [major = 0, minor = 0] = (glibcVersion ?? '0.0').split('.').map(Number);
  if (major === 2 && minor >= need) return good('uWebSockets.js, a prebuilt binary, loads');
  return bad(
    `uWebSockets.js, a prebuilt binary, needs glibc 2.${need} with this Node`,
    need === NEW_GLIBC_MINOR
      ? 'use Debian 13 or Ubuntu 24.04, or Node 22'
      : 'use a distribution with glibc, such as Debian 12; Alpine has another C library',
  );
}

function judgeCores(cores: number): Judged {
  if (cores >= CORES_GOOD) return good('gateways, engine, journal and shadow each find a core');
  if (cores === 1)
    return bad(
      'all threads wait for each other: the engine for gateways, both for the journal',
      'use two cores at least, better four',
    );
  return note(
    'one gateway; engine, journal and shadow share the rest',
    'use four cores where latency under load matters',
  );
}

function judgeMemory(bytes: number): Judged {
  if (bytes >= MEMORY_GOOD) return good('room for millions of open bets and their copy in the shadow');
  if (bytes < MEMORY_MIN)
    return bad(
      'an idle server fits, a busy one may be ended by the kernel',
      'give it 1 GiB at least, better 4 GiB',
    );
  return note('enough for some hundred thousand open bets', 'watch the memory in /status; 4 GiB are plenty');
}

function judgeFileSystem(type: string | null): Judged {
  if (type === null) return note('its type cannot be found out', 'make sure that it is a local disk');
  if (LOCAL.includes(type)) return good('a local file system that syncs and locks as the journal needs it');
  if (IN_MEMORY.includes(type))
    return bad(
      'in memory: what was acknowledged is gone with the machine',
      'put the data directory on a disk',
    );
  if (REMOTE.test(type))
    return bad(
      'on another machine, or of another program: locks and syncs are not what SQLite needs, and a journal can be damaged',
      'put the data directory on a local disk, and copy it elsewhere with `tote backup`',
    );
  if (type === 'overlay')
    return bad(
      'the layers of a container: gone when the container is removed',
      'mount a volume for the data directory',
    );
  return note(
    `${type} was not tried with this server`,
    'ext4 and xfs were; make sure that this one is local and syncs',
  );
}

function judgeSync(sync: SyncTimes | null): Judged {
  if (sync === null)
    return bad(
      'no file can be written there: neither can the journal',
      'give the server its own, writable folder',
    );
  const { medianUs, p99Us } = sync;
  if (medianUs < SYNC_US_UNBELIEVABLE)
    return note(
      'faster than any disk: in memory, or a disk that says "written" before it has. A power loss may take back what was acknowledged',
      'on a real machine look for a disk with power-loss protection, and for mount options such as nobarrier',
    );
  if (medianUs <= SYNC_US_MAX && p99Us > SYNC_P99_US_MAX)
    return note(
      'one order in a hundred waits far longer than the others: something else writes to this disk, or it stalls',
      'give the data directory a disk of its own',
    );
  if (medianUs <= SYNC_US_GOOD)
    return good('an order waits for one such sync, shared with all that arrive meanwhile');
  if (medianUs <= SYNC_US_MAX)
    return note(
      'each order waits as long, and shares the sync with all that arrive meanwhile',
      'a disk with power-loss protection makes it a tenth',
    );
  return bad(
    'each order waits as long: clients see tens of milliseconds',
    'use an SSD or NVMe disk, with power-loss protection if possible',
  );
}

function judgeSpace(bytes: number): Judged {
  if (bytes >= FREE_BYTES_GOOD) return good('far above the mark below which orders are refused');
  if (bytes < FREE_BYTES_MIN)
    return bad(
      'orders are refused soon, so that the journal can be closed in order',
      'free some, or take a larger disk',
    );
  return note('enough to begin with', 'set TOTE_RETENTION, and watch the free space');
}

function judgeClock(isSynchronised: boolean | null, offMs: number | null): Judged {
  if (isSynchronised === false || (offMs ?? 0) > CLOCK_OFF_MS_MAX)
    return bad(
      'rounds begin and end by this clock, and prices are compared with it',
      'run chrony or systemd-timesyncd, and wait until it has the time',
    );
  if (isSynchronised === true) return good('rounds begin and end when they should');
  return note(
    'neither chrony nor systemd says whether the clock is right; in a container the machine outside decides',
    'make sure that chrony or systemd-timesyncd runs there',
  );
}

function judgeFiles(max: number): Judged {
  if (max >= OPEN_FILES) return good('enough for all 10,000 connections');
  return note(
    'the server accepts fewer connections, and says how many when it starts',
    `set LimitNOFILE=${OPEN_FILES} in the unit, --ulimit in the container, or \`ulimit -n ${OPEN_FILES}\` in the shell`,
  );
}

function judgeUser(isRoot: boolean): Judged {
  if (!isRoot) return good('the server needs no rights of root');
  return note(
    'this is what root would get; a service should have a user of its own',
    'run this command as that user, too: limits and rights differ',
  );
}
