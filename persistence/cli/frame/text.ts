/**
 * Any result as text for people: its plain values a line each, then each of its lists, as a table. Names are those of the
 * JSON, and their ends say how a number is shown: `stakeCents` 777 is `stake  7.77 USD`.
 */
import { isoText } from '../../../engine/base/iso-text.js';
import { bytesText, oddsText, oneLine, percentText, quoted, usd } from './format.js';

const UNITS: readonly (readonly [end: RegExp, show: (value: number) => string])[] = [
  [/cents$/i, usd],
  [/(?<=.)E2$/, percentText],
  [/(?<=.)E4$/, oddsText],
  [/(?<=.)E6$/, (value) => `${value / 1_000_000}`],
  [/(?<=.)Bps$/, (value) => `${percentText(value)} %`],
  [/(?<=time)Ms$/i, isoText],
  [/(?<=.)Ms$/, (value) => `${Number.isInteger(value) ? value : value.toFixed(3)} ms`],
];

/** Each list ends with its last `rowsMax` rows. */
export function textOf(answer: object, rowsMax: number): string {
  const fields = Object.entries(answer).filter(([, value]) => value !== null);
  const facts = fields.filter(([, value]) => !isRows(value));
  const width = Math.max(...facts.map(([name]) => labelOf(name).length));
  const lines = facts.map(([name, value]) =>
    `${labelOf(name).padEnd(width)}  ${cellOf(name, value)}`.trimEnd(),
  );
  const tables = fields.flatMap(([name, value]) =>
    isRows(value) ? ['', ...rowsText(labelOf(name), value, rowsMax)] : [],
  );
  return [...lines, ...tables].map((line) => `${line}\n`).join('');
}

/** `stakeCents` is `stake`, `isSealed` is `sealed`. */
function labelOf(name: string): string {
  const unit = UNITS.find(([end]) => end.test(name))?.[0];
  const bare = (unit === undefined ? name : name.replace(unit, '')).replace(/^is(?=[A-Z])/, '');
  return bare.replace(/[A-Z]+/g, (letters) => ` ${letters.toLowerCase()}`).trim() || name;
}

/** A list of objects, or of sentences. */
const isRows = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) &&
  value.some(
    (row) => (typeof row === 'object' && row !== null) || (typeof row === 'string' && row.includes(' ')),
  );

function rowsText(label: string, all: readonly unknown[], rowsMax: number): string[] {
  const rows = all.slice(-rowsMax);
  const title = `${label}: ${all.length}${rows.length < all.length ? `, the last ${rows.length} (--limit)` : ''}`;
  const objects = rows.filter((row) => typeof row === 'object' && row !== null);
  if (objects.length < rows.length) return [title, ...rows.map((row) => `  ${cellOf('', row)}`)];
  return [title, ...tableText(objects)];
}

/** Without columns that have nothing. */
function tableText(rows: readonly object[]): string[] {
  const columns = [...new Set(rows.flatMap(Object.keys))]
    .map((name) => {
      const values = rows.map((row) => new Map<string, unknown>(Object.entries(row)).get(name) ?? null);
      return { name, values, cells: values.map((value) => cellOf(name, value)) };
    })
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map(({ name, values, cells }) => {
      const texts = [labelOf(name), ...cells];
      // Not as arguments of one call: there may be a million rows.
      const width = texts.reduce((widest, { length }) => Math.max(widest, length), 0);
      const isNumeric = values.every((value) => value === null || typeof value === 'number');
      return texts.map((text) => (isNumeric ? text.padStart(width) : text.padEnd(width)));
    });
  return [null, ...rows].map((_, line) =>
    columns
      .map((texts) => texts[line] ?? '')
      .join('  ')
      .trimEnd(),
  );
}

function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberText(name, value);
  if (Array.isArray(value)) return value.map((item) => cellOf(name, item)).join(', ') || 'none';
  return typeof value === 'object' ? inlineText(value) : oneLine(String(value));
}

function numberText(name: string, value: number): string {
  if (/bytes$/i.test(name)) return bytesText(value);
  return UNITS.find(([end]) => end.test(name))?.[1](value) ?? `${value}`;
}

/** `bet bet_1, side UP, stake 7.77 USD`: without what is not there, and with texts in quotes if they could mislead. */
export const inlineText = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => [labelOf(name), inlineValue(name, value)])
    .filter(([, text]) => text !== '')
    .map((part) => part.join(' '))
    .join(', ');

function inlineValue(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^[\w.:+/-]*$/.test(value)) return quoted(value);
  // A list of objects is only counted.
  const isList = Array.isArray(value) && value.some((item) => typeof item === 'object');
  return isList ? `${value.length}` : cellOf(name, value);
}
