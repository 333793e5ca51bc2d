/**
 * No order is refused for a false reason: while the hot engine has done exactly what is durable, the reason must be
 * true by the ledger. Other refusals (a full disk, an unsound clock) are not in the ledger.
 */
import { isDeepStrictEqual } from 'node:util';
import { must } from '../../../engine/base/assert.js';
import type { OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { LIVE, NO_FAIR_SHARE, roundId, timeFrameMs, UP } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { CancelOrder, PlaceLimitOrder } from '../../../engine/model/orders.js';
import { check } from '../violation.js';
import type { Ledger } from './ledger.js';
import type { ReferenceOffer } from './pools.js';
import type { RestingLedger } from './resting.js';
import type { RoundBook, RoundLedger } from './rounds.js';

/** Reasons that only an order in a live round can have. */
const OF_LIVE_ROUNDS: readonly ErrorCode[] = [
  'betting_closed',
  'stale_price',
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
    private readonly resting: RestingLedger,
  ) {}

  /** Of an order, limit or not. */
  check(order: PlaceOrder | PlaceLimitOrder, code: ErrorCode, guards: OrderGuards | null): void {
    const isTrue = this.#isTrue(order, code, guards);
    check(
      isTrue !== false,
      'refused for a reason',
      () => `${JSON.stringify({ ...order, guards })} is refused with ${code}`,
      () => [`acc_${order.account}`],
    );
  }

  /** An order that rests can be cancelled by its account, and by nobody else. */
  checkCancel({ account, bet }: CancelOrder, code: ErrorCode): void {
    if (code !== 'order_not_found' && code !== 'order_not_pending') return;
    check(
      this.resting.orders.get(bet)?.account !== account,
      'refused for a reason',
      () => `the cancellation of order ${bet}, which rests, is refused with ${code}`,
      () => [`bet_${bet}`, `acc_${account}`],
    );
  }

  /** null if the ledger does not determine it. */
  #isTrue(order: PlaceOrder | PlaceLimitOrder, code: ErrorCode, guards: OrderGuards | null): boolean | null {
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
    if (code === 'stale_price') return round.pools?.isQuoted === true && order.fairShareE6 === NO_FAIR_SHARE;
    return this.#isOverLimit(order, round, code, guards?.minOddsE4 ?? 0);
  }

  #isOverLimit(
    order: PlaceOrder | PlaceLimitOrder,
    round: RoundBook,
    code: ErrorCode,
    minOddsE4: number,
  ): boolean {
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
        return (
          order.kind === 'placeOrder' &&
          (isMoved(order, round) || (offerFor(order, round)?.oddsE4 ?? 0) < minOddsE4)
        );
      case 'insufficient_balance':
        return account.balanceCents < stakeCents;
      case 'round_exposure_limit':
        return order.kind === 'placeOrder' && offerFor(order, round)?.isCovered === false;
      default:
        return account.openBets >= (rules?.openBetsMax ?? 0);
    }
  }
}

/** What was placed under guards has met them. A limit order has no `minOdds`. */
export function checkGuarded(events: readonly EngineEvent[], guards: OrderGuards): void {
  const bet = must(
    events.find((event) => event.type === 'betPlaced' || event.type === 'orderPending'),
    'what came of an order',
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

/** A bet's answer counts the orders that it has filled, of each side, as they were filled. */
export function checkFilled([first, ...rest]: readonly EngineEvent[]): void {
  if (first?.type !== 'betPlaced') return;
  const filled = { upOrders: 0, upCents: 0, downOrders: 0, downCents: 0 };
  for (const event of rest) {
    if (event.type !== 'orderFilled') continue;
    filled[event.side === UP ? 'upOrders' : 'downOrders']++;
    filled[event.side === UP ? 'upCents' : 'downCents'] += event.stakeCents;
  }
  const expected = rest.length === 0 ? null : filled;
  check(
    isDeepStrictEqual(first.filled, expected),
    'orders filled',
    () => `bet ${first.bet} tells of ${JSON.stringify(first.filled)}, filled are ${JSON.stringify(expected)}`,
    () => [`bet_${first.bet}`],
  );
}

const offerFor = (order: PlaceOrder, { pools }: RoundBook): ReferenceOffer | null =>
  pools?.offer(order.side, order.stakeCents, order.fairShareE6) ?? null;

function isMoved(
  { side, expectedPercentE6, fairShareE6 }: PlaceOrder,
  { pools, slippageE2 }: RoundBook,
): boolean {
  if (expectedPercentE6 < 0 || pools === null) return false;
  return Math.abs(pools.percentE2(side, fairShareE6) * 10_000 - expectedPercentE6) > slippageE2 * 10_000;
}
