/**
 * Events made of the archive's rows, with their places among all events. Placements, settlements, steps of limit
 * orders and transfers are streams, each in order, which are merged.
 */
import type { Cell } from '../../../engine/base/rows-text.js';
import type { LedgerPlace } from '../../../engine/model/archive-reads.js';
import { isUnfilled, marketId, NO_LIMIT, timeFrameMs } from '../../../engine/model/domain.js';
import type { BetPlaced, OrderFilled, OrderPending, SettlementTerms } from '../../../engine/model/events.js';
import type { ArchiveBlocks } from '../blocks.js';
import { IN_PLACEMENT } from '../columns.js';
import type { ArchivedMove } from '../rows.js';
import { damagedArchive } from '../schema.js';
import {
  type At,
  betOfStep,
  endAt,
  fillAt,
  hasRested,
  isFill,
  placedSeqOf,
  placementAt,
  settlementAt,
} from './row-events.js';

export const comparePlaces = (one: LedgerPlace, other: LedgerPlace): number =>
  one.seq === other.seq ? one.item - other.item : one.seq - other.seq;

/** Each stream is in order, or the last first with `direction` -1. Closes all of them at the end. */
export function* merged<T extends LedgerPlace>(
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
export type ArchivedEvent = At<BetPlaced | OrderPending | OrderFilled | SettlementTerms | ArchivedMove>;
export type ArchivedEvents = Generator<ArchivedEvent, void, undefined>;

function* eventsOfPlacements(placements: Iterable<Cell[]>): ArchivedEvents {
  for (const row of placements) yield placementAt(row);
}

function* eventsOfSettlements(settlements: Iterable<Cell[]>): Generator<At<SettlementTerms>> {
  for (const row of settlements) yield settlementAt(row);
}

/** Steps of limit orders that have rested. */
export function* eventsOfSteps(
  blocks: ArchiveBlocks,
  steps: Iterable<Cell[]>,
): Generator<At<OrderFilled | SettlementTerms>, void, undefined> {
  for (const step of steps) {
    if (!isFill(step)) yield endAt(step);
    else {
      const placement = blocks.placement(betOfStep(step));
      if (placement !== null) yield fillAt(placement, step);
    }
  }
}

export interface ArchivedBet {
  /** `seq` is 0 if the archive began after it. */
  readonly order: At<BetPlaced | OrderPending>;
  /** Only of a limit order that has rested. */
  readonly fill: At<OrderFilled> | null;
  readonly settled: At<SettlementTerms> | null;
}

/** False for an order that rests, or ended unfilled. */
export const isBet = ({ order, fill, settled }: ArchivedBet): boolean =>
  fill !== null || (settled === null ? order.event.type === 'betPlaced' : !isUnfilled(settled.event.result));

/** null while the bet is open, and for an order without a bet: its stake is returned. */
export const paidCentsOf = (found: ArchivedBet): number | null =>
  isBet(found) ? (found.settled?.event.payoutCents ?? null) : null;

/** When a limit order became a bet; null if it has not, and for other orders. */
export function filledAtMs({ order: { event }, fill }: ArchivedBet): number | null {
  if (fill !== null) return fill.event.timeMs;
  return event.type === 'betPlaced' && event.limitOddsE4 !== NO_LIMIT ? event.timeMs : null;
}

/** With the odds, the percent and the payout of a limit order's fill. */
export function termsOf({ order, fill }: Omit<ArchivedBet, 'settled'>): BetPlaced | OrderPending {
  if (fill === null) return order.event;
  const { oddsE4, entryPercentE2, payoutCents } = fill.event;
  return { ...order.event, oddsE4, entryPercentE2, payoutCents };
}

export function fillOf(blocks: ArchiveBlocks, placement: readonly Cell[]): At<OrderFilled> | null {
  if (!hasRested(placement)) return null;
  const step = blocks.limitSteps.ofBet(Number(placement[IN_PLACEMENT.bet])).find(isFill);
  return step === undefined ? null : fillAt(placement, step);
}

function settlementOf(blocks: ArchiveBlocks, placement: readonly Cell[]): At<SettlementTerms> | null {
  const bet = Number(placement[IN_PLACEMENT.bet]);
  if (hasRested(placement)) {
    const step = blocks.limitSteps.ofBet(bet).find((other) => !isFill(other));
    return step === undefined ? null : endAt(step);
  }
  const market = String(placement[IN_PLACEMENT.market]);
  const row = blocks.settlement(market, Number(placement[IN_PLACEMENT.round_number]), bet);
  return row === null ? null : settlementAt(row);
}

export const archivedBet = (blocks: ArchiveBlocks, placement: readonly Cell[]): ArchivedBet => ({
  order: placementAt(placement),
  fill: fillOf(blocks, placement),
  settled: settlementOf(blocks, placement),
});

/**
 * In the order in which they joined their round. Placements have no index by round: the round's bets are among those
 * placed in its window.
 */
export function betsOfRound(blocks: ArchiveBlocks, market: number, roundNumber: number): ArchivedBet[] {
  const [id, windowMs] = [marketId(market), timeFrameMs(market)];
  const [fromMs, toMs] = [roundNumber * windowMs, (roundNumber + 1) * windowMs];
  const fills = new Map<number, At<OrderFilled>>();
  const ends = new Map<number, At<SettlementTerms>>();
  for (const at of eventsOfSettlements(blocks.settlementsOfRound(id, roundNumber)))
    ends.set(at.event.bet, at);
  for (const { event, ...place } of eventsOfSteps(blocks, blocks.limitSteps.ofRound(id, roundNumber))) {
    if (event.type === 'orderFilled') fills.set(event.bet, { ...place, event });
    else ends.set(event.bet, { ...place, event });
  }
  const bets: ArchivedBet[] = [];
  for (const row of blocks.placements(blocks.firstBet((placement) => placedMsOf(placement) >= fromMs))) {
    if (placedMsOf(row) >= toMs) break;
    if (row[IN_PLACEMENT.market] !== id || row[IN_PLACEMENT.round_number] !== roundNumber) continue;
    const order = placementAt(row);
    const { bet } = order.event;
    bets.push({ order, fill: fills.get(bet) ?? null, settled: ends.get(bet) ?? null });
  }
  return bets.sort((one, other) => comparePlaces(one.fill ?? one.order, other.fill ?? other.order));
}

/** In the order in which a settled round's bets were settled, which is that in which they joined it. */
export function* betsInOrder(
  blocks: ArchiveBlocks,
  market: string,
  roundNumber: number,
): Generator<number, void, undefined> {
  const settlements = merged<ArchivedEvent>([
    eventsOfSettlements(blocks.settlementsOfRound(market, roundNumber)),
    eventsOfSteps(blocks, blocks.limitSteps.ofRound(market, roundNumber)),
  ]);
  for (const { event } of settlements)
    if (event.type === 'betSettled' && !isUnfilled(event.result)) yield event.bet;
}

const placedMsOf = (placement: readonly Cell[]): number => Number(placement[IN_PLACEMENT.placed_ms]);

/** null if no bet was placed later. Not of bets from before the archive began. */
export function firstPlacedSeqAfter(blocks: ArchiveBlocks, timeMs: number): number | null {
  const isLate = (row: readonly Cell[]): boolean => placedSeqOf(row) > 0 && placedMsOf(row) > timeMs;
  const placement = blocks.placement(blocks.firstBet(isLate));
  return placement === null ? null : placedSeqOf(placement);
}

export const eventsOfAll = (
  blocks: ArchiveBlocks,
  ledger: { movements(fromSeq: number, toSeq: number): ArchivedEvents },
  fromSeq: number,
  toSeq: number,
): ArchivedEvents =>
  merged<ArchivedEvent>([
    eventsOfPlacements(placementsFrom(blocks, fromSeq)),
    eventsOfSettlements(blocks.settlements(fromSeq, toSeq)),
    eventsOfSteps(blocks, blocks.limitSteps.between(fromSeq, toSeq)),
    ledger.movements(fromSeq, toSeq),
  ]);

const placementsFrom = (blocks: ArchiveBlocks, fromSeq: number) =>
  blocks.placements(blocks.firstBet((row) => placedSeqOf(row) >= fromSeq));

/**
 * The settled bets in the order of settlement, with limit orders that ended unfilled, then the others in the order of
 * their numbers. All that were placed from `fromSeq` on are there, and some earlier ones. `account` null is all.
 */
export function* betsFrom(
  path: string,
  blocks: ArchiveBlocks,
  fromSeq: number,
  account: number | null,
): Generator<ArchivedBet, void, undefined> {
  const isOther = (of: Cell | undefined): boolean => account !== null && of !== account;
  const settlements = merged<ArchivedEvent>([
    eventsOfSettlements(blocks.settlements(fromSeq, Number.MAX_SAFE_INTEGER)),
    eventsOfSteps(blocks, blocks.limitSteps.between(fromSeq, Number.MAX_SAFE_INTEGER)),
  ]);
  for (const { event, ...place } of settlements) {
    if (event.type !== 'betSettled' || isOther(event.account)) continue;
    const placement = blocks.placement(event.bet);
    if (placement === null) throw damagedArchive(path, `bet ${event.bet} was never placed`);
    yield {
      order: placementAt(placement),
      fill: fillOf(blocks, placement),
      settled: { ...place, event },
    };
  }
  for (const placement of placementsFrom(blocks, fromSeq)) {
    if (isOther(placement[IN_PLACEMENT.account])) continue;
    const bet = archivedBet(blocks, placement);
    if (bet.settled === null) yield bet;
  }
}
