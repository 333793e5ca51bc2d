/** Planted bugs of the replicated log, to prove that they are found. */
import { Follower } from '../../../persistence/replication/log/follower.js';
import { Leader } from '../../../persistence/replication/log/leader.js';
import type { EpochMemory } from '../../../persistence/replication/log/replicated-log.js';
import { PlaceTaken } from '../../../persistence/replication/log/replicated-log.js';
import type { FromReplication, ToReplication } from '../../../persistence/replication/messages.js';
import type { SharedLog } from '../../../persistence/replication/replicator.js';
import { exchange } from '../mutations/planting.js';
import type { SimProcess } from './process.js';

export interface Mutation {
  readonly name: string;
  readonly bug: string;
  readonly leaseClock?: (process: SimProcess) => number;
  readonly log?: (real: SharedLog) => SharedLog;
  readonly isDiskIgnored?: boolean;
  readonly epochs?: () => EpochMemory;
  /** From the engine's thread to the replication's; `answer` answers in its place. */
  readonly toThread?: (
    message: ToReplication,
    on: (message: ToReplication) => void,
    answer: (message: FromReplication) => void,
  ) => void;
  readonly fromThread?: (message: FromReplication, on: (message: FromReplication) => void) => void;
  readonly install?: () => () => void;
}

export const NO_MUTATION: Mutation = { name: 'none', bug: 'none' };

/** Appends that fail so are taken for done. */
const appendsDespite =
  (isHidden: (thrown: unknown) => boolean) =>
  (real: SharedLog): SharedLog => ({
    ...real,
    append: (...args) =>
      real.append(...args).catch((thrown: unknown) => {
        if (!isHidden(thrown)) throw thrown;
      }),
  });

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'serve-before-takeover',
    bug: 'a process serves before its takeover is in the log',
    install: () =>
      exchange(Leader.prototype, 'append', async (_self, real, message) => {
        const appended = real(message);
        if (message.kind !== 'takeover') return appended;
        appended.catch(() => undefined);
      }),
  },
  {
    name: 'local-fsync-alone',
    bug: 'a batch is acknowledged once the local disk has it',
    toThread: (message, on, answer) => {
      on(message);
      if (message.kind === 'publish')
        answer({ kind: 'published', lastSeq: message.batch.lastSeq, sequence: 0 });
    },
    fromThread: (message, on) => {
      if (message.kind !== 'published') on(message);
    },
  },
  {
    name: 'stopped-clock',
    bug: 'a leader believes in its lease by a clock that stands still while it is stopped',
    leaseClock: (process) => process.runningMs(),
  },
  { name: 'never-asks-again', bug: 'a leader believes an answer, however long it took', leaseClock: () => 0 },
  { name: 'log-alone', bug: 'a batch is acknowledged before the local disk has it', isDiskIgnored: true },
  {
    name: 'lost-answer-is-success',
    bug: 'a message whose answer was lost is taken for appended',
    log: appendsDespite((thrown) => !(thrown instanceof PlaceTaken)),
  },
  {
    name: 'doubled-on-retry',
    bug: 'a retry goes to wherever the log ends by now, under another id',
    log: (real) => {
      const tried = new Set<string>();
      return {
        ...real,
        append: async (bytes, id, afterSequence) => {
          const isFirst = !tried.has(id);
          tried.add(id);
          if (isFirst) return real.append(bytes, id, afterSequence);
          const { last } = await real.bounds();
          return real.append(bytes, `${id}.${last}`, last);
        },
      };
    },
  },
  {
    name: 'no-fence',
    bug: 'a message whose place is taken is taken for appended',
    log: appendsDespite((thrown) => thrown instanceof PlaceTaken),
  },
  {
    name: 'same-epoch',
    bug: 'a successor goes on with the epoch of the one before',
    install: () =>
      exchange(Follower.prototype, 'untilLeaderless', async (_self, real) => {
        const from = await real();
        return { ...from, epoch: Math.max(1, from.epoch - 1) };
      }),
  },
  {
    name: 'epoch-of-the-log',
    bug: 'a successor takes the epoch that follows that of a log which has lost messages',
    epochs: () => ({ highest: 0, raise: () => undefined }),
  },
  {
    name: 'loss-unnoticed',
    bug: 'a standby without what the log has lost leads, and nobody asks what the last leader had told of',
    log: (real) => ({
      ...real,
      readLease: async () => {
        const lease = await real.readLease();
        return lease === null ? null : { ...lease, lastSeq: 0 };
      },
    }),
  },
];
