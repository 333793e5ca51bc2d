/** What a leader tells of its replication while it is under load. */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import type { Pair } from './pair.js';

const SAMPLE_EVERY_MS = 100;
const MS_PER_SECOND = 1_000;

/** What the standby lacked at one moment. */
export interface Lag {
  readonly messages: number;
  readonly ms: number;
}

export interface Watched {
  /** Of moments at which the stream grew. */
  readonly lags: readonly Lag[];
  /** Means over the batches. */
  readonly commands: number;
  readonly publishMs: number;
  readonly commitMs: number;
}

/** From now until `end`. */
export async function watch(pair: Pair): Promise<{ end(): Promise<Watched> }> {
  const before = await pair.leader.metrics();
  const lags: Lag[] = [];
  let isOver = false;
  const sample = async (): Promise<void> => {
    for (let sequence = 0; !isOver; ) {
      const { streamSequence, standbys } = (await pair.status()).replication;
      const [standby] = standbys;
      if (sequence > 0 && streamSequence > sequence && standby !== undefined)
        lags.push({ messages: standby.messagesBehind, ms: standby.behindMs });
      sequence = streamSequence;
      await pause(SAMPLE_EVERY_MS);
    }
  };
  const ended = sample();
  return {
    end: async () => {
      isOver = true;
      await ended;
      const after = await pair.leader.metrics();
      const mean = (metric: string): number => {
        const grown = (of: string): number =>
          valueIn(after, `${metric}_${of}`) - valueIn(before, `${metric}_${of}`);
        return grown('sum') / grown('count');
      };
      return {
        lags,
        commands: mean('tote_batch_commands'),
        publishMs: MS_PER_SECOND * mean('tote_replication_publish_duration_seconds'),
        commitMs: MS_PER_SECOND * mean('tote_commit_duration_seconds'),
      };
    },
  };
}

function valueIn(page: string, sample: string): number {
  const line = page.split('\n').find((one) => one.startsWith(`${sample} `));
  return Number(must(line, sample).split(' ')[1]);
}
