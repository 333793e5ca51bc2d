/**
 * `tote doctor`: a machine, its disk, its clock and a configuration as a server needs them, before the first start or
 * beside a running one.
 */
import { existsSync, fdatasyncSync, readFileSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { ConfigError, readConfig } from '../../../config/config.js';
import { risksOf } from '../../../config/production.js';
import { type RunningConfig, resolveSetup } from '../../../config/setup.js';
import { attempt, orRefuse } from '../../../engine/base/attempt.js';
import { type ClockSync, readClockSync } from '../../../process/clock-sync.js';
import { LOCAL, UNFIT } from '../../data-dir/file-system.js';
import { openFile } from '../../data-dir/files.js';
import { type DataDir, dataDirLayout, readableFolders } from '../../data-dir/layout.js';
import { readOperatorTokens } from '../../data-dir/operator-tokens.js';
import { readSecret } from '../../data-dir/secrets.js';
import { DEFAULT_SPACE_THRESHOLDS, freeBytesOf } from '../../data-dir/space.js';
import { isDiskFull, JournalError } from '../../errors.js';
import { hasSegments } from '../../journal/segment/names.js';
import { refuseWithoutJournal } from '../../recovery/journal-gone.js';
import { setupOf } from '../../recovery/setup-of.js';
import { secretFiles } from '../../upkeep/copy-files.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';

/** `note`: the server works, and there is something to know. `bad`: do something before the server is relied on. */
type Verdict = 'good' | 'note' | 'bad';

export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly value: string;
  /** The meaning and the remedy; null if all is good. */
  readonly advice: string | null;
}

/** Connections of both ports, and the process's own files. */
const OPEN_FILES = 10_512;
const SYNCS = 200;
const PAGE = Buffer.alloc(4_096, 1);

type Judged = readonly [verdict: Verdict, advice: string | null];
const GOOD: Judged = ['good', null];

/** `type` is that of statfs(2). */
export function judgeFileSystem(type: number): Judged {
  if (LOCAL.has(type)) return GOOD;
  if (!UNFIT.has(type))
    return ['note', 'not tried with this server: make sure that it is local and syncs, as ext4 and xfs do'];
  return [
    'bad',
    'acknowledged orders may be lost there: put the data directory on a local disk, or mount a volume',
  ];
}

/** For a write of 4 KiB. */
type SyncTimes = NonNullable<ReturnType<typeof measureSync>>;

export function judgeSync(sync: SyncTimes | null): Judged {
  if (sync === null) return ['bad', 'no file can be written there: give the server its own, writable folder'];
  if (sync.medianUs < 15)
    return ['note', 'faster than any disk: a power loss may take back what was acknowledged'];
  if (sync.medianUs > 10_000)
    return [
      'bad',
      'each order waits as long: use an SSD or NVMe disk, with power-loss protection if possible',
    ];
  if (sync.p99Us > 20_000)
    return ['note', 'one order in a hundred waits far longer: give the data directory a disk of its own'];
  if (sync.medianUs > 2_000)
    return ['note', 'each order waits as long: a disk with power-loss protection makes it a tenth'];
  return GOOD;
}

export function judgeClock({ isClockSynchronised, clockOffMs }: ClockSync): Judged {
  if (isClockSynchronised === false || (clockOffMs ?? 0) > 100)
    return [
      'bad',
      'rounds begin and end by this clock: run chrony or systemd-timesyncd, and wait until it has the time',
    ];
  if (isClockSynchronised === true) return GOOD;
  return [
    'note',
    'nothing says whether it is right: make sure that chrony or systemd-timesyncd runs on the machine',
  ];
}

export function judgeFiles(max: number | 'unlimited'): Judged {
  if (max === 'unlimited' || max >= OPEN_FILES) return GOOD;
  return [
    'note',
    `the server accepts fewer connections: set LimitNOFILE=${OPEN_FILES}, or --ulimit in a container`,
  ];
}

export function judgeSpace(freeBytes: number): Judged {
  const { softBytes, reserveBytes } = DEFAULT_SPACE_THRESHOLDS;
  if (freeBytes < reserveBytes)
    return ['bad', 'no order is taken below 1 GiB: free some, or enlarge the disk'];
  if (freeBytes < softBytes)
    return ['note', 'snapshots and archive pause below 2 GiB: free some, or enlarge the disk'];
  return GOOD;
}

interface Report {
  readonly userLimits: { readonly open_files: { readonly hard: number | 'unlimited' } };
}

async function checksOf(dataDir: string): Promise<Check[]> {
  const folder = existingFolder(resolve(dataDir));
  const { userLimits } = process.report.getReport() as unknown as Report;
  const { type } = statfsSync(folder);
  const freeBytes = freeBytesOf(folder);
  const sync = measureSync(folder);
  const clock = await readClockSync();
  const { hard: files } = userLimits.open_files;
  const check = (name: string, value: string, [verdict, advice]: Judged): Check => ({
    name,
    verdict,
    value,
    advice,
  });
  const isRight = clock.isClockSynchronised;
  const typeText = LOCAL.get(type) ?? UNFIT.get(type) ?? `0x${type.toString(16)}`;
  return [
    check('file system', `${typeText}, ${folder}`, judgeFileSystem(type)),
    check('space', `${Math.floor(freeBytes / 1024 ** 2)} MiB free`, judgeSpace(freeBytes)),
    check('sync', sync === null ? 'not writable' : syncText(sync), judgeSync(sync)),
    check('clock', isRight === null ? 'unknown' : `${isRight ? '' : 'not '}synchronised`, judgeClock(clock)),
    check('open files', `${files}`, judgeFiles(files)),
  ];
}

/** Where a start with the configuration of `envFile` would run, and what it would say. */
function judgeConfiguration(envFile: string, { root }: DataDir): { dataDir: string; checks: Check[] } {
  const { CREDENTIALS_DIRECTORY } = process.env;
  const unit = { NODE_ENV: 'production', TOTE_DATA_DIR: root, CREDENTIALS_DIRECTORY };
  const checks: Check[] = [];
  const settings = (verdict: Verdict, ...values: readonly string[]): void => {
    for (const value of values) checks.push({ name: 'settings', verdict, value, advice: null });
  };
  /** Null after a mistake, which is noted: others may be found behind it. */
  const trying = <T>(step: () => T): T | null => {
    try {
      return step();
    } catch (thrown) {
      if (thrown instanceof ConfigError) settings('bad', ...thrown.mistakes);
      else if (thrown instanceof JournalError) settings('bad', thrown.message);
      else throw thrown;
      return null;
    }
  };
  const read = trying(() => readEnvFile(envFile));
  const given = read === null ? null : trying(() => readConfig({ ...unit, ...read }));
  const dataDir = given?.dataDir ?? read?.['TOTE_DATA_DIR'] ?? root;
  const dir = dataDirLayout(dataDir);
  const ofSetup = given === null ? null : trying(() => startingIn(dir, given));
  const tokensFile = given?.operatorTokensFile ?? dir.operatorTokensFile;
  for (const file of secretFiles(dir)) if (file !== tokensFile) trying(() => readSecret(file));
  trying(() => readOperatorTokens(tokensFile, (given?.operatorTokensFile ?? null) !== null));
  if (checks.length === 0) settings('good', `a start would take ${envFile}`);
  if (ofSetup !== null) settings('note', ...risksOf(ofSetup));
  return { dataDir, checks };
}

/** Throws as a start does. */
function startingIn(dir: DataDir, given: ReturnType<typeof readConfig>): RunningConfig {
  readableFolders(dir);
  refuseWithoutJournal(dir, { requireData: given.isProduction, isFollower: given.role !== 'leader' });
  return resolveSetup(given, hasSegments(dir.journal) ? setupOf(dir) : null).config;
}

const syncText = ({ medianUs, p99Us }: SyncTimes): string =>
  `${(medianUs / 1_000).toFixed(2)} ms, 99 of 100 within ${(p99Us / 1_000).toFixed(2)} ms`;

function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));
}

/** As the journal writes: a page, then a sync of the data, again and again. null where nothing can be written. */
function measureSync(folder: string) {
  const path = join(folder, `.tote-doctor-${process.pid}`);
  const opened = attempt(() => {
    // A killed one has left it: in a container the next one has its number.
    rmSync(path, { force: true });
    return openFile(path, 'wx');
  }, null);
  if (opened === null) return null;
  try {
    using file = opened;
    const tookUs = Array.from({ length: SYNCS }, () => {
      const fromMs = performance.now();
      writeSync(file.fd, PAGE);
      fdatasyncSync(file.fd);
      return (performance.now() - fromMs) * 1_000;
    }).sort((a, b) => a - b);
    const at = (share: number): number => Math.round(tookUs[Math.floor(share * (SYNCS - 1))] ?? 0);
    return { medianUs: at(0.5), p99Us: at(0.99) };
  } catch (thrown) {
    if (isDiskFull(thrown)) return null;
    throw thrown;
  } finally {
    rmSync(path, { force: true });
  }
}

export const doctorCommand = defineCommand<{ readonly envFile?: string }>({
  details:
    'DATA_DIR need not exist yet: then the folder above it is looked at. To measure how long a sync takes, 200 pages of 4 KiB are written to ' +
    'a file there, which is removed again; beside a busy server that disturbs it for a moment. Run it as the user of the server, ' +
    'in its container if it has one. Ends with 1 if something is bad.',
  examples: [
    ['doctor', 'the machine, and the disk of ./data'],
    ['doctor /var/lib/tote --json', 'for a script'],
    ['doctor /var/lib/tote --env-file /etc/tote/tote.env', 'the configuration, too, before a start has it'],
  ],
  options: [
    new Option(
      '--env-file <file>',
      'judge its variables as a start would, with NODE_ENV=production unless it says otherwise',
    ),
  ],
  needs: 'path',
  run: async ({ dir, out }, { envFile }) => {
    const judged = envFile === undefined ? null : judgeConfiguration(envFile, dir);
    const checks = [...(await checksOf(judged?.dataDir ?? dir.root)), ...(judged?.checks ?? [])];
    const isGood = checks.every(({ verdict }) => verdict !== 'bad');
    out.answer({ isGood, checks });
    return isGood ? EXIT.done : EXIT.faulty;
  },
});

/**
 * The variables of a file such as systemd's EnvironmentFile: `NAME=value` a line, and comments with # or ;. Throws
 * `ConfigError` for a file that cannot be read, and for lines that systemd would pass over.
 */
function readEnvFile(path: string): Record<string, string> {
  const text = orRefuse(
    () => readFileSync(path, 'utf8'),
    (reason) => new ConfigError([`${path} cannot be read: ${reason}`]),
  );
  const mistakes: string[] = [];
  const entries = text.split('\n').flatMap((line, index) => {
    if (/^\s*([#;]|$)/.test(line)) return [];
    const [, name = '', quoted, plain = ''] =
      /^\s*([A-Za-z_]\w*)=\s*(?:(["'].*["'])|(.*?))\s*$/.exec(line) ?? [];
    if (name === '') mistakes.push(`${path}, line ${index + 1}: expected NAME=value`);
    return [[name, quoted?.slice(1, -1) ?? plain]];
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.fromEntries(entries) as Record<string, string>;
}
