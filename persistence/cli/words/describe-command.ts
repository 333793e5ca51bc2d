/**
 * Commands as sentences for people (`tote replay --explain`): ids as in the API, amounts in USD, times in ISO 8601.
 * No secret is shown, not even a key's digest.
 */
import { unreachable } from '../../../engine/base/assert.js';
import type { Command, OpenLate, PlaceOrder, SetDeadman } from '../../../engine/model/commands.js';
import {
  ASSETS,
  accountId,
  betId,
  keyId,
  marketId,
  NO_LIMIT,
  roundId,
  SIDES,
  scopesOf,
  TIERS,
  textAt,
} from '../../../engine/model/domain.js';
import type { CancelOrders } from '../../../engine/model/orders.js';
import { isoText, oddsText, oneLine, quoted, usd } from '../frame/format.js';
import { untilWords } from './describe-event.js';

/** One sentence without its full stop, with the operator. */
export const commandWords = (command: Command): string => deedWords(command) + byWords(command);

function deedWords(command: Command): string {
  switch (command.kind) {
    case 'configure':
      return `new rules (version ${command.rulesVersion}): ${command.rules.markets.length} active markets, fee ${command.rules.feeBps / 100} %`;
    case 'declareSetup':
      return `the directory runs with the feed ${oneLine(command.feed)}, the clock ${command.clock}, ${RULES_FROM[command.rulesFrom]}`;
    case 'advance':
      return `carry out what is due by ${isoText(command.timeMs)}`;
    case 'setCalendar':
      return `market hours of ${command.assetClass}: ${sessionsWords(command.sessions)}`;
    case 'boundaryPrice':
      return boundaryWords(command);
    case 'openLate':
      return `open ${asset(command.asset)} late at ${command.price}, a price of ${isoText(command.priceTimeMs)} (${sourceWords(command)})`;
    case 'confirmPrice':
      return `believe the price ${command.price} of ${asset(command.asset)}: ${quoted(command.reason)}`;
    case 'settle':
      return `settle at most ${command.betsMax} bets of decided rounds`;
    case 'placeOrder':
      return orderWords(command);
    case 'cancelOrder':
      return `${accountId(command.account)} cancels ${betId(command.bet)} (with ${keyId(command.key)})`;
    case 'cancelOrders':
      return cancelWords(command);
    case 'fillOrders':
      return `fill at most ${command.ordersMax} resting orders in ${marketName(command.market)}${shareWords(command.fairShareE6)}`;
    case 'expireOrders':
      return `give back the stakes of at most ${command.ordersMax} orders whose rounds take no more bets`;
    case 'createAccount':
      return `new account ${command.name === null ? 'without a name' : quoted(command.name)}, tier ${tier(command.tier)}, with ${usd(command.balanceCents)}`;
    case 'updateAccount':
      return `change ${accountId(command.account)}: ${changesWords(command.tier, command.frozen)}`;
    case 'deposit':
      return `deposit ${usd(command.amountCents)} into ${accountId(command.account)}, reference ${quoted(command.reference)}`;
    case 'withdraw':
      return `withdraw ${usd(command.amountCents)} from ${accountId(command.account)}, reference ${quoted(command.reference)}`;
    case 'depositHouse':
      return `deposit ${usd(command.amountCents)} into the house, reference ${quoted(command.reference)}`;
    case 'withdrawHouse':
      return `withdraw ${usd(command.amountCents)} from the house, reference ${quoted(command.reference)}`;
    case 'createKey':
      return `new key of ${accountId(command.account)} for ${scopesOf(command.scopesMask).join(', ') || 'nothing'}, ${expiryWords(command.expiresAtMs)}`;
    case 'updateKey':
      return `${command.enabled ? 'enable' : 'disable'} ${keyId(command.key)}`;
    case 'expireKey':
      return `let ${keyId(command.key)} be good ${expiryWords(command.expiresAtMs)}`;
    case 'rotateKey':
      return `new key in place of ${keyId(command.key)}, which is good ${expiryWords(command.overlapEndsMs)}; the new one ${expiryWords(command.expiresAtMs)}`;
    case 'setDeadman':
      return deadmanWords(command);
    case 'setTrading':
      return command.enabled ? 'take orders again' : `take no orders: ${quoted(command.reason)}`;
    case 'suspendMarket':
      return `${command.suspended ? 'suspend' : 'resume'} the market ${marketName(command.market)}`;
    case 'voidRound':
      return `void the round ${roundId(command.market, command.roundNumber)}: ${quoted(command.reason)}`;
    case 'publishRoot':
      return `put the Merkle root of ${roundId(command.market, command.roundNumber)} on record: ${command.merkleRoot} over ${command.treeSize} bets, signed with key ${command.keyId}`;
    case 'moveClock':
      return `move the clock to ${isoText(command.timeMs)}`;
    default:
      return unreachable(command);
  }
}

/** A reason that the sentence has already is not said twice. */
function byWords(command: Command): string {
  if (!('by' in command) || command.by === undefined) return '';
  const { operator, reason } = command.by;
  const isSaid = reason === '' || ('reason' in command && command.reason === reason);
  return `, by ${oneLine(operator)}${isSaid ? '' : `: ${quoted(reason)}`}`;
}

export const RULES_FROM = { defaults: 'the default rules', file: 'rules from a file' } as const;

const shareWords = (fairShareE6: number): string =>
  fairShareE6 >= 0 ? ` at UP's fair share ${fairShareE6 / 10_000} %` : '';

function orderWords(order: PlaceOrder): string {
  const {
    account,
    key,
    stakeCents,
    side,
    fairShareE6,
    expectedPercentE6,
    limitOddsE4,
    idempotency,
    clientSeed,
    clientOrderId,
  } = order;
  const extras = [
    `with ${keyId(key)}`,
    ...(fairShareE6 >= 0 ? [`UP's fair share ${fairShareE6 / 10_000} %`] : []),
    ...(expectedPercentE6 >= 0 ? [`expecting ${expectedPercentE6 / 1_000_000} %`] : []),
    ...(idempotency === null ? [] : ['under an Idempotency-Key']),
    ...(clientSeed === null ? [] : [`client seed ${quoted(clientSeed)}`]),
    ...(clientOrderId === null ? [] : [`client order id ${quoted(clientOrderId)}`]),
  ];
  const limitWords =
    limitOddsE4 === NO_LIMIT ? '' : ` at odds of at least ${oddsText(limitOddsE4)}${untilWords(order)}`;
  return `${accountId(account)} bets ${usd(stakeCents)} on ${textAt(SIDES, side)} in ${marketName(order.market)} (${extras.join(', ')})${limitWords}`;
}

function deadmanWords({ key, seconds }: SetDeadman): string {
  if (seconds === 0) return `orders of ${keyId(key)} rest without its streams`;
  return `orders of ${keyId(key)} are cancelled after ${seconds} s without a message of its streams`;
}

function cancelWords({ account, key, market, side, placedBy, ordersMax }: CancelOrders): string {
  const ofMarket = market === null ? '' : ` in ${marketName(market)}`;
  const ofKey = placedBy === null ? '' : ` of ${keyId(placedBy)}`;
  const ofSide = side === null ? '' : ` on ${textAt(SIDES, side)}`;
  return `${accountId(account)} cancels at most ${ordersMax} resting orders${ofSide}${ofMarket}${ofKey} (with ${keyId(key)})`;
}

function boundaryWords(command: Extract<Command, { kind: 'boundaryPrice' }>): string {
  const at = `${asset(command.asset)} at the boundary ${isoText(command.boundaryMs)}`;
  if (command.price === null || command.priceTimeMs === null) {
    return `no price of ${at} (${sourceWords(command)})`;
  }
  return `the price of ${at} is ${command.price}, of ${isoText(command.priceTimeMs)} (${sourceWords(command)})`;
}

export function sourceWords({ source, evidence }: Pick<OpenLate, 'source' | 'evidence'>): string {
  if (source === null) return evidence === '' ? 'without evidence' : `evidence ${quoted(evidence)}`;
  return evidence === ''
    ? `from ${oneLine(source)}`
    : `from ${oneLine(source)}, evidence ${quoted(evidence)}`;
}

function sessionsWords(sessions: readonly (readonly [number, number])[]): string {
  const [first] = sessions;
  if (first === undefined) return 'closed';
  const last = sessions.at(-1) ?? first;
  return `${sessions.length} session(s) from ${isoText(first[0])} to ${isoText(last[1])}`;
}

function changesWords(newTier: number | null, frozen: boolean | null): string {
  const changes = [
    ...(newTier === null ? [] : [`tier ${tier(newTier)}`]),
    ...(frozen === null ? [] : [frozen ? 'frozen' : 'not frozen']),
  ];
  return changes.join(', ') || 'nothing';
}

const expiryWords = (expiresAtMs: number | null): string =>
  expiresAtMs === null ? 'without expiry' : `until ${isoText(expiresAtMs)}`;
const asset = (index: number): string => textAt(ASSETS, index);
const tier = (index: number): string => textAt(TIERS, index);
const marketName = (market: number): string => (market < 0 ? 'no known market' : marketId(market));
