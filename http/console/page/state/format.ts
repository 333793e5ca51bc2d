/** Money, times, prices and ids as operators read them. Money is counted in whole cents, and times are UTC. */
import { centsOfText } from '../../../../engine/base/money.js';
import { MARKET_IDS, parseRoundId } from '../../../../engine/model/domain.js';
import { linkTo } from './route.js';

/** The operator API's dollars have at most two decimals. */
export const centsOf = (dollars: number): number => Math.round(dollars * 100);

/** `$1,234.56`, with a minus before the sign. */
export const usd = (cents: number): string => dollarText(cents / 100, 2);

export const paid = (dollars: number | null): string => (dollars === null ? '–' : dollarText(dollars, 2));

/** `$1,235`, for a glance. */
export const wholeUsd = (dollars: number): string => dollarText(dollars, 0);

const dollarText = (dollars: number, decimals: number): string =>
  `${dollars < 0 ? '−' : ''}$${withDecimals(Math.abs(dollars), decimals)}`;

const withDecimals = (value: number, decimals: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** null if the typed text is no amount above zero. */
export const centsIn = (text: string): number | null => centsOfText(text.trim().replace(/^\$/, '')) || null;

export const count = (value: number): string => value.toLocaleString('en-US');

/** About six digits: `60,123.40`, `142.310`, `1.08432`. */
export const priceText = (price: number | null | undefined): string =>
  price == null ? '–' : withDecimals(price, price >= 1_000 ? 2 : price >= 10 ? 3 : 5);

export const oddsText = (odds: number): string => odds.toFixed(2);

/** `02:05`, `03:00:00` or `2 d 03:00:00`: time that is left, never below zero. */
export function timeLeft(ms: number): string {
  const left = Math.max(0, ms);
  const days = Math.floor(left / 86_400_000);
  const time = new Date(left).toISOString().slice(11, 19).replace(/^00:/, '');
  return days > 0 ? `${days} d ${time}` : time;
}

/** `2026-11-22 17:04:05` of milliseconds or an ISO 8601 text; a dash for none. */
export const timeText = (time: number | string | null): string =>
  time === null ? '–' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');

/** A field for a time has no zone. */
export const isoOf = (typed: string): string => new Date(`${typed}Z`).toISOString();

/** `BTC 1 min` for `BTC_ONE_MINUTE`. */
export function marketName(id: string): string {
  const cut = id.indexOf('_');
  const frame = FRAMES[id.slice(cut + 1)];
  return frame === undefined ? id : `${id.slice(0, cut)} ${frame}`;
}

/** `BTC 1 min 29924595` for a round, too. */
export const idText = (id: string): string =>
  id.replace(/^([A-Z]+_[A-Z_]+?)(?:_(\d+))?$/, (_, market, round = '') =>
    `${marketName(market)} ${round}`.trim(),
  );

export const FRAMES: Readonly<Record<string, string>> = {
  ONE_MINUTE: '1 min',
  FIVE_MINUTES: '5 min',
  FIFTEEN_MINUTES: '15 min',
  FOUR_HOURS: '4 h',
  ONE_DAY: '1 day',
};

const NUMBERED: Readonly<Record<string, string>> = { acc: 'accounts', bet: 'bets', key: 'keys' };

/** null for a text that is no id, and not the first words of a market's name. */
export function placeOf(text: string): string | null {
  const [, kind = 'acc', number] = /^(?:(acc|bet|key)_)?([1-9]\d{0,14})$/.exec(text.toLowerCase()) ?? [];
  if (number !== undefined) return linkTo(NUMBERED[kind] ?? '', `${kind}_${number}`);
  const id = text.toUpperCase();
  const market = MARKET_IDS.find(
    (each) => each === id || `${marketName(each).toUpperCase()} `.startsWith(`${id} `),
  );
  if (market !== undefined) return linkTo('markets', market);
  return parseRoundId(id) === null ? null : linkTo('rounds', id);
}

/** `3.4 MB`. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [rest, unit] = [value, 0];
  while (rest >= 1_000 && unit < units.length - 1) [rest, unit] = [rest / 1_000, unit + 1];
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[unit]}`;
}

/** `4.5 s`, `3 min`, `2 h`: how long something took, or ago it was. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 2 * 86_400_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`;
}
