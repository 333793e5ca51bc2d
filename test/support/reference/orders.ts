/** The reference model of placing an order: the checks in the order of the design (section 5), one by one. */
import { must } from '../../../engine/base/assert.js';
import type { OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { LIVE } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BetFacts, BetPlaced } from '../../../engine/model/events.js';
import { referenceOddsE4, referencePayoutCents, referencePercentE2 } from './arithmetic.js';
import { edgeOf, edgeOfRound, isQuoted, offeredPools, payoutsOn, upSeedAt } from './quotes.js';
import {
  accountOf,
  marketRulesOf,
  type NothingDone,
  type ReferenceBet,
  type ReferenceIdempotency,
  type ReferenceRound,
  type ReferenceState,
  rulesOf,
  type Verdict,
} from './state.js';

export function placeOrder(
  state: ReferenceState,
  command: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): Verdict {
  const remembered = rememberedOrder(state, command);
  if (remembered !== null) return remembered;
  const market = state.markets[command.market];
  if (market === undefined || marketRulesOf(state, command.market) === null) {
    return { refused: 'market_not_found' };
  }
  if (guards !== null && command.timeMs > guards.validUntilMs) return { refused: 'order_expired' };
  const current = market.current?.roundNumber ?? null;
  if (guards !== null && guards.roundNumber !== -1 && guards.roundNumber !== current) {
    return { refused: 'round_changed' };
  }
  if (!state.trading.enabled) return { refused: 'trading_disabled' };
  if (gate !== null) return { refused: gate };
  if (market.suspended) return { refused: 'market_suspended' };

  const round = market.current;
  if (round === null || round.status !== LIVE || command.timeMs >= round.lockTimeMs) {
    return { refused: 'round_not_live' };
  }
  if (command.timeMs >= round.bettingClosesMs) return { refused: 'betting_closed' };
  if (isQuoted(round) && command.fairShareE6 < 0) return { refused: 'stale_price' };

  const refusal = stakeRefusal(state, command, round, guards);
  if (refusal !== null) return { refused: refusal };
  return accept(state, command, priced(state, command, round), round);
}

/** By what the account placed under this key less than a lifetime ago; null where that is nothing. */
export function rememberedOrder(state: ReferenceState, command: PlaceOrder): NothingDone | null {
  const digest = command.idempotency;
  if (digest === null) return null;
  const found = liveEntries(state, command.timeMs).find(
    (entry) =>
      entry.account === command.account && entry.keyHigh === digest.keyHigh && entry.keyLow === digest.keyLow,
  );
  if (found === undefined) return null;
  return found.body === digest.body ? { replayed: found } : { refused: 'idempotency_key_reused' };
}

const liveEntries = (state: ReferenceState, timeMs: number): ReferenceIdempotency[] =>
  state.idempotency.filter((entry) => timeMs - entry.timeMs < rulesOf(state).idempotencyTtlMs);

function stakeRefusal(
  state: ReferenceState,
  command: PlaceOrder,
  round: ReferenceRound,
  guards: OrderGuards | null,
): ErrorCode | null {
  const account = must(accountOf(state, command.account), 'account');
  const rules = rulesOf(state);
  const { side, stakeCents, fairShareE6, expectedPercentE6 } = command;
  const [upCents, downCents] = offeredPools(round, fairShareE6);

  const tierMaxCents = must(rules.tiers[account.tier], 'tier').maxStakeCents;
  if (stakeCents < round.rules.minStakeCents) return 'stake_out_of_range';
  if (stakeCents > Math.min(round.rules.maxStakeCents, tierMaxCents)) return 'stake_out_of_range';

  const publishedE6 = referencePercentE2(side, upCents, downCents) * 10_000;
  const isGuarded = expectedPercentE6 !== -1;
  if (isGuarded && Math.abs(publishedE6 - expectedPercentE6) > round.slippageE2 * 10_000) {
    return 'odds_changed';
  }

  const { oddsE4, payoutCents } = priced(state, command, round);
  if (guards !== null && oddsE4 < guards.minOddsE4) return 'odds_changed';

  if (stakeCents > account.balanceCents) return 'insufficient_balance';

  if (payoutsOn(round, side) + payoutCents > upCents + downCents + stakeCents) return 'round_exposure_limit';
  if (isQuoted(round)) {
    const edge = edgeOfRound(round) + edgeOf(side, stakeCents, payoutCents, fairShareE6);
    if (edge < 0n) return 'round_exposure_limit';
  }

  const openBets = account.bets.filter((bet) => bet.settled === null).length;
  if (openBets >= rules.openBetsMax) return 'too_many_open_bets';

  const isRemembering = command.idempotency !== null;
  if (isRemembering && liveEntries(state, command.timeMs).length >= rules.idempotencyEntriesMax) {
    return 'idempotency_full';
  }
  return null;
}

/** The bet as it will stand: odds and percent are those after its stake has joined. */
function priced(state: ReferenceState, command: PlaceOrder, round: ReferenceRound): BetPlaced {
  const { side, stakeCents } = command;
  const offered = offeredPools(round, command.fairShareE6);
  const upCents = offered[0] + (side === 0 ? stakeCents : 0);
  const downCents = offered[1] + (side === 0 ? 0 : stakeCents);
  const oddsE4 = referenceOddsE4(upCents + downCents, side === 0 ? upCents : downCents);
  const account = must(accountOf(state, command.account), 'account');
  return {
    type: 'betPlaced',
    timeMs: command.timeMs,
    bet: state.bets.length + 1,
    account: command.account,
    market: command.market,
    roundNumber: round.roundNumber,
    side,
    stakeCents,
    oddsE4,
    entryPercentE2: referencePercentE2(side, upCents, downCents),
    payoutCents: referencePayoutCents(stakeCents, oddsE4, round.feeBps),
    newBalanceCents: account.balanceCents - stakeCents,
    clientSeed: command.clientSeed,
    fairShareE6: isQuoted(round) ? command.fairShareE6 : -1,
  };
}

/** What the answer says, which a repetition gets again. */
function factsOf({ fairShareE6: _, ...facts }: BetPlaced): BetFacts {
  return facts;
}

function accept(
  state: ReferenceState,
  command: PlaceOrder,
  placed: BetPlaced,
  round: ReferenceRound,
): Verdict {
  const account = must(accountOf(state, command.account), 'account');
  const bet: ReferenceBet = { placed, round, settled: null, changeNumber: ++state.changes };
  if (isQuoted(round)) round.upSeedCents = upSeedAt(round, command.fairShareE6);
  account.balanceCents -= command.stakeCents;
  account.bets.push(bet);
  round.bets.push(bet);
  state.bets.push(bet);
  if (command.idempotency !== null) {
    const { keyHigh, keyLow, body } = command.idempotency;
    state.idempotency.push({
      account: command.account,
      keyHigh,
      keyLow,
      body,
      timeMs: command.timeMs,
      seq: state.seq + 1,
      event: factsOf(placed),
    });
  }
  return { events: [placed] };
}
