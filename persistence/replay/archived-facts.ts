/** Rows of the archive, converted back to the events that they came from. */
import { BET_RESULTS, marketOf, NO_FAIR_SHARE, ROUND_RESULTS, SIDES } from '../../engine/model/domain.js';
import type { BalanceMoved, BetPlaced, SettlementFacts } from '../../engine/model/events.js';
import type { ArchiveCell } from '../archive/form/checksum.js';
import { PLACEMENT, positionsOf, ROUND, SETTLEMENT, TRANSFER } from '../archive/form/columns.js';

/** A finished round, as stored in the archive. */
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

/** A bet whose placement is known, and its settlement up to some command. */
export interface ArchivedBet {
  readonly placedSeq: number;
  readonly placed: BetPlaced;
  readonly fate: { readonly seq: number; readonly settled: SettlementFacts } | null;
}

const IN_PLACEMENT = positionsOf(PLACEMENT);
const IN_SETTLEMENT = positionsOf(SETTLEMENT);
const IN_ROUND = positionsOf(ROUND);
const IN_TRANSFER = positionsOf(TRANSFER);

export function placedOf(placement: readonly ArchiveCell[]): BetPlaced {
  const cell = (column: keyof typeof IN_PLACEMENT): ArchiveCell => placement[IN_PLACEMENT[column]] ?? null;
  const number = (column: keyof typeof IN_PLACEMENT): number => Number(cell(column));
  const clientSeed = cell('client_seed');
  return {
    type: 'betPlaced',
    timeMs: number('placed_ms'),
    bet: number('bet'),
    account: number('account'),
    market: marketOf(String(cell('market'))),
    roundNumber: number('round_number'),
    side: (SIDES as readonly string[]).indexOf(String(cell('side'))),
    stakeCents: number('stake_cents'),
    oddsE4: number('odds_e4'),
    entryPercentE2: number('entry_percent_e2'),
    payoutCents: number('payout_cents'),
    newBalanceCents: number('balance_after_cents'),
    clientSeed: clientSeed === null ? null : String(clientSeed),
    fairShareE6: NO_FAIR_SHARE,
  };
}

/** Number of the command that placed the bet; 0 if the archive began after it. */
export const placedSeqOf = (placement: readonly ArchiveCell[]): number =>
  Number(placement[IN_PLACEMENT.placed_seq] ?? 0);

export function settledOf(settlement: readonly ArchiveCell[]): SettlementFacts {
  const cell = (column: keyof typeof IN_SETTLEMENT): ArchiveCell => settlement[IN_SETTLEMENT[column]] ?? null;
  const number = (column: keyof typeof IN_SETTLEMENT): number => Number(cell(column));
  return {
    type: 'betSettled',
    timeMs: number('settled_ms'),
    bet: number('bet'),
    account: number('account'),
    market: marketOf(String(cell('market'))),
    roundNumber: number('round_number'),
    result: (BET_RESULTS as readonly string[]).indexOf(String(cell('result'))),
    payoutCents: number('paid_cents'),
    newBalanceCents: number('settled_balance_cents'),
  };
}

/** Number of the command that settled the bet. */
export const settledSeqOf = (settlement: readonly ArchiveCell[]): number =>
  Number(settlement[IN_SETTLEMENT.settled_seq]);

/** Its position among the events of that command. */
export const settledItemOf = (settlement: readonly ArchiveCell[]): number =>
  Number(settlement[IN_SETTLEMENT.settled_item]);

export function movedOf(transfer: readonly ArchiveCell[]): BalanceMoved {
  const number = (column: keyof typeof TRANSFER): number => Number(transfer[IN_TRANSFER[column]]);
  return {
    type: 'balanceMoved',
    timeMs: number('time_ms'),
    account: number('account'),
    amountCents: number('amount_cents'),
    balanceCents: number('balance_cents'),
    reason: String(transfer[IN_TRANSFER.reason]) as BalanceMoved['reason'],
    reference: String(transfer[IN_TRANSFER.reference]),
  };
}

export function roundOf(round: readonly ArchiveCell[]): ArchivedRound {
  const number = (column: keyof typeof ROUND): number => Number(round[IN_ROUND[column]]);
  const price = (column: 'open_price' | 'close_price'): number | null =>
    round[IN_ROUND[column]] === null ? null : number(column);
  return {
    market: marketOf(String(round[IN_ROUND.market])),
    roundNumber: number('round_number'),
    startTimeMs: number('start_ms'),
    lockTimeMs: number('lock_ms'),
    endTimeMs: number('end_ms'),
    openPrice: price('open_price'),
    closePrice: price('close_price'),
    poolUpCents: number('pool_up_cents'),
    poolDownCents: number('pool_down_cents'),
    seedCents: number('seed_cents'),
    feeBps: number('fee_bps'),
    betCount: number('bet_count'),
    volumeCents: number('volume_cents'),
    result: (ROUND_RESULTS as readonly string[]).indexOf(String(round[IN_ROUND.result])),
    voidReason: String(round[IN_ROUND.void_reason]),
    resolvedAtMs: number('resolved_ms'),
    settledSeq: number('settled_seq'),
    settledAtMs: number('settled_ms'),
  };
}
