/** A command's events for people, a line each, with the balances before and after if money moved. */
import { unreachable } from '../../../engine/base/assert.js';
import {
  ASSETS,
  accountId,
  BET_RESULTS,
  betId,
  END_CANCELLED,
  isUnfilled,
  keyId,
  marketId,
  NO_END,
  NO_LIMIT,
  RESULT_VOID,
  ROUND_RESULTS,
  roundId,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type {
  BalanceMoved,
  BetPlaced,
  OrderFilled,
  OrderPending,
  PastEvent,
  RoundNotOpened,
  SettlementTerms,
} from '../../../engine/model/events.js';
import { LOSS_SCOPES } from '../../../engine/model/loss-limits.js';
import { HOUSE } from '../../../engine/state/house.js';
import { isoText, oddsText, oneLine, percentText, quoted, usd } from '../frame/format.js';

export function eventWords(event: PastEvent): string {
  switch (event.type) {
    case 'betPlaced':
      return placedWords(event);
    case 'orderPending':
      return pendingWords(event);
    case 'orderFilled':
      return filledWords(event);
    case 'betSettled':
      return settledWords(event);
    case 'roundUpcoming':
      return `round ${roundOf(event)} is next and waits for its open price`;
    case 'roundOpened':
      return `round ${roundOf(event)} takes bets, open price ${event.openPrice}`;
    case 'roundLocked':
      return `round ${roundOf(event)} is locked`;
    case 'rootPublished':
      return `the root of round ${roundOf(event)} is on record`;
    case 'roundEnded':
      return `round ${roundOf(event)} has ended and waits for its close price`;
    case 'roundResolved':
      return event.result === RESULT_VOID
        ? `round ${roundOf(event)} is void: ${oneLine(event.reason)}`
        : `round ${roundOf(event)} is decided: ${textAt(ROUND_RESULTS, event.result)}, close price ${event.closePrice}`;
    case 'roundSettled':
      return `round ${roundOf(event)} is settled`;
    case 'roundNotOpened':
      return `round ${roundOf(event)} does not open: ${NOT_OPENED[event.reason]}`;
    case 'boundaryPriced':
      return `${textAt(ASSETS, event.asset)} has ${event.price === null ? 'no price' : `the price ${event.price}`} at ${isoText(event.boundaryMs)}`;
    case 'lossLimitReached':
      return `the house has lost ${usd(event.lostCents)} today in ${textAt(LOSS_SCOPES, event.scope)}: its limit is reached`;
    case 'priceConfirmed':
      return `the price ${event.price} of ${textAt(ASSETS, event.asset)} is vouched for`;
    case 'balanceMoved':
      return movedWords(event);
    case 'accountCreated':
      return `${accountId(event.account)} is made`;
    case 'accountUpdated':
      return `${accountId(event.account)} is changed`;
    case 'keyCreated':
      return `${keyId(event.key)} of ${accountId(event.account)} is made`;
    case 'keyUpdated':
      return `${keyId(event.key)} of ${accountId(event.account)} is changed`;
    case 'configured':
      return 'the rules are in force for the rounds that open from now on';
    case 'setupDeclared':
      return 'later starts go on with this feed, this clock and these rules';
    case 'tradingChanged':
      return 'the trading switch is set';
    case 'calendarChanged':
      return 'the market hours are in force';
    case 'marketSuspended':
      return `the market ${marketId(event.market)} is changed`;
    case 'clockMoved':
      return `the clock stands at ${isoText(event.timeMs)}`;
    default:
      return unreachable(event);
  }
}

function placedWords(event: BetPlaced): string {
  const { stakeCents, newBalanceCents } = event;
  return (
    `${betId(event.bet)} of ${accountId(event.account)} is placed in ${roundOf(event)}: ${usd(stakeCents)} on ` +
    `${textAt(SIDES, event.side)} at odds ${oddsText(event.oddsE4)} (${percentText(event.entryPercentE2)} %), a win pays ` +
    `${usd(event.payoutCents)}${limitWords(event)}; ${balanceWords(newBalanceCents + stakeCents, newBalanceCents)}`
  );
}

function limitWords({ limitOddsE4, filled }: BetPlaced): string {
  const limit = limitOddsE4 === NO_LIMIT ? '' : `, its limit ${oddsText(limitOddsE4)}`;
  if (filled === null) return limit;
  const { upOrders, upCents, downOrders, downCents } = filled;
  return `${limit}; it fills ${upOrders} resting orders on UP (${usd(upCents)}) and ${downOrders} on DOWN (${usd(downCents)})`;
}

/** '' if the limit order names no end. */
export const untilWords = ({ validUntilMs }: Pick<OrderPending, 'validUntilMs'>): string =>
  validUntilMs === NO_END ? '' : `, until ${isoText(validUntilMs)} at the latest`;

function pendingWords(event: OrderPending): string {
  const { stakeCents, newBalanceCents } = event;
  return (
    `${betId(event.bet)} of ${accountId(event.account)} rests in ${roundOf(event)}: ${usd(stakeCents)} on ` +
    `${textAt(SIDES, event.side)} at odds of at least ${oddsText(event.limitOddsE4)}, its stake reserved${untilWords(event)}; ` +
    balanceWords(newBalanceCents + stakeCents, newBalanceCents)
  );
}

const filledWords = (event: OrderFilled): string =>
  `${betId(event.bet)} of ${accountId(event.account)} is filled in ${roundOf(event)}: ${usd(event.stakeCents)} on ` +
  `${textAt(SIDES, event.side)} at odds ${oddsText(event.oddsE4)} (${percentText(event.entryPercentE2)} %), its limit ` +
  `${oddsText(event.limitOddsE4)}, a win pays ${usd(event.payoutCents)}`;

function settledWords(event: SettlementTerms): string {
  const { payoutCents, newBalanceCents } = event;
  if (isUnfilled(event.result)) {
    const how = event.result === END_CANCELLED ? 'is cancelled' : 'expires';
    return (
      `${betId(event.bet)} of ${accountId(event.account)} in ${roundOf(event)} ${how}, ${usd(payoutCents)} go back; ` +
      balanceWords(newBalanceCents - payoutCents, newBalanceCents)
    );
  }
  return (
    `${betId(event.bet)} of ${accountId(event.account)} in ${roundOf(event)} is settled: ${textAt(BET_RESULTS, event.result)}, ` +
    `paid ${usd(payoutCents)}; ${balanceWords(newBalanceCents - payoutCents, newBalanceCents)}`
  );
}

function movedWords(event: BalanceMoved): string {
  const { account, amountCents, balanceCents, reference } = event;
  const who = account === HOUSE ? 'the house' : accountId(account);
  const balance = balanceWords(balanceCents - amountCents, balanceCents);
  switch (event.reason) {
    case 'deposit':
      return `${usd(amountCents)} come into ${who}, reference ${quoted(reference)}; ${balance}`;
    case 'withdrawal':
      return `${usd(-amountCents)} leave ${who}, reference ${quoted(reference)}; ${balance}`;
    case 'seed':
      return `${who} seeds ${reference} with ${usd(-amountCents)}; ${balance}`;
    case 'settlement':
      return `${who} gets ${usd(amountCents)}, the rest of the pool of ${reference}; ${balance}`;
  }
}

const balanceWords = (beforeCents: number, afterCents: number): string =>
  `balance ${usd(beforeCents)} -> ${usd(afterCents)}`;

export const NOT_OPENED: Readonly<Record<RoundNotOpened['reason'], string>> = {
  stale_price: 'there is no fresh price',
  house_capital: 'the house cannot pay its seeds',
  suspended: 'the market is suspended',
  market_hours: 'it would lie outside market hours',
  not_active: 'the market is not active any more',
};

const roundOf = (event: { readonly market: number; readonly roundNumber: number }): string =>
  roundId(event.market, event.roundNumber);
