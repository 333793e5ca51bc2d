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
  /** Of rounds. */
  readonly proofs: number;
  /** Of operators: those by commands after this one. An archive of a former format has none at first. */
  readonly actions: number;
  readonly actionsFromSeq: number;
}

/** An archive without rows. */
export const NO_ROWS = {
  bets: 0,
  betsSettled: 0,
  rounds: 0,
  transfers: 0,
  limitSteps: 0,
  proofs: 0,
  actions: 0,
} as const;

export function cellsOfProgress(progress: ArchiveProgress): ArchiveCell[] {
  const { fromSeq, seq, timeMs, digest, chain } = progress;
  const { bets, betsSettled, rounds, transfers, limitSteps, proofs, actions, actionsFromSeq } = progress;
  const counts = [bets, betsSettled, rounds, transfers, limitSteps, proofs, actions];
  return [fromSeq, seq, timeMs, digest, chain, ...counts, actionsFromSeq];
}

export type ProgressCells = [
  ...position: [fromSeq: number, seq: number, timeMs: number, digest: string, chain: string],
  ...counts: [bets: number, betsSettled: number, rounds: number, transfers: number],
  /** Former formats have no steps of limit orders, no proofs, or no actions. */
  ...rest:
    | [limitSteps: number, proofs: number, actions: number, actionsFromSeq: number, checksum: string]
    | [limitSteps: number, proofs: number, checksum: string]
    | [limitSteps: number, checksum: string]
    | [checksum: string],
];

export function progressOf(cells: ProgressCells): ArchiveProgress {
  const [fromSeq, seq, timeMs, digest, chain, bets, betsSettled, rounds, transfers, ...rest] = cells;
  // All but the checksum.
  const [limitSteps = 0, proofs = 0, actions = 0, actionsFromSeq = seq] = rest.slice(0, -1) as number[];
  const counts = { bets, betsSettled, rounds, transfers, limitSteps, proofs, actions };
  return { fromSeq, seq, timeMs, digest, chain, ...counts, actionsFromSeq };
}
