/** A picture of a backtest as SVG: the price above, the profit below, over the same time. */
import type { CurvePoint } from './results.js';

interface Point {
  readonly timeMs: number;
  readonly value: number;
}

interface Panel {
  readonly title: string;
  readonly points: readonly Point[];
  readonly color: string;
  /** A profit stays until the next bet is settled; a price is on its way to the next. */
  readonly isStepped: boolean;
}

const WIDTH = 960;
const PANEL_HEIGHT = 220;
const LEFT = 90;
const RIGHT = 20;
const TOP = 40;
const GAP = 50;
const TIME_MARKS = 6;

export function plotSvg(title: string, prices: readonly Point[], curve: readonly CurvePoint[]): string {
  const fromMs = prices[0]?.timeMs ?? 0;
  const toMs = prices.at(-1)?.timeMs ?? fromMs + 1;
  const profit = curve.map(({ timeMs, profit: value }) => ({ timeMs, value }));
  const last = profit.at(-1)?.value ?? 0;
  const panels: readonly Panel[] = [
    { title: 'price', points: prices, color: '#4a6fa5', isStepped: false },
    {
      title: 'profit in USD',
      points: [{ timeMs: fromMs, value: 0 }, ...profit, { timeMs: toMs, value: last }],
      color: '#b5482a',
      isStepped: true,
    },
  ];
  const height = TOP + panels.length * (PANEL_HEIGHT + GAP);
  const xOf = (timeMs: number): number =>
    LEFT + ((timeMs - fromMs) / Math.max(1, toMs - fromMs)) * (WIDTH - LEFT - RIGHT);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${LEFT}" y="20" font-size="15">${escapeXml(title)}</text>`,
    ...panels.map((panel, at) => drawPanel(panel, TOP + at * (PANEL_HEIGHT + GAP), xOf)),
    ...timeMarks(fromMs, toMs, xOf, height - GAP + 18),
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel(
  { title, points, color, isStepped }: Panel,
  top: number,
  xOf: (timeMs: number) => number,
): string {
  // One after the other: a call takes only some 100,000 arguments, and a path may have more rows.
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { value } of points) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const yOf = (value: number): number => top + PANEL_HEIGHT * (1 - (value - low) / (high - low || 1));
  const at = ({ timeMs, value }: Point): string => `${round(xOf(timeMs))},${round(yOf(value))}`;
  const corners = points.flatMap((point, index) => {
    const before = isStepped ? points[index - 1] : undefined;
    return before === undefined ? [at(point)] : [at({ ...before, timeMs: point.timeMs }), at(point)];
  });
  const marks = [...new Set([low, ...(low < 0 && high > 0 ? [0] : []), high])];
  return [
    `<rect x="${LEFT}" y="${top}" width="${WIDTH - LEFT - RIGHT}" height="${PANEL_HEIGHT}" fill="none" stroke="#ccc"/>`,
    `<text x="${LEFT + 6}" y="${top - 6}" fill="${color}">${title}</text>`,
    ...marks.map((value) => {
      const y = round(yOf(value));
      return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" stroke="#ddd"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${value.toFixed(2)}</text>`;
    }),
    `<polyline points="${corners.join(' ')}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
  ].join('\n');
}

function timeMarks(fromMs: number, toMs: number, xOf: (timeMs: number) => number, y: number): string[] {
  return Array.from({ length: TIME_MARKS + 1 }, (_, mark) => {
    const timeMs = fromMs + ((toMs - fromMs) * mark) / TIME_MARKS;
    const label = new Date(timeMs).toISOString().slice(11, 16);
    return `<text x="${round(xOf(timeMs))}" y="${y}" text-anchor="middle">${label}</text>`;
  });
}

const round = (value: number): number => Math.round(value * 10) / 10;

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
