/** Ratios of the rates of two systems, and the notes on rates that may mislead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LatencySummary } from '../../bench/client/job.js';
import {
  clientLimitNotes,
  type LoadRow,
  loadTable,
  type MeasuredRun,
  rateRatio,
  sustainedRatio,
} from '../../bench/load/rows.js';

const WINDOWS = { warmupMs: 1_000, measureMs: 4_000 };
const LATENCY: LatencySummary = {
  ...{ count: 1, meanUs: 1, p50Us: 1, p90Us: 2, p99Us: 3, p999Us: 4, maxUs: 5 },
  encoded: '',
};

function run(ratePerSecond: number, clientCpu: number, tookMs: number | null): MeasuredRun {
  return {
    client: {
      ...{ ratePerSecond, clientCpu, latency: LATENCY, lateness: null, idleLatency: null, measuredMs: 4_000 },
      ...{ acknowledged: [], refused: 0, sent: 0, nextSerial: 1, unexpected: [] },
      numbers: { distinct: 0, repeated: 0 },
    },
    server: { cpu: null, loopDelay: null, timeline: [], residentBytes: null, longestTurnMs: null },
    behind: tookMs === null ? null : { lagCommands: 1, tookMs },
  };
}

const row = (name: string, rounds: readonly MeasuredRun[], plannedRate: number | null = null): LoadRow => ({
  ...{ name, connections: 64, plannedRate, rounds },
});

test('deferred work lowers the sustained ratio, round by round', () => {
  const tote = row('tote', [run(60, 0.5, 5_000), run(90, 0.5, 0), run(60, 0.5, 5_000)]);
  const bare = row('bare', [run(100, 0.5, null), run(100, 0.5, null), run(100, 0.5, null)]);
  assert.equal(rateRatio(tote, bare), 0.6);
  // Five seconds of load, then as long again to catch up: half of the rate is what it could do for ever.
  assert.equal(sustainedRatio(tote, bare, WINDOWS), 0.3);
  assert.equal(sustainedRatio(bare, bare, WINDOWS), 1);
  const never = row('tote', [run(60, 0.5, Number.NaN)]);
  assert.ok(Number.isNaN(sustainedRatio(never, bare, WINDOWS)));
});

test('a rate that may be the client’s is marked, except where the client spins', () => {
  const busy = row('bare', [run(100, 0.97, null), run(100, 0.99, null), run(100, 0.6, null)]);
  const notes = clientLimitNotes([
    row('tote', [run(60, 0.8, null)]),
    busy,
    row('open', [run(9, 1, null)], 9),
  ]);
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? '', /^bare, 64 connections: the client used 97 % of its core/);
});

test('unknown figures are shown as unknown', () => {
  const [cells] = loadTable('T', [row('redis', [run(100, 0.5, null)])]).rows;
  assert.ok(cells?.every((cell) => !cell.includes('NaN')));
});
