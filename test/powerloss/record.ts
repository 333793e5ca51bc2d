/**
 * Records real servers on one data directory: orders under load with small segments and frequent snapshots, a kill,
 * the recovery from it, more orders, a clean stop, and a start from that.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { askUntil } from '../support/ask-until.js';
import { FIXED_SEEDS_FILE } from '../support/engine/house-rules.js';
import { removeDataDir, Server } from '../support/processes/server.js';
import { type DiskOp, TraceReader, tracer } from './trace.js';

export interface Recording {
  readonly root: string;
  /** As many as were asked for; the servers' configuration goes by it. */
  readonly orders: number;
  readonly ops: readonly DiskOp[];
  readonly acknowledged: number;
}

/** Small, so that segments are sealed and snapshots written while the recording goes on, however short it is. */
export const environment = (orders: number): Readonly<Record<string, string>> => ({
  TOTE_SEGMENT_MIB: '1',
  TOTE_SNAPSHOT_COMMANDS: String(Math.min(2_000, Math.ceil(orders / 6))),
  TOTE_RULES_FILE: FIXED_SEEDS_FILE,
});
const BETTORS = 8;
const LANES = 16;

/** `root` must not exist. It is left as the last server left it. */
export async function record(root: string, orders: number): Promise<Recording> {
  const reader = new TraceReader(root);
  let acknowledged = 0;
  for (const end of ['kill', 'stop', 'stop'] as const) {
    const logFile = `${root}.strace`;
    const server = await Server.start({ dataDir: root, env: environment(orders), under: tracer(logFile) });
    try {
      acknowledged += await load(server, Math.ceil(orders / 3));
      await writesSnapshot(root);
    } finally {
      await server[end]();
    }
    await reader.read(logFile);
    removeDataDir(logFile);
  }
  return { root, orders, ops: reader.ops, acknowledged };
}

/** Snapshots are written beside the work, which a short load may outrun. */
const writesSnapshot = (root: string): Promise<string[]> =>
  askUntil(
    () => readdirSync(join(root, 'snapshots')),
    (names) => names.some((name) => name.endsWith('.db')),
  );

async function load(server: Server, orders: number): Promise<number> {
  await server.toNextDay({ BTC: 67_000 });
  await server.advance(1);
  await server.push({ BTC: 67_000 });
  const bettors = await Promise.all(
    Array.from({ length: BETTORS }, () => server.createBettor({ tier: 'VIP', balance: 1_000_000 })),
  );
  let next = 0;
  const lane = async (number: number): Promise<void> => {
    const bettor = bettors[number % bettors.length];
    while (next < orders) {
      const serial = next++;
      const prediction = serial % 2 === 0 ? 'UP' : 'DOWN';
      const amount = 1 + (serial % 7);
      const order = { marketId: 'BTC_ONE_DAY', prediction, amount, clientSeed: `${serial}` };
      const answered = await bettor?.api.post('/orders', order, { 'Idempotency-Key': `order-${serial}` });
      assert.equal(answered?.status, 201, answered?.text);
      // Rounds of a minute end meanwhile, so that other commands than orders are written, too.
      if (serial % 400 === 399) await server.advance(20_000);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  return orders;
}

/** A write to it comes before every acknowledgement. */
export const markPath = (root: string): string => join(root, 'journal', 'mark');
