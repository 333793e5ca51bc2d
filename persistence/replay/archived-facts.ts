/** Rows of the archive, read as the events that they were made of. */
import { BET_RESULTS, marketOf, ROUND_RESULTS, SIDES } from '../../engine/model/domain.js';
import type { BalanceMoved, BetPlaced, BetSettled } from '../../engine/model/events.js';
import type { ArchiveCell } from '../archive/checksum.js';

/** A finished round, as the archive keeps it. */
export interface ArchivedRound {
  readonly market: number;
  readonly roundNumber: number;
  readonly startTimeMs: number;
  readonly lockTimeMs: number;
  readonly endTimeMs: number;
  readonly openPrice: number | null;
  readonly closePrice: number | null;
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  readonly seedCents: number;
  readonly feeBps: number;
  readonly betCount: number;
  readonly volumeCents: number;
  /** Index into `ROUND_RESULTS`. */
  readonly result: number;
  readonly voidReason: string;
  readonly resolvedAtMs: number;
  readonly settledSeq: number;
  readonly settledAtMs: number;
}

export function placedOf(cells: readonly ArchiveCell[]): BetPlaced {
  const number = (index: number): number => Number(cells[index]);
  return {
    type: 'betPlaced',
    timeMs: number(10),
    bet: number(0),
    account: number(1),
    market: marketOf(String(cells[2])),
    roundNumber: number(3),
    side: (SIDES as readonly string[]).indexOf(String(cells[4])),
    stakeCents: number(5),
    oddsE4: number(6),
    entryPercentE2: number(7),
    payoutCents: number(8),
    newBalanceCents: number(11),
    clientSeed: cells[12] === null || cells[12] === undefined ? null : String(cells[12]),
  };
}

export function settledOf(cells: readonly ArchiveCell[]): BetSettled {
  const number = (index: number): number => Number(cells[index]);
  return {
    type: 'betSettled',
    timeMs: number(18),
    bet: number(0),
    account: number(1),
    market: marketOf(String(cells[2])),
    roundNumber: number(3),
    result: (BET_RESULTS as readonly string[]).indexOf(String(cells[14])),
    payoutCents: number(15),
    newBalanceCents: number(19),
  };
}

export function movedOf(cells: readonly ArchiveCell[]): BalanceMoved {
  const [, , timeMs, account, amountCents, balanceCents, reason, reference] = cells;
  return {
    type: 'balanceMoved',
    timeMs: Number(timeMs),
    account: Number(account),
    amountCents: Number(amountCents),
    balanceCents: Number(balanceCents),
    reason: String(reason) as BalanceMoved['reason'],
    reference: String(reference),
  };
}

export function roundOf(row: readonly ArchiveCell[]): ArchivedRound {
  const number = (index: number): number => Number(row[index]);
  const price = (index: number): number | null => (row[index] === null ? null : number(index));
  return {
    market: marketOf(String(row[0])),
    roundNumber: number(1),
    startTimeMs: number(2),
    lockTimeMs: number(3),
    endTimeMs: number(4),
    openPrice: price(5),
    closePrice: price(6),
    poolUpCents: number(7),
    poolDownCents: number(8),
    seedCents: number(9),
    feeBps: number(10),
    betCount: number(11),
    volumeCents: number(12),
    result: (ROUND_RESULTS as readonly string[]).indexOf(String(row[13])),
    voidReason: String(row[14]),
    resolvedAtMs: number(15),
    settledSeq: number(16),
    settledAtMs: number(17),
  };
}
