/** Actions on the whole exchange: the trading switch, markets, rounds, prices and the clock. */
import type { LiveMessage, MarketNow } from '../../live-message.js';
import type { Action } from '../parts/action.js';
import { count, marketName, priceText, timeText, usd } from '../state/format.js';

export const switchTrading = ({ trading: { enabled, reason } }: LiveMessage): Action => ({
  role: 'admin',
  verb: enabled ? 'Stop trading' : 'Resume trading',
  about: enabled
    ? 'All new orders are refused with 503 until trading is resumed, and clients are told the reason. Open rounds go on, lock and settle.'
    : 'Orders are taken again in all markets.',
  preview: () => [
    enabled
      ? ['Trading', 'on', 'stopped']
      : ['Trading', reason === '' ? 'stopped' : `stopped: ${reason}`, 'on'],
    ['Open bets', '', 'stay as they are'],
  ],
  isDangerous: enabled,
  request: () => ['PUT', '/trading', { enabled: !enabled, seen: { enabled, reason } }],
});

export function suspend({ id, suspendedSequence, round }: MarketNow): Action {
  const isSuspended = suspendedSequence > 0;
  return {
    role: 'admin',
    verb: isSuspended ? 'Resume market' : 'Suspend market',
    target: marketName(id),
    about: isSuspended
      ? 'The market takes bets again, and opens its next round.'
      : 'The market takes no bets and opens no further round. Its open round runs out and settles as usual.',
    preview: () => [
      isSuspended
        ? ['Market', `suspended by command ${suspendedSequence}`, 'active']
        : ['Market', 'active', 'suspended'],
      ...(isSuspended || round === null ? [] : [['Its open round', '', 'runs out and settles'] as const]),
    ],
    isDangerous: !isSuspended,
    request: () => ['PATCH', `/markets/${id}`, { suspended: !isSuspended, seen: { suspendedSequence } }],
  };
}

export const voidRound = (id: string, bets: number, volumeCents: number): Action => ({
  role: 'admin',
  verb: 'Void round',
  target: id,
  about:
    'Every bet of the round gets its stake back, without a fee, and no bet wins. Limit orders that wait are cancelled. This cannot be undone. If the round is open, its market has no round until the next one opens.',
  preview: () => [
    ['Bets refunded', '', count(bets)],
    ['Stakes paid back', '', usd(volumeCents)],
  ],
  isDangerous: true,
  request: () => ['POST', `/rounds/${id}/void`],
});

/** `last` is the last price that was believed; null if there is none. */
export const confirmPrice = (crypto: string, price: number, last: number | null): Action => ({
  role: 'admin',
  verb: 'Confirm price',
  target: `${priceText(price)} of ${crypto}`,
  about:
    'The price is too far from the last one, and is held back until later ones agree with it. If you know that it is right, it is used at once.',
  preview: () => [[`Price of ${crypto}`, last === null ? '' : priceText(last), priceText(price)]],
  isDangerous: true,
  request: () => ['POST', `/prices/${crypto}/confirm`, { price }],
});

/** The operator's own machine is the second clock. */
export function confirmClock({ timeMs, unconfirmedMs }: LiveMessage): Action {
  const hereMs = Date.now();
  return {
    role: 'admin',
    verb: 'Confirm clock',
    about:
      'The clock is far ahead of the last thing in the journal. If it is right, the server was down: rounds that have ended meanwhile are settled or voided, for good. If it is wrong, set it right on the server instead.',
    preview: () => [
      ['The last command', '', timeText(timeMs)],
      ["The server's clock", '', timeText(unconfirmedMs)],
      ["This computer's clock", '', timeText(hereMs)],
    ],
    isDangerous: true,
    request: () => ['POST', '/clock/confirm', { time: new Date().toISOString() }],
  };
}
