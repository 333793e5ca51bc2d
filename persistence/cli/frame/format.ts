/** Numbers and times as text for people. */

const CENTS = 100;

/** Dollars with two decimals: `-1234.50`. Exact for all amounts. */
export function dollarsText(cents: number): string {
  const absolute = Math.abs(cents);
  const rest = absolute % CENTS;
  const text = `${(absolute - rest) / CENTS}.${String(rest).padStart(2, '0')}`;
  return cents < 0 ? `-${text}` : text;
}

/** `1,234.50 USD`. `toLocaleString` does it, too, but takes 20 ms to be loaded. */
export const usd = (cents: number): string => `${dollarsText(cents).replace(/\B(?=(\d{3})+\.)/g, ',')} USD`;

/** Odds in 1e-4 with four decimals: `1.9756`. */
export const oddsText = (oddsE4: number): string => (oddsE4 / 10_000).toFixed(4);

/** Percents in 1e-2 with two decimals: `50.62`. */
export const percentText = (percentE2: number): string => (percentE2 / 100).toFixed(2);

/** `417.3 MiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Text from clients or operators, quoted, always on one line. */
export const quoted = (text: string): string =>
  // JSON does not escape control characters beyond ASCII; a terminal may interpret them.
  JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escapeOf);

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const oneLine = (text: string): string => quoted(text).slice(1, -1).replaceAll('\\"', '"');
