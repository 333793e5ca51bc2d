/** How far an archive has come, and how many rows it must have: the one row of its table `progress`. */
import type { ArchiveCell } from './checksum.js';

/** The progress of an archive. */
export interface ArchiveProgress {
  /** The archive holds what the commands after this one did; 0 for everything from the beginning. */
  readonly fromSeq: number;
  /** The last command in the archive, the end of a batch. */
  readonly seq: number;
  readonly timeMs: number;
  /** Rolling digest at `seq`; '' at 0. */
  readonly digest: string;
  /** Chain hash of the journal at `seq`. */
  readonly chain: string;
  readonly bets: number;
  readonly betsSettled: number;
  readonly rounds: number;
  readonly transfers: number;
  readonly limitSteps: number;
  /** Of operators. */
  readonly actions: number;
}

/** An archive without rows. */
export const NO_ROWS = {
  bets: 0,
  betsSettled: 0,
  rounds: 0,
  transfers: 0,
  limitSteps: 0,
  actions: 0,
} as const;

export const PROGRESS = {
  from_seq: 'INTEGER NOT NULL',
  seq: 'INTEGER NOT NULL',
  time_ms: 'INTEGER NOT NULL',
  digest: 'TEXT NOT NULL',
  chain: 'TEXT NOT NULL',
  bets: 'INTEGER NOT NULL',
  bets_settled: 'INTEGER NOT NULL',
  rounds: 'INTEGER NOT NULL',
  transfers: 'INTEGER NOT NULL',
  limit_steps: 'INTEGER NOT NULL',
  actions: 'INTEGER NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/** In the order of `PROGRESS`, without the checksum. */
export function cellsOfProgress(progress: ArchiveProgress): ArchiveCell[] {
  const { fromSeq, seq, timeMs, digest, chain } = progress;
  const { bets, betsSettled, rounds, transfers, limitSteps, actions } = progress;
  return [fromSeq, seq, timeMs, digest, chain, bets, betsSettled, rounds, transfers, limitSteps, actions];
}

export function progressOf(cells: readonly ArchiveCell[]): ArchiveProgress {
  const [fromSeq, seq, timeMs, digest, chain, ...counts] = cells;
  const [bets, betsSettled, rounds, transfers, limitSteps, actions] = counts.map(Number);
  return {
    fromSeq: Number(fromSeq),
    seq: Number(seq),
    timeMs: Number(timeMs),
    digest: String(digest),
    chain: String(chain),
    ...({ bets, betsSettled, rounds, transfers, limitSteps, actions } as Record<
      keyof typeof NO_ROWS,
      number
    >),
  };
}
