/**
 * Events made of the archive's rows, with their places among all events. Placements, settlements, steps of limit
 * orders and transfers are streams, each in order, which are merged.
 */
import { isUnfilled, marketId, NO_LIMIT, timeFrameMs } from '../../engine/model/domain.js';
import type {
  BalanceMoved,
  BetPlaced,
  OrderFilled,
  OrderPending,
  SettlementTerms,
} from '../../engine/model/events.js';
import type { ArchiveBlocks } from '../archive/blocks.js';
import { type ArchiveCell, PLACEMENT, positionsOf } from '../archive/columns.js';
import { damagedArchive } from '../archive/schema.js';
import {
  type ArchivedBet,
  betOfFill,
  betOfSettlement,
  betOfStep,
  filledOf,
  hasRested,
  isFill,
  placedOf,
  placedSeqOf,
  settledItemOf,
  settledOf,
  settledSeqOf,
  settlementOfStep,
  stepPlaceOf,
} from './facts.js';

export interface Placed {
  readonly seq: number;
  readonly item: number;
}

export const comparePlaces = (one: Placed, other: Placed): number =>
  one.seq === other.seq ? one.item - other.item : one.seq - other.seq;

/** Each stream is in order, or the last first with `direction` -1. Closes all of them at the end. */
export function* merged<T extends Placed>(
  streams: readonly Iterator<T, void, undefined>[],
  direction: 1 | -1 = 1,
): Generator<T, void, undefined> {
  try {
    const heads = streams.map((stream) => nextOf(stream));
    for (;;) {
      let first = -1;
      for (let index = 0; index < heads.length; index++) {
        const head = heads[index] ?? null;
        const best = heads[first] ?? null;
        if (head !== null && (best === null || direction * comparePlaces(head, best) < 0)) first = index;
      }
      const found = heads[first] ?? null;
      const stream = streams[first];
      if (found === null || stream === undefined) return;
      yield found;
      heads[first] = nextOf(stream);
    }
  } finally {
    for (const stream of streams) stream.return?.();
  }
}

function nextOf<T>(stream: Iterator<T, void, undefined>): T | null {
  const next = stream.next();
  return next.done === true ? null : next.value;
}

/** `seq` is 0 if the archive began after the bet was placed. */
export interface ArchivedEvent extends Placed {
  readonly event: BetPlaced | OrderPending | OrderFilled | SettlementTerms | BalanceMoved;
}

export type ArchivedEvents = Generator<ArchivedEvent, void, undefined>;

const IN_PLACEMENT = positionsOf(PLACEMENT);

export function* eventsOfPlacements(placements: Iterable<ArchiveCell[]>): ArchivedEvents {
  for (const row of placements) yield { seq: placedSeqOf(row), item: 0, event: placedOf(row) };
}

export function* eventsOfSettlements(settlements: Iterable<ArchiveCell[]>): ArchivedEvents {
  for (const row of settlements)
    yield { seq: settledSeqOf(row), item: settledItemOf(row), event: settledOf(row) };
}

/** Steps of limit orders that have rested. */
export function* eventsOfSteps(blocks: ArchiveBlocks, steps: Iterable<ArchiveCell[]>): ArchivedEvents {
  for (const step of steps) {
    if (!isFill(step)) yield { ...stepPlaceOf(step), event: settledOf(settlementOfStep(step)) };
    else {
      for (const placement of found(blocks.placement(betOfStep(step))))
        yield { ...stepPlaceOf(step), event: filledOf(placement, step) };
    }
  }
}

export function eventsOfBet(blocks: ArchiveBlocks, bet: number): ArchivedEvents[] {
  const placement = blocks.placement(bet);
  if (placement === null) return [];
  const steps = hasRested(placement) ? blocks.limitSteps.ofBet(bet) : [];
  const settlements = hasRested(placement) ? [] : found(settlementOf(blocks, placement));
  return [eventsOfPlacements([placement]), eventsOfSettlements(settlements), eventsOfSteps(blocks, steps)];
}

/** Placements have no index by round: the round's bets are among those placed in its window. */
export function eventsOfRound(blocks: ArchiveBlocks, index: number, roundNumber: number): ArchivedEvents[] {
  const [market, windowMs] = [marketId(index), timeFrameMs(index)];
  const [fromMs, toMs] = [roundNumber * windowMs, (roundNumber + 1) * windowMs];
  function* placements(): Generator<ArchiveCell[], void, undefined> {
    for (const row of blocks.placements(blocks.firstBet((placement) => placedMsOf(placement) >= fromMs))) {
      if (placedMsOf(row) >= toMs) return;
      if (row[IN_PLACEMENT.market] === market && row[IN_PLACEMENT.round_number] === roundNumber) yield row;
    }
  }
  const settlements = blocks.settlementsOfRound(market, roundNumber);
  const steps = eventsOfSteps(blocks, blocks.limitSteps.ofRound(market, roundNumber));
  return [eventsOfPlacements(placements()), eventsOfSettlements(settlements), steps];
}

interface SettledBet extends Placed {
  readonly bet: number;
}

/** In the order in which a settled round's bets were settled, which is that in which they joined it. */
export function* betsInOrder(
  blocks: ArchiveBlocks,
  market: string,
  roundNumber: number,
): Generator<number, void, undefined> {
  function* settled(): Generator<SettledBet, void, undefined> {
    for (const row of blocks.settlementsOfRound(market, roundNumber))
      yield { seq: settledSeqOf(row), item: settledItemOf(row), bet: betOfSettlement(row) };
  }
  function* rested(): Generator<SettledBet, void, undefined> {
    for (const step of blocks.limitSteps.ofRound(market, roundNumber))
      if (!isFill(step) && !isUnfilled(settledOf(settlementOfStep(step)).result))
        yield { ...stepPlaceOf(step), bet: betOfStep(step) };
  }
  for (const { bet } of merged<SettledBet>([settled(), rested()])) yield bet;
}

export function fillOf(
  blocks: ArchiveBlocks,
  placement: readonly ArchiveCell[],
): (OrderFilled & { readonly seq: number }) | null {
  if (!hasRested(placement)) return null;
  const step = blocks.limitSteps.ofBet(Number(placement[IN_PLACEMENT.bet])).find(isFill);
  return step === undefined ? null : { ...filledOf(placement, step), seq: stepPlaceOf(step).seq };
}

export function settlementOf(blocks: ArchiveBlocks, placement: readonly ArchiveCell[]): ArchiveCell[] | null {
  if (hasRested(placement)) {
    const end = blocks.limitSteps.ofBet(Number(placement[IN_PLACEMENT.bet])).find((step) => !isFill(step));
    return end === undefined ? null : settlementOfStep(end);
  }
  const market = String(placement[IN_PLACEMENT.market]);
  return blocks.settlement(
    market,
    Number(placement[IN_PLACEMENT.round_number]),
    Number(placement[IN_PLACEMENT.bet]),
  );
}

const placedMsOf = (placement: readonly ArchiveCell[]): number => Number(placement[IN_PLACEMENT.placed_ms]);

const found = (row: ArchiveCell[] | null): ArchiveCell[][] => (row === null ? [] : [row]);

type Bets = Generator<ArchivedBet, void, undefined>;

export const eventsOfAll = (
  blocks: ArchiveBlocks,
  ledger: { movements(fromSeq: number, toSeq: number): ArchivedEvents },
  fromSeq: number,
  toSeq: number,
): ArchivedEvents[] => [
  eventsOfPlacements(placementsFrom(blocks, fromSeq)),
  eventsOfSettlements(blocks.settlements(fromSeq, toSeq)),
  eventsOfSteps(blocks, blocks.limitSteps.between(fromSeq, toSeq)),
  ledger.movements(fromSeq, toSeq),
];

const placementsFrom = (blocks: ArchiveBlocks, fromSeq: number) =>
  blocks.placements(blocks.firstBet((row) => placedSeqOf(row) >= fromSeq));

/** In the order of settlement, with limit orders that ended unfilled. */
export function* settledBets(path: string, blocks: ArchiveBlocks, fromSeq: number): Bets {
  const settlements = merged<ArchivedEvent>([
    eventsOfSettlements(blocks.settlements(fromSeq, Number.MAX_SAFE_INTEGER)),
    eventsOfSteps(blocks, blocks.limitSteps.between(fromSeq, Number.MAX_SAFE_INTEGER)),
  ]);
  for (const { seq, event: settled } of settlements) {
    if (settled.type !== 'betSettled') continue;
    const placement = blocks.placement(settled.bet);
    if (placement === null) throw damagedArchive(path, `bet ${settled.bet} was never placed`);
    yield { ...betOf(blocks, placement), settlement: { seq, settled } };
  }
}

export function* openBets(blocks: ArchiveBlocks, fromSeq: number): Bets {
  for (const placement of placementsFrom(blocks, fromSeq))
    if (settlementOf(blocks, placement) === null) yield { ...betOf(blocks, placement), settlement: null };
}

function betOf(blocks: ArchiveBlocks, placement: readonly ArchiveCell[]): Omit<ArchivedBet, 'settlement'> {
  const fill = fillOf(blocks, placement);
  const placed = placedOf(placement);
  const isAtOnce = placed.type === 'betPlaced' && placed.limitOddsE4 !== NO_LIMIT;
  return {
    placedSeq: placedSeqOf(placement),
    placed: fill === null ? placed : betOfFill(placed, fill),
    filledAtMs: fill?.timeMs ?? (isAtOnce ? placed.timeMs : null),
  };
}
