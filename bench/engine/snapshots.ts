/**
 * The cost of a snapshot: exporting its tables as text (the engine's share), writing and syncing the file as the
 * shadow does, and loading it as a start does.
 */
import { statSync } from 'node:fs';
import { assert, must } from '../../engine/base/assert.js';
import { SnapshotFiles } from '../../persistence/snapshot/files.js';
import { filledScenario } from './placing.js';
import { assertLedger } from './scenario.js';

const BETS_PER_ACCOUNT = 10;
const CHAIN = '0'.repeat(64);

/** `bets` open bets of a tenth as many accounts with a key each, and an Idempotency-Key for each bet. */
export function writeSnapshot(dir: string, bets: number) {
  const accounts = Math.max(Math.floor(bets / BETS_PER_ACCOUNT), 1);
  const { engine } = filledScenario(accounts, bets);
  const encodeStartedMs = performance.now();
  let textBytes = 0;
  for (const { blocks } of engine.exportTables()) for (const block of blocks) textBytes += block.length;
  const encodeMs = performance.now() - encodeStartedMs;
  assert(textBytes > 100 * bets, 'each bet and key is told');
  const files = new SnapshotFiles(dir);
  const startedMs = performance.now();
  let longestPieceMs = 0;
  let pieceStartedMs = startedMs;
  for (const _ of files.saving(engine, CHAIN)) {
    longestPieceMs = Math.max(longestPieceMs, performance.now() - pieceStartedMs);
    pieceStartedMs = performance.now();
  }
  const writeMs = performance.now() - startedMs;
  const { name } = must(files.list()[0], 'snapshot');
  return {
    accounts,
    bets,
    encodeMs,
    writeMs,
    /** Longest time between two points at which the writer may rest. */
    longestPieceMs,
    bytes: statSync(name).size,
    digest: engine.rollingDigest(),
  };
}

/** Loads the snapshot in `dir`, which holds `bets` bets, once: a start does it in a process that has run nothing yet. */
export function loadSnapshot(dir: string, bets: number) {
  const files = new SnapshotFiles(dir);
  const ref = must(files.list()[0], 'snapshot');
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const { engine } = files.load(ref);
  const loadMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  assertLedger({ engine, accounts: engine.accountCount }, bets);
  return { loadMs, loadCpuMs: (user + system) / 1000, digest: engine.rollingDigest() };
}
