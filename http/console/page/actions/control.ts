/** Actions on the whole exchange: the trading switch, markets, rounds, and the house's capital. */
import { begin, type Change, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { centsIn, count, dollarsOf, marketName, timeText, usd } from '../state/format.js';
import { live } from '../state/live.js';
import type { MarketNow } from '../state/markets.js';
import { referenceField } from './reference.js';

const nothing = (): void => undefined;

export function setTrading(isEnabled: boolean): void {
  begin({
    title: isEnabled ? 'Resume trading' : 'Stop trading',
    about: isEnabled
      ? 'Orders are taken again in all markets.'
      : 'All new orders are refused with 503 until trading is resumed, and clients are told the reason. Open rounds go on, lock and settle.',
    fields: [],
    preview: () => [
      { what: 'Trading', before: isEnabled ? 'stopped' : 'on', after: isEnabled ? 'on' : 'stopped' },
      { what: 'Open bets', before: '', after: 'stay as they are' },
    ],
    label: isEnabled ? 'Resume trading' : 'Stop trading',
    isDangerous: !isEnabled,
    run: (_, reason) => operator('PUT', '/trading', { enabled: isEnabled, reason }),
    done: isEnabled ? 'Trading is resumed.' : 'Trading is stopped.',
    onDone: nothing,
  });
}

export function suspendMarket({ id, round }: MarketNow, isSuspended: boolean): void {
  const name = marketName(id);
  const ofRound: Change[] =
    round === null ? [] : [{ what: `Round ${round.id}`, before: '', after: 'runs out and settles' }];
  begin({
    title: isSuspended ? `Suspend ${name}` : `Resume ${name}`,
    about: isSuspended
      ? 'The market takes no bets and opens no further round. Its open round runs out and settles as usual.'
      : 'The market takes bets again, and opens its next round.',
    fields: [],
    preview: () => [
      {
        what: name,
        before: isSuspended ? 'active' : 'suspended',
        after: isSuspended ? 'suspended' : 'active',
      },
      ...(isSuspended ? ofRound : []),
    ],
    label: isSuspended ? 'Suspend market' : 'Resume market',
    isDangerous: isSuspended,
    run: (_, reason) => operator('PATCH', `/markets/${id}`, { suspended: isSuspended, reason }),
    done: isSuspended ? `${name} is suspended.` : `${name} is active again.`,
    onDone: nothing,
  });
}

/** What is told of a round before it is voided. */
export interface Voidable {
  readonly id: string;
  readonly status: string;
  readonly bets: number;
  readonly volumeCents: number;
}

export function voidRound({ id, status, bets, volumeCents }: Voidable, onDone: () => void): void {
  begin({
    title: `Void round ${id}`,
    about:
      'Every bet of the round gets its stake back, without a fee, and no bet wins. This cannot be undone. If the round is open, its market has no round until the next one opens.',
    fields: [],
    preview: () => [
      { what: 'Round', before: status, after: 'VOID' },
      { what: 'Bets refunded', before: '', after: count(bets) },
      { what: 'Stakes paid back', before: '', after: usd(volumeCents) },
    ],
    label: 'Void round',
    isDangerous: true,
    run: (_, reason) => operator('POST', `/rounds/${id}/void`, { reason }),
    done: `Round ${id} is void: ${count(bets)} bets are refunded.`,
    onDone,
  });
}

export function moveHouseMoney(kind: 'deposits' | 'withdrawals'): void {
  const isDeposit = kind === 'deposits';
  begin({
    title: isDeposit ? "Add to the house's capital" : "Withdraw from the house's capital",
    about: isDeposit
      ? 'The house pays the seeds of its rounds from its balance.'
      : 'Seeds that are out in open rounds are not in its balance. A market whose seeds it cannot pay opens no round.',
    fields: [{ name: 'amount', label: 'Amount in USD', kind: 'money' }, referenceField()],
    preview: (values) => {
      const cents = centsIn(typedIn(values, 'amount'));
      if (cents === null) return 'Enter an amount above zero with at most two decimals.';
      if (typedIn(values, 'reference') === '') return 'Enter a reference.';
      const balance = live.value?.totals.houseCents ?? 0;
      const after = isDeposit ? balance + cents : balance - cents;
      if (after < 0) return `The balance is ${usd(balance)}: that is not enough.`;
      return [{ what: 'House balance', before: usd(balance), after: usd(after) }];
    },
    label: isDeposit ? 'Deposit' : 'Withdraw',
    isDangerous: !isDeposit,
    run: (values, reason) =>
      operator('POST', `/house/${kind}`, {
        amount: dollarsOf(centsIn(typedIn(values, 'amount')) ?? 0),
        reference: typedIn(values, 'reference'),
        reason,
      }),
    done: isDeposit ? 'The deposit is made.' : 'The withdrawal is made.',
    onDone: nothing,
  });
}

/** `last` is the last price that was believed; null if there is none. */
export function confirmPrice(crypto: string, price: number, last: number | null, onDone: () => void): void {
  begin({
    title: `Confirm the price of ${crypto}`,
    about:
      'The price is too far from the last one, and is held back until later ones agree with it. If you know that it is right, it is used at once.',
    fields: [],
    preview: () => [
      { what: `Price of ${crypto}`, before: last === null ? '' : String(last), after: String(price) },
    ],
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
    fields: [],
    preview: () => {
      const clockMs = live.value?.unconfirmedMs ?? null;
      if (clockMs === null) return 'The clock has nothing to confirm any more.';
      return [
        { what: 'The last command', before: '', after: timeText(live.value?.timeMs ?? 0) },
        { what: "The server's clock", before: '', after: timeText(clockMs) },
        { what: "This computer's clock", before: '', after: timeText(Date.now()) },
      ];
    },
    label: 'The clock is right',
    isDangerous: true,
    run: (_, reason) => operator('POST', '/clock/confirm', { time: new Date().toISOString(), reason }),
    done: 'The clock is confirmed.',
    onDone: nothing,
  });
}
