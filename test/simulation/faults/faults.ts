/** Applies planned faults to a world: crashes, errors, damage, full and slow disks, clocks that step. */
import { assert } from '../../../engine/base/assert.js';
import type { SpaceLevel, StoredBatch } from '../../../engine/model/ports.js';
import { Rng } from '../../support/reference/random/rng.js';
import { CRASH_POINTS, type CrashPoint, FAILING_POINTS } from '../machine/crash-points.js';
import type { CrashKind, SimDisk } from '../machine/disk.js';
import type { Machine } from '../machine/machine.js';
import type { FaultKind, PlannedFault } from './fault-plan.js';

const RECOVERY_POINTS: readonly CrashPoint[] = [
  ...(['readMark.before', 'read.before', 'read.row', 'read.after', 'recovered'] as const),
  ...(['mark.before', 'mark.after', 'snapshot.load'] as const),
];

export class Faults {
  /** Added to every commit, until the disk is quick again. */
  slowMs = 0;
  /** The next commit alone takes this long. */
  hangMs = 0;
  /** Puts damaged data right again; null if nothing is damaged. */
  #repair: (() => void) | null = null;

  constructor(private readonly target: Machine) {}

  get isDamaged(): boolean {
    return this.#repair !== null;
  }

  repair(): void {
    this.#repair?.();
    this.#repair = null;
  }

  strike({ kind, seed }: PlannedFault): void {
    const rng = new Rng(seed);
    this.target.coverage.hit('fault', kind);
    const crash = rng.pick(['kill', 'power'] as const);
    this.#strikes[kind](rng, crash);
  }

  readonly #strikes: Readonly<Record<FaultKind, (rng: Rng, crash: CrashKind) => void>> = {
    kill: () => this.target.crashNow('kill'),
    'power loss': () => this.target.crashNow('power'),
    'crash at a point': (rng, crash) => this.#arm(rng.pick(CRASH_POINTS), crash, rng.integer(0, 3)),
    'crash in recovery': (rng, crash) => {
      this.target.crashNow(crash);
      this.target.crashes.arm(rng.pick(RECOVERY_POINTS), crash, rng.pick([0, 0, 1, 40]));
    },
    'disk error': (rng) =>
      this.#arm(rng.pick(FAILING_POINTS), rng.pick(['EIO', 'ENOSPC'] as const), rng.integer(0, 2)),
    'disk error in recovery': (_, crash) => {
      this.target.crashNow(crash);
      this.target.crashes.arm('mark.before', 'EIO');
    },
    'slow disk': (rng) => this.#slow(rng),
    'hung disk': (rng) => {
      this.hangMs = rng.pick([29_000, 31_000, 120_000]);
    },
    space: (rng) => this.#fill(rng),
    'clock step': (rng) => this.#stepClock(rng),
    'bit flip': (rng) => {
      this.target.crashNow('kill');
      this.#flip(rng);
    },
    'stop and start': () => this.target.stop(),
    'new rules': () => {
      this.target.changeRules();
      this.target.stop();
    },
    'gateway stopped': (rng) => this.target.stopGateway(rng.pick([20, 500, 2_000, 4_000])),
    'requests held': (rng) => this.target.holdRequests(rng.pick([20, 300, 1_500, 3_000])),
  };

  /** Snapshots are seldom, so one is asked for if it shall be hit. */
  #arm(point: CrashPoint, kind: CrashKind | 'EIO' | 'ENOSPC', passes: number): void {
    const isSnapshot = point.startsWith('snapshot.save');
    this.target.crashes.arm(point, kind, isSnapshot ? 0 : passes);
    if (isSnapshot) this.target.snapshotSoon();
  }

  #slow(rng: Rng): void {
    this.slowMs = rng.pick([50, 300, 1_200, 4_000]);
    this.target.scheduler.after(rng.integer(1_000, 15_000), () => {
      this.slowMs = 0;
    });
  }

  #fill(rng: Rng): void {
    const { target } = this;
    const level = rng.weighted<SpaceLevel>([
      [2, 'soft'],
      [4, 'reserve'],
      [1, 'hard'],
    ]);
    target.coverage.hit('fault', `space ${level}`);
    target.setSpace(level);
    target.scheduler.after(rng.integer(2_000, 20_000), () => target.setSpace('ok'));
  }

  #stepClock(rng: Rng): void {
    const { clock, scheduler, coverage } = this.target;
    const stepMs = rng.weighed(
      [3, 3, 2, 3, 3, 2, 0.3],
      [-400, -3_000, -120_000, 2_000, 8_000, 60_000, 3_600_000],
    );
    coverage.hit('fault', `clock ${stepMs > 0 ? '+' : ''}${stepMs}`);
    clock.wallOffsetMs += stepMs;
    scheduler.after(rng.integer(500, 30_000), () => {
      if (!this.target.isCalm) clock.wallOffsetMs -= stepMs;
    });
  }

  #flip(rng: Rng): void {
    if (this.#repair !== null) return;
    const { disk, coverage } = this.target;
    const what = rng.pick(['row', 'row', 'newest mark', 'both marks', 'snapshot'] as const);
    if (what === 'newest mark' || what === 'both marks') {
      this.#repair = disk.mark.damage(what === 'both marks' ? 'both' : 'newest');
    } else if (what === 'row') {
      this.#repair = flipRow(disk, rng);
    } else {
      this.#repair = flipSnapshot(disk, rng);
    }
    if (this.#repair !== null) coverage.hit('fault', `bit flip: ${what}`);
  }
}

/** A row at or below the mark: its loss must be noticed. */
function flipRow(disk: SimDisk, rng: Rng): (() => void) | null {
  const last = disk.indexAfter(disk.mark.read().lastSeq) - 1;
  if (last < 0) return null;
  const index = rng.chance(0.5) ? last : rng.integer(0, last);
  const good = [...disk.rows];
  const { loggedFrom } = disk;
  const row = good[index] as StoredBatch;
  const field = rng.pick(['commands', 'commands', 'commands', 'digest', 'chain', 'checksum'] as const);
  disk.rows[index] = { ...row, [field]: flipped(row[field], rng) };
  return () => {
    disk.rows = good;
    disk.loggedFrom = loggedFrom;
  };
}

function flipSnapshot(disk: SimDisk, rng: Rng): (() => void) | null {
  const file = disk.snapshots.at(-1);
  if (file === undefined || file.text === '') return null;
  const { text } = file;
  file.text = flipped(text, rng);
  return () => {
    file.text = text;
  };
}

function flipped(text: string, rng: Rng): string {
  const at = rng.integer(0, text.length - 1);
  const other = String.fromCharCode(text.charCodeAt(at) ^ (1 << rng.integer(0, 6)));
  assert(other !== text[at], 'a turned bit changes the text');
  return text.slice(0, at) + other + text.slice(at + 1);
}
