/** Log lines about journal, snapshots, roots and the replicated log. */
import type { RootPublisherOptions } from '../engine/host/root-publisher.js';
import { roundId } from '../engine/model/domain.js';
import type { SealedSegment } from '../persistence/journal/messages.js';
import type { ReplicaEvents } from '../persistence/replication/replica.js';
import type { ShadowNews } from '../persistence/shadow/messages.js';
import type { Log } from '../process/log/log.js';

export const segmentSealedLogger =
  (log: Log) =>
  (segment: SealedSegment, tookMs: number): void =>
    log.write('segment_sealed', { ...fieldsOf(segment), tookMs: Math.round(tookMs) });

export function logShadowNews(log: Log, news: ShadowNews): void {
  if (news.kind === 'pruned') log.write('segment_pruned', fieldsOf(news));
  else {
    const { seq: sequence, bytes, tookMs } = news;
    log.write('snapshot_written', { sequence, bytes, tookMs: Math.round(tookMs) });
  }
}

const fieldsOf = ({ firstSeq, lastSeq, bytes }: SealedSegment): object => ({
  firstSequence: firstSeq,
  lastSequence: lastSeq,
  bytes,
});

export const rootRefusedLogger =
  (log: Log): RootPublisherOptions['onRefused'] =>
  ({ market, roundNumber }, code, detail) =>
    log.write('root_too_late', { round: roundId(market, roundNumber), code, detail });

/** The leader is told once, and again when it changes. */
export function replicationLogger(log: Log): Pick<ReplicaEvents, 'onStatus' | 'onTrouble'> {
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
