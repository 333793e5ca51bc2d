/**
 * Query parameters and path ids, parsed strictly: a parameter that is misspelt, repeated or out of range is refused,
 * never replaced by a default. A client that sends `cursor` to a server without it would otherwise get the first page
 * for ever.
 */
import { DATE_TIME_FORM } from '../../config/type-errors.js';
import { attempt } from '../../engine/base/attempt.js';
import { utcMsOf } from '../../engine/base/iso-text.js';
import { LIST_LIMIT_MAX } from '../../engine/model/bet-pages.js';
import { refuseInvalid } from './refused.js';

export const CLIENT_ORDER_ID_PATTERN = '^[!-~]{1,64}$';
const SHOWN_MAX = 40;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The parameters of a query by their names. */
export type Given = ReadonlyMap<string, string>;

export function parseQuery(query: string, known: readonly string[], hint = ''): Given {
  const given = new Map<string, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    const name = decode(cut < 0 ? part : part.slice(0, cut));
    const value = decode(cut < 0 ? '' : part.slice(cut + 1));
    if (name === null || value === null) refuseInvalid('the query is not valid percent-encoding');
    if (!known.includes(name)) refuseUnknown(name, known, hint);
    if (given.has(name)) refuseInvalid(`query parameter ${name} is given twice`);
    given.set(name, value);
  }
  return given;
}

/** A write takes no query: ignoring a guard that was put there would place the bet without it. */
export function refuseQuery(query: string): void {
  if (query !== '') parseQuery(query, [], ": a write's fields stand in the body");
}

function refuseUnknown(name: string, known: readonly string[], hint: string): never {
  const shown = JSON.stringify(name.slice(0, SHOWN_MAX));
  const names = known.length === 0 ? `none is known here${hint}` : `known here: ${known.join(', ')}`;
  return refuseInvalid(`unknown query parameter ${shown}; ${names}`);
}

export function parseLimit(text: string | undefined, fallback: number, most = LIST_LIMIT_MAX): number {
  if (text === undefined) return fallback;
  const limit = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) refuseInvalid(`limit must be a whole number from 1 to ${most}`);
  return limit;
}

/** `text` begins with a day, and was read as `timeMs`. */
export const isInCalendar = (text: string, timeMs: number): boolean => timeMs >= 0 && beginsWithDay(text);

/** `text` begins with a day of the calendar: `Date.parse` takes 30 February for 2 March. */
export const beginsWithDay = (text: string): boolean =>
  !Number.isNaN(utcMsOf(`${text.slice(0, 10)}T00:00:00Z`));

/** Milliseconds since 1970; null if there is no text. */
export function parseTime(name: string, text: string | undefined, or = ''): number | null {
  if (text === undefined) return null;
  const timeMs = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return isInCalendar(text, timeMs) ? timeMs : refuseInvalid(`${name} must be ${or}${DATE_TIME_FORM}`);
}

export function parseChoice<T extends string>(
  name: string,
  text: string | undefined,
  choices: readonly T[],
): T | null {
  if (text === undefined) return null;
  return (
    choices.find((choice) => choice === text) ?? refuseInvalid(`${name} must be one of ${choices.join(', ')}`)
  );
}

export function parseFlag(name: string, text: string | undefined): boolean | null {
  const word = parseChoice(name, text, ['true', 'false']);
  return word === null ? null : word === 'true';
}

export function parsePathId(segment: string, name = 'id'): string {
  if (!segment.includes('%')) return segment;
  return decode(segment, false) ?? refuseInvalid(`path parameter ${name} is not valid percent-encoding`);
}

/** null if the text is not percent-encoded UTF-8. A plus is a space in a query, and only there. */
function decode(text: string, isQuery = true): string | null {
  if (!text.includes('%') && !text.includes('+')) return text;
  return attempt(() => decodeURIComponent(isQuery ? text.replaceAll('+', ' ') : text), null);
}
