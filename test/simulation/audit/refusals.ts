/**
 * No order is refused for a false reason: while the hot engine has done exactly what is durable, the reason must be
 * true by the ledger. Other refusals (a full disk, an unsound clock) are not in the ledger.
 */
import { must } from '../../../engine/base/assert.js';
import type { OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { LIVE, roundId, timeFrameMs, UP } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import {
  referenceOddsE4,
  referencePayoutCents,
  referencePercentE2,
} from '../../support/reference/arithmetic.js';
import { check } from '../violation.js';
import type { Ledger } from './ledger.js';
import type { RoundBook, RoundLedger } from './rounds.js';

/** Reasons that only an order in a live round can have. */
const OF_LIVE_ROUNDS: readonly ErrorCode[] = [
  'betting_closed',
  'stake_out_of_range',
  'odds_changed',
  'insufficient_balance',
  'round_exposure_limit',
  'too_many_open_bets',
];

export class RefusalAudit {
  constructor(
    private readonly ledger: Ledger,
    private readonly rounds: RoundLedger,
  ) {}

  check(order: PlaceOrder, code: ErrorCode, guards: OrderGuards | null): void {
    const isTrue = this.#isTrue(order, code, guards);
    check(
      isTrue !== false,
      'refused for a reason',
      () => `${JSON.stringify({ ...order, guards })} is refused with ${code}`,
      () => [`acc_${order.account}`],
    );
  }

  /** null if the ledger does not determine it. */
  #isTrue(order: PlaceOrder, code: ErrorCode, guards: OrderGuards | null): boolean | null {
    const { ledger } = this;
    const { market, timeMs } = order;
    if (code === 'order_expired') return guards !== null && timeMs > guards.validUntilMs;
    if (code === 'market_not_found') return (ledger.marketRules[market] ?? null) === null;
    if (code === 'trading_disabled') return !ledger.isTrading;
    if (code === 'market_suspended') return ledger.suspended[market] === true;
    if (market < 0) return null;
    if (code === 'round_changed') {
      if (guards === null || guards.roundNumber < 0) return false;
      // The market may be without a round.
      return guards.roundNumber === Math.floor(timeMs / timeFrameMs(market)) ? null : true;
    }
    const id = roundId(market, Math.floor(timeMs / timeFrameMs(market)));
    const round = this.rounds.open.get(id) ?? null;
    const isLive = round !== null && round.status === LIVE && timeMs < round.lockMs;
    if (code === 'round_not_live') return !isLive;
    if (!OF_LIVE_ROUNDS.includes(code)) return null;
    if (!isLive) return false;
    if (code === 'betting_closed') return timeMs >= round.closesMs;
    return this.#isOverLimit(order, round, code, guards?.minOddsE4 ?? 0);
  }

  #isOverLimit(order: PlaceOrder, round: RoundBook, code: ErrorCode, minOddsE4: number): boolean {
    const { rules } = this.ledger;
    const account = this.ledger.account(order.account);
    const { stakeCents } = order;
    switch (code) {
      case 'stake_out_of_range':
        return (
          stakeCents < round.rules.minStakeCents ||
          stakeCents > Math.min(round.rules.maxStakeCents, rules?.tiers[account.tier]?.maxStakeCents ?? 0)
        );
      case 'odds_changed':
        return isMoved(order, round) || oddsFor(order, round) < minOddsE4;
      case 'insufficient_balance':
        return account.balanceCents < stakeCents;
      case 'round_exposure_limit':
        return owesTooMuch(order, round);
      default:
        return account.openBets >= (rules?.openBetsMax ?? 0);
    }
  }
}

/** A bet that was placed under guards has met them. */
export function checkGuarded(events: readonly EngineEvent[], guards: OrderGuards): void {
  const bet = must(
    events.find((event) => event.type === 'betPlaced'),
    'the bet of an order',
  );
  check(
    bet.timeMs <= guards.validUntilMs &&
      bet.oddsE4 >= guards.minOddsE4 &&
      (guards.roundNumber < 0 || bet.roundNumber === guards.roundNumber),
    'guards are met',
    () => `${JSON.stringify(bet)} is placed under ${JSON.stringify(guards)}`,
    () => [`acc_${bet.account}`],
  );
}

function oddsFor({ side, stakeCents }: PlaceOrder, { poolUpCents, poolDownCents }: RoundBook): number {
  return referenceOddsE4(
    poolUpCents + poolDownCents + stakeCents,
    (side === UP ? poolUpCents : poolDownCents) + stakeCents,
  );
}

function isMoved({ side, expectedPercentE6 }: PlaceOrder, round: RoundBook): boolean {
  const publishedE2 = referencePercentE2(side, round.poolUpCents, round.poolDownCents);
  return (
    expectedPercentE6 >= 0 && Math.abs(publishedE2 * 10_000 - expectedPercentE6) > round.slippageE2 * 10_000
  );
}

/** Whether the round would owe more on the order's side than its pools hold with the order. */
function owesTooMuch({ side, stakeCents }: PlaceOrder, round: RoundBook): boolean {
  const totalCents = round.poolUpCents + round.poolDownCents + stakeCents;
  const sideCents = (side === 0 ? round.poolUpCents : round.poolDownCents) + stakeCents;
  const owedCents = side === 0 ? round.owedUpCents : round.owedDownCents;
  const payoutCents = referencePayoutCents(stakeCents, referenceOddsE4(totalCents, sideCents), round.feeBps);
  return owedCents + payoutCents > totalCents;
}
