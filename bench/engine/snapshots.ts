/**
 * The cost of a snapshot: exporting its tables row by row (the engine's share), writing and syncing the file as the
 * shadow does, and loading it as a start does.
 */
import { statSync } from 'node:fs';
import { assert, must } from '../../engine/base/assert.js';
import { SnapshotFiles } from '../../persistence/snapshot/files.js';
import { assertLedger, openScenario, order, type Scenario } from './scenario.js';

const BETS_PER_ACCOUNT = 10;
const CHAIN = '0'.repeat(64);

export interface SnapshotWritten {
  readonly accounts: number;
  readonly bets: number;
  readonly idempotencyKeys: number;
  /** All tables, as rows that nobody keeps. */
  readonly encodeMs: number;
  readonly writeMs: number;
  readonly writeCpuMs: number;
  /** Longest time between two points at which the writer may rest. */
  readonly longestPieceMs: number;
  readonly bytes: number;
  readonly digest: string;
}

/** `bets` open bets of a tenth as many accounts with a key each; with or without Idempotency-Keys. */
export function writeSnapshot(dir: string, bets: number, withKeys: boolean): SnapshotWritten {
  const scenario = filled(bets, withKeys);
  const { engine, accounts } = scenario;
  const encodeStartedMs = performance.now();
  let rows = 0;
  for (const table of engine.exportTables()) for (const row of table.rows) rows += row.length > 0 ? 1 : 0;
  const encodeMs = performance.now() - encodeStartedMs;
  const idempotencyKeys = withKeys ? bets : 0;
  assert(rows > bets + idempotencyKeys + 3 * accounts, 'bets, keys, accounts and deposits are rows');
  const files = new SnapshotFiles(dir);
  const before = process.cpuUsage();
  const startedMs = performance.now();
  let longestPieceMs = 0;
  let pieceStartedMs = startedMs;
  for (const _ of files.saving(engine, CHAIN)) {
    longestPieceMs = Math.max(longestPieceMs, performance.now() - pieceStartedMs);
    pieceStartedMs = performance.now();
  }
  const writeMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  const { name } = must(files.list()[0], 'snapshot');
  return {
    accounts,
    bets,
    idempotencyKeys,
    encodeMs,
    writeMs,
    writeCpuMs: (user + system) / 1000,
    longestPieceMs,
    bytes: statSync(name).size,
    digest: engine.rollingDigest(),
  };
}

function filled(bets: number, withKeys: boolean): Scenario {
  const accounts = Math.max(Math.floor(bets / BETS_PER_ACCOUNT), 1);
  const scenario = openScenario(accounts, bets);
  for (let index = 0; index < bets; index += 1) {
    const command = order(index, accounts);
    const outcome = scenario.engine.apply(withKeys ? command : { ...command, idempotency: null });
    assert(outcome.status === 'accepted', 'an order is accepted');
  }
  assertLedger(scenario, bets);
  return scenario;
}

export interface SnapshotLoaded {
  readonly loadMs: number;
  readonly loadCpuMs: number;
  readonly digest: string;
}

/** Loads the snapshot in `dir`, which holds `bets` bets, once: a start does it in a process that has run nothing yet. */
export function loadSnapshot(dir: string, bets: number): SnapshotLoaded {
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
