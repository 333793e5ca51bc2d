/** Segments and snapshots that are kept: every moment within the retention can be computed, and little more is kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DAY_MS,
  type Extent,
  floorOf,
  HOUR_MS,
  type RetentionPolicy,
  type SegmentSpan,
  SNAPSHOTS_KEPT,
  type SnapshotPoint,
  type SnapshotsKept,
  whySegmentStays,
  whySnapshotsStay,
} from '../../../persistence/upkeep/retention/choice.js';
import { forMany } from '../../support/for-all.js';

const START_MS = Date.UTC(2026, 0, 1, 7, 13);
const MINUTE_MS = 60_000;

/** Every command takes effect at a time of its own. */
class Life {
  /** By sequence number less 1. */
  readonly timesMs: number[] = [];
  segments: (SegmentSpan & { readonly firstSeq: number })[] = [];
  snapshots: SnapshotPoint[] = [];

  get nowMs(): number {
    return this.timesMs.at(-1) ?? START_MS;
  }
  get seq(): number {
    return this.timesMs.length;
  }
  get firstSeq(): number {
    return this.segments[0]?.firstSeq ?? this.#openFirstSeq;
  }
  get #openFirstSeq(): number {
    return this.#sealedSeq + 1;
  }
  #sealedSeq = 0;

  command(afterMs: number): void {
    this.timesMs.push(this.nowMs + afterMs);
  }

  seal(): void {
    if (this.seq === this.#sealedSeq) return;
    this.segments.push({ firstSeq: this.#openFirstSeq, lastSeq: this.seq, lastTimeMs: this.nowMs });
    this.#sealedSeq = this.seq;
  }

  snapshot(): void {
    if (this.seq > (this.snapshots[0]?.seq ?? 0))
      this.snapshots.unshift({ seq: this.seq, timeMs: this.nowMs });
  }

  prune(policy: RetentionPolicy, archivedSeq: number): void {
    const reached = ({ seq }: SnapshotPoint): boolean => seq >= this.firstSeq - 1;
    const extent = (): Extent => ({ nowMs: this.nowMs, archivedSeq, firstSeq: this.firstSeq });
    const before = extent();
    const floor = floorOf(this.snapshots, policy, before);
    while (
      this.segments[0] !== undefined &&
      whySegmentStays(this.segments[0], policy, floor, before) === null
    ) {
      this.segments.shift();
    }
    this.snapshots = this.snapshots.filter(reached);
    const whys = whySnapshotsStay(this.snapshots, policy, extent());
    this.snapshots = this.snapshots.filter((_, index) => whys[index] !== null);
  }

  firstHole(fromMs: number): number | null {
    if (this.firstSeq === 1) return null;
    const isShown = (seq: number): boolean =>
      this.snapshots.some((snapshot) => snapshot.seq <= seq && snapshot.seq >= this.firstSeq - 1);
    return (
      this.timesMs.find((timeMs, index) => {
        const nextMs = this.timesMs[index + 1] ?? Number.POSITIVE_INFINITY;
        return nextMs > fromMs && timeMs >= START_MS && !isShown(index + 1);
      }) ?? null
    );
  }
}

const kept: fc.Arbitrary<SnapshotsKept> = fc.record({
  newest: fc.integer({ min: 1, max: 4 }),
  hourlyMs: fc.constantFrom(0, DAY_MS, 2 * DAY_MS),
  dailyMs: fc.constantFrom(null, 10 * DAY_MS),
});
const retention = fc.constantFrom(12 * HOUR_MS, DAY_MS, 3 * DAY_MS, 10 * DAY_MS);
const step = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: MINUTE_MS }), fc.integer({ min: 0, max: 30 * HOUR_MS })),
  isSealed: fc.boolean(),
  isSnapshot: fc.boolean(),
  archiveLag: fc.integer({ min: 0, max: 3 }),
});

test('every moment within the retention can be computed after any number of prunes', () => {
  let pruned = 0;
  forMany(
    { numRuns: 300 },
    kept,
    retention,
    fc.array(step, { minLength: 30, maxLength: 120, size: 'max' }),
    (snapshots, segmentsMs, steps) => {
      const life = new Life();
      const policy = { segmentsMs, snapshots };
      for (const { afterMs, isSealed, isSnapshot, archiveLag } of steps) {
        life.command(afterMs);
        if (isSealed) life.seal();
        if (!isSnapshot) continue;
        life.snapshot();
        life.prune(policy, life.seq - archiveLag);
        assert.equal(life.firstHole(life.nowMs - segmentsMs), null);
        if (life.firstSeq > 1) pruned += 1;
      }
    },
  );
  assert.ok(pruned > 1_000, `only ${pruned} prunes let go of segments`);
});

function quarters(days: number, policy: RetentionPolicy): Life {
  const life = new Life();
  for (let quarter = 1; quarter <= days * 96; quarter += 1) {
    life.command(15 * MINUTE_MS);
    if (quarter % 24 === 0) life.seal();
    life.snapshot();
    life.prune(policy, life.seq);
  }
  return life;
}

test('of forty days with a retention of thirty, the newest three snapshots are kept, one of each hour, one of each day', () => {
  const life = quarters(40, { segmentsMs: 30 * DAY_MS, snapshots: SNAPSHOTS_KEPT });
  const agesMs = life.snapshots.map(({ timeMs }) => life.nowMs - timeMs);
  const between = (fromMs: number, toMs: number): number =>
    agesMs.filter((ageMs) => ageMs > fromMs && ageMs <= toMs).length;
  assert.deepEqual([between(-1, HOUR_MS), between(HOUR_MS, DAY_MS)], [4, 23]);
  assert.equal(between(DAY_MS, 30 * DAY_MS), 29);
  // The floor is the first snapshot of a day: at most a day more than the retention, and a segment, is kept.
  assert.ok(life.nowMs - (life.timesMs[life.firstSeq - 1] ?? 0) <= 31 * DAY_MS + 6 * HOUR_MS);
  assert.equal(life.firstHole(life.nowMs - 30 * DAY_MS), null);
});

test('a journal that is kept has its beginning, and its snapshots are thinned by the rules', () => {
  const all = quarters(10, { segmentsMs: null, snapshots: SNAPSHOTS_KEPT });
  assert.deepEqual([all.firstSeq, all.snapshots.length], [1, 4 + 23 + 10]);
  const few = { newest: 2, hourlyMs: 0, dailyMs: 0 };
  assert.equal(quarters(10, { segmentsMs: null, snapshots: few }).snapshots.length, 2);
});
