/** Actions on the whole exchange: the trading switch, markets, rounds, prices and the clock. */
import { begin } from '../state/action.js';
import { operator } from '../state/api.js';
import { count, marketName, priceText, timeText, usd } from '../state/format.js';
import { live } from '../state/live.js';
import type { MarketNow } from '../state/markets.js';

export function setTrading(isEnabled: boolean): void {
  begin({
    title: isEnabled ? 'Resume trading' : 'Stop trading',
    about: isEnabled
      ? 'Orders are taken again in all markets.'
      : 'All new orders are refused with 503 until trading is resumed, and clients are told the reason. Open rounds go on, lock and settle.',
    preview: () => [
      isEnabled ? ['Trading', 'stopped', 'on'] : ['Trading', 'on', 'stopped'],
      ['Open bets', '', 'stay as they are'],
    ],
    label: isEnabled ? 'Resume trading' : 'Stop trading',
    isDangerous: !isEnabled,
    run: (_, reason) => operator('PUT', '/trading', { enabled: isEnabled, reason }),
    done: isEnabled ? 'Trading is resumed.' : 'Trading is stopped.',
  });
}

export function suspendMarket({ id, round }: MarketNow, isSuspended: boolean): void {
  const name = marketName(id);
  begin({
    title: isSuspended ? `Suspend ${name}` : `Resume ${name}`,
    about: isSuspended
      ? 'The market takes no bets and opens no further round. Its open round runs out and settles as usual.'
      : 'The market takes bets again, and opens its next round.',
    preview: () => [
      isSuspended ? [name, 'active', 'suspended'] : [name, 'suspended', 'active'],
      ...(isSuspended && round !== null ? [[`Round ${round.id}`, '', 'runs out and settles'] as const] : []),
    ],
    label: isSuspended ? 'Suspend market' : 'Resume market',
    isDangerous: isSuspended,
    run: (_, reason) => operator('PATCH', `/markets/${id}`, { suspended: isSuspended, reason }),
    done: isSuspended ? `${name} is suspended.` : `${name} is active again.`,
  });
}

/** The facts of a round that an operator reads before voiding it. */
export interface Voidable {
  readonly id: string;
  readonly status: string;
  readonly bets: number;
  readonly volumeCents: number;
}

export function voidRound({ id, status, bets, volumeCents }: Voidable, onDone = (): void => undefined): void {
  begin({
    title: `Void round ${id}`,
    about:
      'Every bet of the round gets its stake back, without a fee, and no bet wins. This cannot be undone. If the round is open, its market has no round until the next one opens.',
    preview: () => [
      ['Round', status.toLowerCase(), 'void'],
      ['Bets refunded', '', count(bets)],
      ['Stakes paid back', '', usd(volumeCents)],
    ],
    label: 'Void round',
    isDangerous: true,
    run: (_, reason) => operator('POST', `/rounds/${id}/void`, { reason }),
    done: `Round ${id} is void: ${count(bets)} bets are refunded.`,
    onDone,
  });
}

/** `last` is the last price that was believed; null if there is none. */
export function confirmPrice(crypto: string, price: number, last: number | null, onDone: () => void): void {
  begin({
    title: `Confirm the price of ${crypto}`,
    about:
      'The price is too far from the last one, and is held back until later ones agree with it. If you know that it is right, it is used at once.',
    preview: () => [[`Price of ${crypto}`, last === null ? '' : priceText(last), priceText(price)]],
    label: 'Confirm price',
    isDangerous: true,
    run: (_, reason) => operator('POST', `/prices/${crypto}/confirm`, { price, reason }),
    done: `The price of ${crypto} is used.`,
    onDone,
  });
}

/** The operator's own machine is the second clock. */
export function confirmClock(): void {
  begin({
    title: "Confirm the server's clock",
    about:
      'The clock is far ahead of the last thing in the journal. If it is right, the server was down: rounds that have ended meanwhile are settled or voided, for good. If it is wrong, set it right on the server instead.',
    preview: () => {
      const clockMs = live.value?.unconfirmedMs ?? null;
      if (clockMs === null) return 'The clock has nothing to confirm any more.';
      return [
        ['The last command', '', timeText(live.value?.timeMs ?? 0)],
        ["The server's clock", '', timeText(clockMs)],
        ["This computer's clock", '', timeText(Date.now())],
      ];
    },
    label: 'The clock is right',
    isDangerous: true,
    run: (_, reason) => operator('POST', '/clock/confirm', { time: new Date().toISOString(), reason }),
    done: 'The clock is confirmed.',
  });
}
