/** Figures and tables as text. */
import type { Ratio, Table } from './section.js';

/** 1234567 is `1,234,567`; fractions have one decimal below 100, two below 10. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const decimals = Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export const millisecondsOfUs = (us: number): string => figure(us / 1000);
export const megabytes = (bytes: number | null): string => (bytes === null ? '-' : figure(bytes / 1e6));
export const percent = (share: number | null): string =>
  share === null || Number.isNaN(share) ? '-' : `${Math.round(share * 100)} %`;

/** Columns are as wide as their widest cell; the first is left-aligned, all others right-aligned. */
export function tableText({ title, columns, rows }: Table): string {
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [title, rule, line(columns), rule, ...rows.map(line), ''].join('\n');
}

export const ratiosTable = (ratios: readonly Ratio[]): Table => ({
  title: 'Ratios (same run, same client, same cores)',
  columns: ['what', 'ratio', 'by CPU time'],
  rows: ratios.map(({ what, value, byCpu }) => [
    what,
    value.toFixed(2),
    byCpu === null ? '' : byCpu.toFixed(2),
  ]),
});
