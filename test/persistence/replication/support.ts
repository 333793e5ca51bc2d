/** Batches, leaders and followers for tests of the replicated log. */
import assert from 'node:assert/strict';
import type { StoredBatch } from '../../../engine/model/ports.js';
import {
  CHAIN_START,
  type ChainPosition,
  sealBatch,
} from '../../../persistence/journal/segment/batch-row.js';
import { Follower } from '../../../persistence/replication/log/follower.js';
import { Leader, type LeaderOptions, type LeadFrom } from '../../../persistence/replication/log/leader.js';
import type { LocalJournal } from '../../../persistence/replication/log/locate.js';
import {
  type EpochMemory,
  LOG_BEGIN,
  type Role,
} from '../../../persistence/replication/log/replicated-log.js';
import { Retry } from '../../../persistence/replication/log/retry.js';
import { ModelLog } from './model-log.js';

export const BEGINNING: ChainPosition = { lastSeq: 0, chain: CHAIN_START };
export const AT_START: LeadFrom = { end: LOG_BEGIN, at: BEGINNING, epoch: 1, toldSeq: 0, leaseRevision: 0 };
export const RETRY = new Retry(
  () => Promise.resolve(),
  () => undefined,
);

export function batchAfter(position: ChainPosition, count = 1, word = 'x'): StoredBatch {
  const commands = `["${word.repeat(3)} ü"]`;
  const firstSeq = position.lastSeq + 1;
  const lastSeq = position.lastSeq + count;
  return sealBatch(position, { firstSeq, lastSeq, timeMs: 1, commands, digest: 'd' });
}

export function batches(count: number, from: ChainPosition = BEGINNING): StoredBatch[] {
  const rows: StoredBatch[] = [];
  for (let index = 0; index < count; index++) rows.push(batchAfter(rows.at(-1) ?? from, 1 + (index % 3)));
  return rows;
}

export const LEASE_MS = 1_000;
const STILL = { leaseMs: LEASE_MS, exchange: 'of tests', monotonicMs: () => 0 };
export const ofLeader = (node: string): LeaderOptions => ({ node, retry: RETRY, ...STILL });

export function lead(log: ModelLog, node = 'a', monotonicMs = STILL.monotonicMs): Promise<Leader> {
  return leadFrom(log, AT_START, { ...ofLeader(node), monotonicMs });
}

export async function leadNew(): Promise<{ log: ModelLog; leader: Leader }> {
  const log = new ModelLog();
  return { log, leader: await lead(log) };
}

export function succeed(log: ModelLog, at: ChainPosition, epoch: number, node = 'a'): Promise<Leader> {
  const end = log.entries.at(-1) ?? LOG_BEGIN;
  return leadFrom(log, { end, at: endOf(at), epoch, toldSeq: 0, leaseRevision: 0 }, ofLeader(node));
}

async function leadFrom(log: ModelLog, from: LeadFrom, options: LeaderOptions): Promise<Leader> {
  const leader = await Leader.takeOver(log, from, options);
  if (leader === null) throw new Error('it should lead');
  return leader;
}

const endOf = ({ lastSeq, chain }: ChainPosition): ChainPosition => ({ lastSeq, chain });

export function epochMemory(highest = 0): EpochMemory {
  return {
    get highest() {
      return highest;
    },
    raise: (epoch) => {
      highest = Math.max(highest, epoch);
    },
  };
}

export function journalOf(rows: readonly StoredBatch[]): LocalJournal {
  const at = (index: number): ChainPosition => {
    const row = rows[index];
    return row === undefined ? BEGINNING : endOf(row);
  };
  return {
    end: at(rows.length - 1),
    beforeLast: rows.length === 0 ? null : at(rows.length - 2),
    chainAt: (seq) =>
      seq === 0 ? CHAIN_START : (rows.find(({ lastSeq }) => lastSeq === seq)?.chain ?? null),
  };
}

/** The engine's thread takes `batchMs` for a batch. */
export async function follow(
  log: ModelLog,
  own: readonly StoredBatch[],
  { epochs = epochMemory(), role = 'auto' as Role, batchMs = 0, exchange = STILL.exchange } = {},
) {
  let nowMs = 0;
  let restsLeft = 0;
  const taken: StoredBatch[] = [];
  const lost: (string | null)[] = [];
  /** Messages that it is behind, how long, the lease's age, and the leader. */
  const statuses: string[] = [];
  const follower = await Follower.start(log, journalOf(own), {
    ...{ role, node: 'b', exchange, leaseMs: LEASE_MS, retry: RETRY, epochs },
    monotonicMs: () => nowMs,
    rest: async (ms) => {
      nowMs += ms;
      restsLeft -= 1;
      if (restsLeft < 0) throw new Error('it does not lead');
    },
    onBatch: async (row) => {
      nowMs += batchMs;
      taken.push(row);
    },
    onStatus: ({ lastSequence, readSequence, behindMs, leaseAgeMs, leader }) =>
      statuses.push(`${lastSequence - readSequence}, ${behindMs}, ${leaseAgeMs}, ${leader}`),
    onLost: (reason) => reason !== (lost.at(-1) ?? null) && lost.push(reason),
  });
  assert.ok(follower !== null, 'its last batch is to be taken back');
  /** Rejects if the standby has rested so often without its turn to lead. */
  const untilLeaderless = (rests = 1_000): Promise<LeadFrom> => {
    restsLeft = rests;
    return follower.untilLeaderless();
  };
  return { taken, lost, statuses, untilLeaderless };
}
