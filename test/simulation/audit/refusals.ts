/**
 * No order is refused for a false reason: while the hot engine has done exactly what is durable, the reason must be
 * true by the ledger. Other refusals (a full disk, an unsound clock) are not in the ledger.
 */
import type { PlaceOrder } from '../../../engine/model/commands.js';
import { LIVE, roundId, timeFrameMs } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
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

  check(order: PlaceOrder, code: ErrorCode): void {
    const isTrue = this.#isTrue(order, code);
    check(
      isTrue !== false,
      'refused for a reason',
      () => `${JSON.stringify(order)} is refused with ${code}`,
      () => [`acc_${order.account}`],
    );
  }

  /** null if the ledger does not determine it. */
  #isTrue(order: PlaceOrder, code: ErrorCode): boolean | null {
    const { ledger } = this;
    const { market, timeMs } = order;
    if (code === 'market_not_found') return (ledger.marketRules[market] ?? null) === null;
    if (code === 'trading_disabled') return !ledger.isTrading;
    if (code === 'market_suspended') return ledger.suspended[market] === true;
    if (market < 0) return null;
    const id = roundId(market, Math.floor(timeMs / timeFrameMs(market)));
    const round = this.rounds.open.get(id) ?? null;
    const isLive = round !== null && round.status === LIVE && timeMs < round.lockMs;
    if (code === 'round_not_live') return !isLive;
    if (!OF_LIVE_ROUNDS.includes(code)) return null;
    if (!isLive) return false;
    if (code === 'betting_closed') return timeMs >= round.closesMs;
    return this.#isOverLimit(order, round, code);
  }

  #isOverLimit(order: PlaceOrder, round: RoundBook, code: ErrorCode): boolean {
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
        return isMoved(order, round);
      case 'insufficient_balance':
        return account.balanceCents < stakeCents;
      case 'round_exposure_limit':
        return owesTooMuch(order, round);
      default:
        return account.openBets >= (rules?.openBetsMax ?? 0);
    }
  }
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
