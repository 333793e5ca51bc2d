/**
 * Market hours in New York time with daylight saving (design, section 4), from Node's time-zone data. The engine gets
 * them as input, through journaled `setCalendar` commands.
 *
 * FX: Sunday 17:00 to Friday 17:00. Metals: Sunday 18:00 to Friday 17:00 with a pause from 17:00 to 18:00 each day.
 * Crypto never closes. Holidays are unknown: on one the feed is silent, and rounds are voided.
 */
import { must } from '../../engine/base/assert.js';
import type { AssetClass } from '../../engine/model/domain.js';

export type Session = readonly [openMs: number, closeMs: number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The calendar covers this long from the beginning of the current UTC day: longer than any round. */
const CALENDAR_DAYS = 9;
const FX_HOUR = 17;
const METAL_OPEN_HOUR = 18;
const METAL_CLOSE_HOUR = 17;
const SUNDAY = 0;
const FRIDAY = 5;

const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** New York's local time at `utcMs`, encoded as if it were UTC; whole seconds. */
function newYorkClockMs(utcMs: number): number {
  const parts = new Map(newYork.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => must(parts.get(type), `${type} of a date`);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/**
 * The instant of New York's local time `clockMs`. The guess works because daylight saving changes at 2:00, far from
 * the end of any session.
 */
function atNewYorkClock(clockMs: number): number {
  const guessMs = clockMs + 5 * HOUR_MS;
  return guessMs + (clockMs - newYorkClockMs(guessMs));
}

/** Sessions of a class that overlap `[fromMs, toMs]`, in order; null for a class that is always open. */
export function sessionsBetween(assetClass: AssetClass, fromMs: number, toMs: number): Session[] | null {
  if (assetClass === 'CRYPTO') return null;
  const sessions: Session[] = [];
  const firstDayMs = Math.floor(newYorkClockMs(fromMs) / DAY_MS) * DAY_MS - 7 * DAY_MS;
  for (let dayMs = firstDayMs; atNewYorkClock(dayMs) <= toMs; dayMs += DAY_MS) {
    const session = sessionFrom(assetClass, dayMs);
    if (session !== null && session[1] >= fromMs && session[0] <= toMs) sessions.push(session);
  }
  return sessions;
}

/** The session that begins on New York's calendar day `dayMs`, or null. */
function sessionFrom(assetClass: 'METAL' | 'FX', dayMs: number): Session | null {
  const weekday = new Date(dayMs).getUTCDay();
  if (assetClass === 'FX') {
    if (weekday !== SUNDAY) return null;
    return [
      atNewYorkClock(dayMs + FX_HOUR * HOUR_MS),
      atNewYorkClock(dayMs + 5 * DAY_MS + FX_HOUR * HOUR_MS),
    ];
  }
  if (weekday >= FRIDAY) return null;
  return [
    atNewYorkClock(dayMs + METAL_OPEN_HOUR * HOUR_MS),
    atNewYorkClock(dayMs + DAY_MS + METAL_CLOSE_HOUR * HOUR_MS),
  ];
}

/** The calendar of the lifecycle. Computes the sessions once a UTC day and returns the same array until the next. */
export class MarketHours {
  readonly #known = new Map<AssetClass, { readonly dayMs: number; readonly sessions: Session[] | null }>();

  sessions(assetClass: AssetClass, nowMs: number): readonly Session[] | null {
    const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const known = this.#known.get(assetClass);
    if (known?.dayMs === dayMs) return known.sessions;
    const sessions = sessionsBetween(assetClass, dayMs, dayMs + CALENDAR_DAYS * DAY_MS);
    this.#known.set(assetClass, { dayMs, sessions });
    return sessions;
  }

  /**
   * Whether the class trades at `timeMs`. Includes the last instant of a session, because it prices the end of its
   * rounds.
   */
  isOpen(assetClass: AssetClass, timeMs: number): boolean {
    const sessions = this.sessions(assetClass, timeMs);
    return sessions === null || sessions.some(([openMs, closeMs]) => openMs <= timeMs && timeMs <= closeMs);
  }
}
