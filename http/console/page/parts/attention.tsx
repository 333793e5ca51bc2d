/**
 * All that wants an operator: alarms, and stopped, suspended, held back or awaited things, with the action that ends
 * it.
 */
import type { JSX } from 'preact';
import { marketId } from '../../../../engine/model/domain.js';
import type { Raised } from '../../../metrics/alarms.js';
import type { LiveMessage } from '../../live-message.js';
import { confirmClock, confirmPrice, suspendMarket } from '../actions/control.js';
import { bytes, count, duration, isoTimeText, marketName, priceText, timeText } from '../state/format.js';
import { marketNow } from '../state/markets.js';
import { type Finding, leaderFindings } from '../state/replication.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';
import type { ServerStatus } from './prices.js';

const SEVERITIES: readonly Finding['severity'][] = ['critical', 'warning'];

/** The worst first. `feed` is null until it is known. */
export function attention(
  message: LiveMessage,
  feed: ServerStatus['feed'] | null,
  onDone: () => void,
): readonly Finding[] {
  const { replication, isClockManual, timeMs } = message;
  const seen = [
    ...ofOrders(message),
    ...(replication === null ? [] : leaderFindings(replication, isClockManual ? null : timeMs)),
    ...(feed === null ? [] : ofPrices(feed, onDone)),
    ...ofMarkets(message),
  ];
  const told = new Set(seen.map(({ alarm }) => alarm));
  const all = [...seen, ...message.alarms.filter(({ name }) => !told.has(name)).map(ofAlarm)];
  return SEVERITIES.flatMap((severity) => all.filter((finding) => finding.severity === severity));
}

const button = (text: string, act: () => void): JSX.Element | null =>
  may('admin') ? (
    <button type="button" onClick={act}>
      {text}
    </button>
  ) : null;

function ofOrders({ trading, ordersRefused, unconfirmedMs }: LiveMessage): Finding[] {
  const found: Finding[] = [];
  const severity = 'critical';
  if (!trading.enabled)
    found.push({ severity, what: 'Trading is stopped.', detail: trading.reason, alarm: 'trading_stopped' });
  else if (ordersRefused !== null)
    found.push({ severity, what: `Orders are refused: ${ordersRefused}.`, alarm: 'orders_refused' });
  if (unconfirmedMs !== null)
    found.push({
      severity,
      what: 'Nothing is settled until somebody confirms the clock.',
      detail: `It says ${timeText(unconfirmedMs)} UTC.`,
      button: button('Compare the clocks …', confirmClock),
    });
  return found;
}

function ofAlarm({ name, severity, what, advice, since, value, limit, unit }: Raised): Finding {
  return {
    severity,
    what: `${what.charAt(0).toUpperCase()}${what.slice(1)}.`,
    detail: `${name}, since ${timeText(since * 1_000)} UTC: ${figure(value, unit)}; its bound is ${figure(limit, unit)}.`,
    advice,
  };
}

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  bytes,
  s: (seconds) => duration(seconds * 1_000),
  share: (share) => `${Math.round(share * 100)} %`,
};
const figure = (value: number, unit: string): string =>
  FORMATS[unit]?.(value) ?? `${count(Number(value.toFixed(1)))} ${unit}`.trim();

const ofPrices = ({ held, ticks, awaited }: ServerStatus['feed'], onDone: () => void): Finding[] => [
  ...Object.entries(held).map(([crypto, { price, source, since }]): Finding => {
    const last = ticks[crypto]?.price ?? null;
    return {
      severity: 'warning',
      what: `The price of ${crypto} is held back: ${priceText(price)} from ${source}.`,
      detail: `Since ${isoTimeText(since)} UTC; the last one was ${priceText(last)}.`,
      button: button(`Confirm the price of ${crypto} …`, () => confirmPrice(crypto, price, last, onDone)),
      alarm: 'price_held',
    };
  }),
  ...awaited.map(
    ({ crypto, boundary, until }): Finding => ({
      severity: 'warning',
      what: `Rounds of ${crypto} wait for the price at ${isoTimeText(boundary)}.`,
      detail: `It is taken until ${isoTimeText(until)} UTC.`,
    }),
  ),
];

function ofMarkets(message: LiveMessage): Finding[] {
  const found = message.suspended.map((index): Finding => {
    const market = marketNow(message, index);
    const resume = market === null ? null : button('Resume …', () => suspendMarket(market, false));
    const what = `${marketName(marketId(index))} is suspended.`;
    return { severity: 'warning', what, button: resume, alarm: 'market_suspended' };
  });
  if (message.unsettled > 0)
    found.push({
      severity: 'warning',
      what: `Rounds that have ended and are not settled: ${count(message.unsettled)}.`,
      button: <a href={linkTo('markets')}>See them</a>,
    });
  return found;
}
