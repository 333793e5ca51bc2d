/** What a start tells the log. */
import type { EngineReads } from '../../engine/model/views.js';
import type { Log } from '../log/log.js';
import { type BannerFacts, bannerText } from './banner.js';

/** How the recovery went; `main.ts` hands in what persistence says of it. */
export interface RecoveredView {
  readonly lastSeq: number;
  /** Engine time of the last command; 0 in a new journal. */
  readonly lastTimeMs: number;
  /** The snapshot that it began with; 0: none. */
  readonly snapshotSeq: number;
  readonly wasUnclean: boolean;
  readonly notes: readonly string[];
}

export function tellStarting(log: Log, version: string, dataDir: string): void {
  log.tell('starting', { version, node: process.version, pid: process.pid, dataDir });
  // What comes next may take long, and the event loop does not turn meanwhile.
  log.flush();
}

/** Reported during recovery, while the event loop does not turn. */
export const tellingRecovery =
  (log: Log) =>
  (progress: object, sentence: string): void => {
    log.tell('recovering', progress, sentence);
    log.flush();
  };

export function tellRecovered(log: Log, view: RecoveredView, engine: EngineReads, tookMs: number): void {
  const { lastSeq, lastTimeMs, snapshotSeq, wasUnclean, notes } = view;
  if (wasUnclean) log.tell('unclean_stop', { sequence: lastSeq });
  for (const note of notes) log.tell('recovery_note', { sequence: lastSeq }, note);
  log.tell('recovered', {
    sequence: lastSeq,
    snapshotSequence: snapshotSeq === 0 ? null : snapshotSeq,
    commandsReplayed: lastSeq - snapshotSeq,
    tookMs: Math.round(tookMs),
    lastCommandTime: lastTimeMs === 0 ? null : new Date(lastTimeMs).toISOString(),
    accounts: engine.accountCount,
    bets: engine.betCount,
    unsettledRounds: engine.unsettledRounds().length,
  });
}

/** On stdout, too, as the banner. `tookMs` is from the start of the recovery. */
export function tellListening(log: Log, facts: BannerFacts, tookMs: number): void {
  const { publicUrl, operatorUrl, feed, clock, durability } = facts;
  log.tell('listening', { publicUrl, operatorUrl, feed, clock, durability, tookMs: Math.round(tookMs) });
  process.stdout.write(bannerText(facts));
}
