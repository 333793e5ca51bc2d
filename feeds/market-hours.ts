/**
 * Market hours in New York time with daylight saving, from Node's time-zone data. Journaled `setCalendar` commands
 * bring them to the engine. FX: Sunday 17:00 to Friday 17:00. Metals: Sunday 18:00 to Friday 17:00 with a pause from
 * 17:00 to 18:00 each day. Crypto never closes. Holidays and early ends are an operator's (`config/closures.ts`).
 */
import type { Closure } from '../config/closures.js';
import type { AssetClass } from '../engine/model/domain.js';
import { ZoneClock } from '../process/zone-clock.js';

type Session = readonly [openMs: number, closeMs: number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The calendar covers this long from the beginning of the current UTC day: longer than any round. */
const CALENDAR_DAYS = 9;
const FX_HOUR = 17;
const METAL_OPEN_HOUR = 18;
const METAL_CLOSE_HOUR = 17;
const SUNDAY = 0;
const FRIDAY = 5;

const newYork = new ZoneClock('America/New_York');

/** Sessions that overlap `[fromMs, toMs]`, in order; null for a class that is always open. */
export function sessionsBetween(
  assetClass: AssetClass,
  fromMs: number,
  toMs: number,
  closures: readonly Closure[] = [],
): Session[] | null {
  if (assetClass === 'CRYPTO') return null;
  const ofClass = closures.filter(({ classes }) => classes.includes(assetClass));
  const sessions: Session[] = [];
  const firstDayMs = Math.floor(newYork.clockMs(fromMs) / DAY_MS) * DAY_MS - 7 * DAY_MS;
  for (let dayMs = firstDayMs; newYork.at(dayMs) <= toMs; dayMs += DAY_MS) {
    const session = sessionFrom(assetClass, dayMs);
    if (session !== null) sessions.push(...openParts(session, ofClass));
  }
  return sessions.filter(([openMs, closeMs]) => closeMs >= fromMs && openMs <= toMs);
}

function openParts(session: Session, closures: readonly Closure[]): Session[] {
  return closures.reduce<Session[]>(
    (parts, { fromMs, untilMs }) =>
      parts.flatMap(([openMs, closeMs]) => {
        const before: Session = [openMs, Math.min(closeMs, fromMs)];
        const after: Session = [Math.max(openMs, untilMs), closeMs];
        return [before, after].filter(([beginMs, endMs]) => beginMs < endMs);
      }),
    [session],
  );
}

/** `dayMs` is New York's calendar day on which the session begins. */
function sessionFrom(assetClass: 'METAL' | 'FX', dayMs: number): Session | null {
  const weekday = new Date(dayMs).getUTCDay();
  if (assetClass === 'FX') {
    if (weekday !== SUNDAY) return null;
    return [newYork.at(dayMs + FX_HOUR * HOUR_MS), newYork.at(dayMs + 5 * DAY_MS + FX_HOUR * HOUR_MS)];
  }
  if (weekday >= FRIDAY) return null;
  return [
    newYork.at(dayMs + METAL_OPEN_HOUR * HOUR_MS),
    newYork.at(dayMs + DAY_MS + METAL_CLOSE_HOUR * HOUR_MS),
  ];
}

/** Computes the sessions once a UTC day and returns the same array until the next. */
export class MarketHours {
  readonly #known = new Map<AssetClass, { readonly dayMs: number; readonly sessions: Session[] | null }>();

  constructor(private readonly closures: readonly Closure[] = []) {}

  sessions(assetClass: AssetClass, nowMs: number): readonly Session[] | null {
    const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const known = this.#known.get(assetClass);
    if (known?.dayMs === dayMs) return known.sessions;
    const sessions = sessionsBetween(assetClass, dayMs, dayMs + CALENDAR_DAYS * DAY_MS, this.closures);
    this.#known.set(assetClass, { dayMs, sessions });
    return sessions;
  }

  /** Includes the last instant of a session, because it prices the end of its rounds. */
  isOpen(assetClass: AssetClass, timeMs: number): boolean {
    const sessions = this.sessions(assetClass, timeMs);
    return sessions === null || sessions.some(([openMs, closeMs]) => openMs <= timeMs && timeMs <= closeMs);
  }
}
