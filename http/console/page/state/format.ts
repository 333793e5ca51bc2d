/** Money, times and counts as operators read them. Money is counted in whole cents. */

/** Cents of a dollar amount of the operator API, which has at most two decimals. */
export const centsOf = (dollars: number): number => Math.round(dollars * 100);

/** `$1,234.56`, with a minus before the sign. */
export function usd(cents: number): string {
  const [whole, rest] = [Math.floor(Math.abs(cents) / 100), Math.abs(cents) % 100];
  return `${cents < 0 ? '−' : ''}$${whole.toLocaleString('en-US')}.${String(rest).padStart(2, '0')}`;
}

const AMOUNT = /^\d{1,13}(\.\d{1,2})?$/;

/** Whole cents of an amount as it was typed, or null if it is not one above zero. */
export function centsIn(text: string): number | null {
  const typed = text.trim().replace(/^\$/, '').replaceAll(',', '');
  if (!AMOUNT.test(typed)) return null;
  const [whole = '', decimals = ''] = typed.split('.');
  const cents = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  return cents > 0 ? cents : null;
}

/** Dollars as the operator API takes them. */
export const dollarsOf = (cents: number): number => cents / 100;

export const count = (value: number): string => value.toLocaleString('en-US');

/** `2:05`, `3:00:00` or `2 d 3 h`: time that is left, never below zero. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds >= 2 * 86_400)
    return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const tail = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** `2026-11-22 17:04:05` in UTC, which is what rounds follow. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** The same of an ISO 8601 text; a dash for none. */
export const isoTimeText = (iso: string | null): string => (iso === null ? '–' : timeText(Date.parse(iso)));

/** `BTC 1 min` for `BTC_ONE_MINUTE`. */
export function marketName(id: string): string {
  const cut = id.indexOf('_');
  const frame = FRAMES[id.slice(cut + 1)];
  return frame === undefined ? id : `${id.slice(0, cut)} ${frame}`;
}

export const FRAMES: Readonly<Record<string, string>> = {
  ONE_MINUTE: '1 min',
  FIVE_MINUTES: '5 min',
  FIFTEEN_MINUTES: '15 min',
  FOUR_HOURS: '4 h',
  ONE_DAY: '1 day',
};

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
