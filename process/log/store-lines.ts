/** Log lines about journal and snapshots; `main.ts` connects them to persistence. */
import { roundId } from '../../engine/model/domain.js';
import type { Log } from './log.js';

interface Segment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: number;
}
type ShadowNews =
  | { readonly kind: 'snapshot'; readonly seq: number; readonly bytes: number; readonly tookMs: number }
  | (Segment & { readonly kind: 'pruned' });

export const segmentSealedLogger =
  (log: Log) =>
  (segment: Segment, tookMs: number): void =>
    log.write('segment_sealed', { ...fieldsOf(segment), tookMs: Math.round(tookMs) });

export const shadowNewsLogger =
  (log: Log) =>
  (news: ShadowNews): void => {
    if (news.kind === 'pruned') log.write('segment_pruned', fieldsOf(news));
    else {
      const { seq: sequence, bytes, tookMs } = news;
      log.write('snapshot_written', { sequence, bytes, tookMs: Math.round(tookMs) });
    }
  };

export const rootRefusedLogger =
  (log: Log) =>
  (
    { market, roundNumber }: { readonly market: number; readonly roundNumber: number },
    code: string,
    detail: string,
  ): void =>
    log.write('root_too_late', { round: roundId(market, roundNumber), code, detail });

const fieldsOf = ({ firstSeq, lastSeq, bytes }: Segment): object => ({
  firstSequence: firstSeq,
  lastSequence: lastSeq,
  bytes,
});

interface FollowerLines {
  readonly lease: string;
  readonly leader: string;
  readonly epoch: number;
  readonly readSeq: number;
}

export interface ReplicationLines {
  onStatus(status: FollowerLines): void;
  onTrouble(reason: string | null): void;
}

/** The leader is told once, and again when it changes. */
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
  };
}
