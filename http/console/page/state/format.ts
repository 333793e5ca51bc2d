/** Money, times, prices and ids as operators read them. Money is counted in whole cents, and times are UTC. */
import { MARKET_IDS, parseRoundId } from '../../../../engine/model/domain.js';
import { linkTo } from './route.js';

/** The operator API's dollars have at most two decimals. */
export const centsOf = (dollars: number): number => Math.round(dollars * 100);

/** `$1,234.56`, with a minus before the sign. */
export const usd = (cents: number): string => money(cents, 2);

export const paid = (dollars: number | null): string => (dollars === null ? '–' : usd(centsOf(dollars)));

/** `$1,235`, for a glance. */
export const wholeUsd = (dollars: number): string => money(Math.round(dollars) * 100, 0);

const money = (cents: number, decimals: number): string =>
  `${cents < 0 ? '−' : ''}$${withDecimals(Math.abs(cents) / 100, decimals)}`;

const withDecimals = (value: number, decimals: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

const AMOUNT = /^\d{1,13}(\.\d{1,2})?$/;

/** null if the typed text is no amount above zero. */
export function centsIn(text: string): number | null {
  const typed = text.trim().replace(/^\$/, '').replaceAll(',', '');
  const cents = AMOUNT.test(typed) ? Math.round(Number(typed) * 100) : 0;
  return cents > 0 ? cents : null;
}

export const count = (value: number): string => value.toLocaleString('en-US');

/** About six digits: `60,123.40`, `142.310`, `1.08432`. */
export const priceText = (price: number | null | undefined): string =>
  price == null ? '–' : withDecimals(price, price >= 1_000 ? 2 : price >= 10 ? 3 : 5);

export const oddsText = (odds: number): string => odds.toFixed(2);

/** `2:05`, `3:00:00` or `2 d 3 h`: time that is left, never below zero. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds >= 2 * 86_400)
    return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const tail = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** `2026-11-22 17:04:05`. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** The same of an ISO 8601 text; a dash for none. */
export const isoTimeText = (iso: string | null): string => (iso === null ? '–' : timeText(Date.parse(iso)));

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

/** null for a text that is no id or name. */
export function placeOf(text: string): string | null {
  const [, kind = 'acc', number] = /^(?:(acc|bet|key)_)?([1-9]\d{0,14})$/.exec(text.toLowerCase()) ?? [];
  if (number !== undefined) return linkTo(NUMBERED[kind] ?? '', `${kind}_${number}`);
  const id = text.toUpperCase();
  const market = MARKET_IDS.find((each) => each === id || marketName(each).toUpperCase() === id);
  if (market !== undefined) return linkTo('markets', market);
  const round = parseRoundId(id);
  return round === null ? null : linkTo('markets', MARKET_IDS[round.market] ?? '', id);
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
