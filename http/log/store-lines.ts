/** What the log is told of journal and snapshots; `main.ts` hands in what persistence says of them. */
import type { Log } from './log.js';

interface Segment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: number;
}
type ShadowNews =
  | { readonly kind: 'snapshot'; readonly seq: number; readonly bytes: number; readonly tookMs: number }
  | (Segment & { readonly kind: 'pruned' });

export const tellingSealed =
  (log: Log) =>
  (segment: Segment, tookMs: number): void =>
    log.tell('segment_sealed', { ...fieldsOf(segment), tookMs: Math.round(tookMs) });

export const tellingNews =
  (log: Log) =>
  (news: ShadowNews): void => {
    if (news.kind === 'pruned') log.tell('segment_pruned', fieldsOf(news));
    else {
      const { seq: sequence, bytes, tookMs } = news;
      log.tell('snapshot_written', { sequence, bytes, tookMs: Math.round(tookMs) });
    }
  };

const fieldsOf = ({ firstSeq, lastSeq, bytes }: Segment): object => ({
  firstSequence: firstSeq,
  lastSequence: lastSeq,
  bytes,
});
