/** Log lines about the replicated log; `main.ts` connects them to persistence. */
import type { Log } from './log.js';

interface FollowerLines {
  readonly lease: string;
  readonly leader: string;
  readonly epoch: number;
  readonly readSeq: number;
}

export interface ReplicationLines {
  onStatus(status: FollowerLines): void;
  onTrouble(reason: string | null): void;
  onTakenBack(sentence: string): void;
}

/** Who leads is told once, and again when it changes. */
export function replicationLogger(log: Log): ReplicationLines {
  let told = '';
  return {
    onStatus: ({ lease, leader, epoch, readSeq: sequence }) => {
      const news = `${lease} ${leader} ${epoch}`;
      if (news === told) return;
      told = news;
      log.write('following', { lease, leader: leader === '' ? null : leader, epoch, sequence });
    },
    onTrouble: (reason) => {
      if (reason === null) log.write('replication_restored');
      else log.write('replication_away', { reason });
    },
    onTakenBack: (sentence) => log.write('batch_rolled_back', {}, sentence),
  };
}
