/** Bets in the archive, of an account or of all, by number, newest first. */
import type { Cell } from '../../../engine/base/rows-text.js';
import type {
  ArchivedBetView,
  BetQuestion,
  BetsAnswer,
  BetsQuestion,
} from '../../../engine/model/archive-reads.js';
import {
  endStatus,
  LIVE,
  marketId,
  type PositionStatus,
  SETTLED,
  timeFrameMs,
} from '../../../engine/model/domain.js';
import type { SettlementTerms } from '../../../engine/model/events.js';
import type { ArchiveBlocks } from '../blocks.js';
import { IN_STEP, type Rows } from '../columns.js';
import type { ArchivedRounds } from './rounds.js';
import { placedOf, placedSeqOf } from './row-events.js';
import { archivedBet, filledAtMs, isBet, paidCentsOf, termsOf } from './streams.js';

/** With a filter an answer may have fewer bets than asked for, because it reads no more placements than this. */
const READ_MAX = 5_000;
/** Each of an account's may lie in a block of its own, which takes twenty times as long. */
const READ_OF_ACCOUNT_MAX = 500;

export function betsOf(blocks: ArchiveBlocks, rounds: ArchivedRounds, question: BetsQuestion): BetsAnswer {
  const { status, market, roundNumber, beforeMs, clientOrderId, limit } = question;
  // Bets of a round are placed in its window.
  const windowFromMs = market === null || roundNumber === null ? 0 : roundNumber * timeFrameMs(market);
  const fromMs = Math.max(question.fromMs ?? 0, windowFromMs);
  const readMax = question.account === null ? READ_MAX : READ_OF_ACCOUNT_MAX;
  const bets: ArchivedBetView[] = [];
  let read = 0;
  let last = 0;
  for (const placement of placementsFor(blocks, rounds, question)) {
    const placed = placedOf(placement);
    if (placed.timeMs < fromMs) break;
    const isAsked =
      (market === null || placed.market === market) &&
      (roundNumber === null || placed.roundNumber === roundNumber) &&
      (beforeMs === null || placed.timeMs < beforeMs) &&
      (clientOrderId === null || placed.clientOrderId === clientOrderId);
    const view = isAsked ? viewOf(blocks, placement) : null;
    const isMeant =
      view !== null && (status === 'all' || (status === 'settled') === (view.settledSeq !== null));
    // The answer ends before the next bet that is asked for, so that no later answer is empty.
    if (read === readMax || (isMeant && bets.length === limit)) return { bets, nextBeforeBet: last };
    if (isMeant) bets.push(view);
    last = placed.bet;
    read += 1;
  }
  return { bets, nextBeforeBet: null };
}

function placementsFor(
  blocks: ArchiveBlocks,
  rounds: ArchivedRounds,
  { account, beforeBet, market, roundNumber, beforeMs }: BetsQuestion,
): Iterable<Cell[]> {
  if (account !== null) return placementsOfAccount(blocks, account, beforeBet);
  const isLate = (placement: readonly Cell[]): boolean =>
    placedOf(placement).timeMs >= (beforeMs ?? Number.POSITIVE_INFINITY);
  const before = beforeMs === null ? beforeBet : Math.min(beforeBet, blocks.firstBet(isLate));
  // Settlements have an index by round, but there are all of a round's only when it is settled.
  const isSettled = market !== null && roundNumber !== null && rounds.find(market, roundNumber) !== null;
  return isSettled ? placementsOfRound(blocks, market, roundNumber, before) : blocks.placementsBefore(before);
}

/** null if the archive has no such bet of this account. */
export function betOf(blocks: ArchiveBlocks, { account, bet }: BetQuestion): ArchivedBetView | null {
  const placement = blocks.placement(bet);
  return placement === null || placedOf(placement).account !== account ? null : viewOf(blocks, placement);
}

function* placementsOfAccount(blocks: ArchiveBlocks, account: number, beforeBet: number): Rows {
  // The bet, even another account's, tells in which list to begin.
  const before = Number.isSafeInteger(beforeBet) ? blocks.placement(beforeBet) : null;
  const lists =
    before === null ? blocks.betsOfAccount(account) : blocks.betsOfAccount(account, placedSeqOf(before));
  for (const { placed } of lists) {
    for (const bet of placed.toReversed()) {
      const placement = bet < beforeBet ? blocks.placement(bet) : null;
      if (placement !== null) yield placement;
    }
  }
}

function* placementsOfRound(
  blocks: ArchiveBlocks,
  market: number,
  roundNumber: number,
  beforeBet: number,
): Rows {
  for (const bet of betsOfRound(blocks, marketId(market), roundNumber, beforeBet)) {
    const placement = blocks.placement(bet);
    if (placement !== null) yield placement;
  }
}

/** Settlements of limit orders that have rested are apart from the others, and an order may have several steps. */
function* betsOfRound(
  blocks: ArchiveBlocks,
  market: string,
  roundNumber: number,
  beforeBet: number,
): Generator<number, void, undefined> {
  const steps = [...blocks.limitSteps.ofRound(market, roundNumber)];
  const rested = [...new Set(steps.map((step) => Number(step[IN_STEP.bet])))]
    .filter((bet) => bet < beforeBet)
    .sort((one, other) => one - other);
  for (const settlement of blocks.settlementsOfRoundBefore(market, roundNumber, beforeBet)) {
    const bet = Number(settlement[0]);
    for (let next = rested.at(-1); next !== undefined && next > bet; next = rested.at(-1)) {
      rested.pop();
      yield next;
    }
    yield bet;
  }
  yield* rested.toReversed();
}

function viewOf(blocks: ArchiveBlocks, placement: readonly Cell[]): ArchivedBetView {
  const bet = archivedBet(blocks, placement);
  const { order, fill, settled } = bet;
  const { timeMs: placedAtMs, account, market, roundNumber, side, stakeCents, limitOddsE4 } = order.event;
  const { oddsE4, entryPercentE2, payoutCents } = termsOf(bet);
  const rested = order.event.type === 'orderPending';
  const knowsEntry = order.seq > 0 && isBet(bet);
  return {
    bet: order.event.bet,
    account,
    market,
    roundNumber,
    side,
    stakeCents,
    oddsE4,
    limitOddsE4,
    rested,
    filledAtMs: filledAtMs(bet),
    validUntilMs: order.event.type === 'orderPending' ? order.event.validUntilMs || null : null,
    entryPercentE2: knowsEntry ? entryPercentE2 : null,
    clientSeed: order.event.clientSeed,
    clientOrderId: order.event.clientOrderId,
    payoutCents,
    status: statusOf(settled?.event ?? null, isBet(bet)),
    result: settled?.event.result ?? 0,
    paidCents: paidCentsOf(bet),
    placedAtMs,
    settledAtMs: settled?.event.timeMs ?? null,
    betSeq: knowsEntry ? (fill ?? order).seq : null,
    settledSeq: settled?.seq ?? null,
    roundStatus: settled === null ? LIVE : SETTLED,
    roundEndTimeMs: (roundNumber + 1) * timeFrameMs(market),
  };
}

/** As the API names it: of a round that is not settled, a bet is active. */
export function statusOf(settled: SettlementTerms | null, hasJoined: boolean): PositionStatus {
  if (settled !== null) return endStatus(settled.result);
  return hasJoined ? 'ACTIVE' : 'PENDING';
}
