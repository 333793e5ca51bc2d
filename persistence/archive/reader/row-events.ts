/** Rows of the archive, converted back to the events that they came from. */
import type { Cell } from '../../../engine/base/rows-text.js';
import type { ArchivedRoundProof, LedgerPlace } from '../../../engine/model/archive-reads.js';
import {
  BET_ENDS,
  marketOf,
  NO_END,
  NO_FAIR_SHARE,
  NO_LIMIT,
  ROUND_RESULTS,
  SIDES,
} from '../../../engine/model/domain.js';
import type { BetPlaced, OrderFilled, OrderPending, SettlementTerms } from '../../../engine/model/events.js';
import type { ProofView, PublishedRoot } from '../../../engine/model/proofs/proof-views.js';
import { IN_PLACEMENT, IN_SETTLEMENT, IN_STEP, positionsOf, ROUND, TRANSFER } from '../columns.js';
import type { ArchivedMove } from '../rows.js';

export interface ArchivedRound extends Omit<ArchivedRoundProof, 'paidCents' | 'root'> {
  readonly settledSeq: number;
}

/** An event at its place among all events. */
export interface At<Event> extends LedgerPlace {
  readonly event: Event;
}

const IN_ROUND = positionsOf(ROUND);
const IN_TRANSFER = positionsOf(TRANSFER);

/** In the order of `SETTLEMENT`. */
const STEP_AS_SETTLEMENT = [
  'bet',
  'account',
  'kind',
  'payout_cents',
  'item',
  'balance_cents',
  'seq',
  'market',
  'round_number',
  'time_ms',
] as const;

/** An order that rested, as it was placed. */
export function placedOf(placement: readonly Cell[]): BetPlaced | OrderPending {
  const cell = (column: keyof typeof IN_PLACEMENT): Cell => placement[IN_PLACEMENT[column]] ?? null;
  const number = (column: keyof typeof IN_PLACEMENT): number => Number(cell(column));
  const clientSeed = cell('client_seed');
  return {
    type: hasRested(placement) ? 'orderPending' : 'betPlaced',
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
    clientOrderId: clientOrderIdOf(placement),
    limitOddsE4: Number(cell('limit_odds_e4') ?? NO_LIMIT),
    filled: null,
    fairShareE6: NO_FAIR_SHARE,
    validUntilMs: Number(cell('valid_until_ms') ?? NO_END),
  };
}

export function clientOrderIdOf(placement: readonly Cell[]): string | null {
  const id = placement[IN_PLACEMENT.client_order_id] ?? null;
  return id === null ? null : String(id);
}

export const hasRested = (placement: readonly Cell[]): boolean => placement[IN_PLACEMENT.rested] === 1;

export const isFill = (step: readonly Cell[]): boolean => step[IN_STEP.kind] === 'FILLED';

export function fillAt(placement: readonly Cell[], step: readonly Cell[]): At<OrderFilled> {
  const number = (column: keyof typeof IN_STEP): number => Number(step[IN_STEP[column]]);
  const { bet, account, market, roundNumber, side, stakeCents, ...placed } = placedOf(placement);
  const { limitOddsE4, clientSeed, clientOrderId, timeMs: placedAtMs, fairShareE6 } = placed;
  const about = { bet, account, market, roundNumber, side, stakeCents, limitOddsE4 };
  const event: OrderFilled = {
    type: 'orderFilled',
    timeMs: number('time_ms'),
    ...about,
    oddsE4: number('odds_e4'),
    entryPercentE2: number('entry_percent_e2'),
    payoutCents: number('payout_cents'),
    newBalanceCents: number('balance_cents'),
    clientSeed,
    clientOrderId,
    placedAtMs,
    fairShareE6,
  };
  return { seq: number('seq'), item: number('item'), event };
}

export const betOfStep = (step: readonly Cell[]): number => Number(step[IN_STEP.bet]);

/** 0 if the archive began after the command. */
export const placedSeqOf = (placement: readonly Cell[]): number =>
  Number(placement[IN_PLACEMENT.placed_seq] ?? 0);

export const placementAt = (row: readonly Cell[]): At<BetPlaced | OrderPending> => ({
  seq: placedSeqOf(row),
  item: 0,
  event: placedOf(row),
});

export function settlementAt(row: readonly Cell[]): At<SettlementTerms> {
  const cell = (column: keyof typeof IN_SETTLEMENT): Cell => row[IN_SETTLEMENT[column]] ?? null;
  const number = (column: keyof typeof IN_SETTLEMENT): number => Number(cell(column));
  const event: SettlementTerms = {
    type: 'betSettled',
    timeMs: number('settled_ms'),
    bet: number('bet'),
    account: number('account'),
    market: marketOf(String(cell('market'))),
    roundNumber: number('round_number'),
    result: (BET_ENDS as readonly string[]).indexOf(String(cell('result'))),
    payoutCents: number('paid_cents'),
    newBalanceCents: number('settled_balance_cents'),
  };
  return { seq: number('settled_seq'), item: number('settled_item'), event };
}

/** The end of a limit order that has rested. */
export const endAt = (step: readonly Cell[]): At<SettlementTerms> =>
  settlementAt(STEP_AS_SETTLEMENT.map((column) => step[IN_STEP[column]] ?? null));

export function movedOf(transfer: readonly Cell[]): ArchivedMove {
  const number = (column: keyof typeof TRANSFER): number => Number(transfer[IN_TRANSFER[column]]);
  return {
    type: 'balanceMoved',
    timeMs: number('time_ms'),
    account: number('account'),
    amountCents: number('amount_cents'),
    balanceCents: number('balance_cents'),
    reason: String(transfer[IN_TRANSFER.reason]) as ArchivedMove['reason'],
    reference: String(transfer[IN_TRANSFER.reference]),
  };
}

export function roundOf(round: readonly Cell[]): ArchivedRound {
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
    proof: proofOf(round),
  };
}

function proofOf(row: readonly Cell[]): ProofView {
  const cell = (column: keyof typeof ROUND): Cell => row[IN_ROUND[column]] ?? null;
  const origins = JSON.parse(String(cell('origins'))) as Omit<ProofView, 'root'>;
  if (cell('merkle_root') === null) return { ...origins, root: null };
  const root: PublishedRoot = {
    merkleRoot: String(cell('merkle_root')),
    treeSize: Number(cell('tree_size')),
    keyId: String(cell('key_id')),
    signature: String(cell('signature')),
    publishedAtMs: Number(cell('root_ms')),
  };
  return { ...origins, root };
}
