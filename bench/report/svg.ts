/** A plot as SVG, for a page or a file of its own: lines and points, linear or logarithmic axes. */
import { figure } from './format.js';
import type { Plot } from './section.js';

/** Text for HTML and SVG, in content and in quoted attributes. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 70;
const RIGHT = 200;
const TOP = 16;
const BOTTOM = 48;
const TICKS = 5;
/** Each also has its own dashes, to be distinguishable without colours. */
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#57606a'];
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 4', '12 4'];

export function plotSvg(plot: Plot): string {
  const points = plot.series.flatMap((series) => series.points);
  const xAxis = axisOf(
    points.map(([x]) => x),
    plot.xLog,
  );
  const yAxis = axisOf(
    points.map(([, y]) => y),
    plot.yLog,
  );
  const x = (value: number): string => (LEFT + xAxis.share(value) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - BOTTOM - yAxis.share(value) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const lines = plot.series.map(({ points: all }, at) => {
    const own = all.filter(([, value]) => Number.isFinite(value));
    const style = `stroke="${pick(COLOURS, at)}" stroke-dasharray="${pick(DASHES, at)}"`;
    const path = own.map(([px, py]) => `${x(px)},${y(py)}`).join(' ');
    const dots = own.map(
      ([px, py]) =>
        `<circle cx="${x(px)}" cy="${y(py)}" r="2.5" fill="${pick(COLOURS, at)}"><title>${figure(px)}: ${figure(py)}</title></circle>`,
    );
    return `<polyline fill="none" stroke-width="1.5" ${style} points="${path}"/>${dots.join('')}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(plot.title)}" font-family="system-ui, sans-serif" font-size="11">`,
    `<style>text { fill: #222 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }</style>`,
    ...xAxis.ticks.map((tick) => gridLine(x(tick), String(TOP), x(tick), String(HEIGHT - BOTTOM))),
    ...yAxis.ticks.map((tick) => gridLine(String(LEFT), y(tick), String(WIDTH - RIGHT), y(tick))),
    ...xAxis.ticks.map((tick) => text(x(tick), String(HEIGHT - BOTTOM + 16), 'middle', figure(tick))),
    ...yAxis.ticks.map((tick) => text(String(LEFT - 6), String(Number(y(tick)) + 4), 'end', figure(tick))),
    text(String((LEFT + WIDTH - RIGHT) / 2), String(HEIGHT - 10), 'middle', plot.xLabel),
    `<g transform="rotate(-90 14 ${HEIGHT / 2})">${text('14', String(HEIGHT / 2), 'middle', plot.yLabel)}</g>`,
    ...lines,
    ...plot.series.map(({ name }, at) => legend(name, at)),
    '</svg>',
  ].join('\n');
}

function legend(name: string, at: number): string {
  const [fromX, lineY] = [WIDTH - RIGHT + 12, TOP + 10 + at * 18];
  const line = `<line x1="${fromX}" y1="${lineY}" x2="${fromX + 22}" y2="${lineY}" stroke-width="2" stroke="${pick(COLOURS, at)}" stroke-dasharray="${pick(DASHES, at)}"/>`;
  return line + text(String(fromX + 28), String(lineY + 4), 'start', name);
}

const gridLine = (x1: string, y1: string, x2: string, y2: string): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#8c959f" stroke-opacity="0.4" stroke-width="0.6"/>`;

const text = (x: string, y: string, anchor: string, value: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeHtml(value)}</text>`;

const pick = (list: readonly string[], at: number): string => list[at % list.length] ?? '';

/** Linear axes begin at 0. Logarithmic ones show only positive values, with a tick a decade and a few between. */
function axisOf(values: readonly number[], isLog: boolean) {
  const usable = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  const most = usable.length === 0 ? 1 : Math.max(...usable);
  if (!isLog) {
    const step = niceStep(most / TICKS);
    const count = Math.max(Math.ceil(most / step), 1);
    const ticks = Array.from({ length: count + 1 }, (_, at) => at * step);
    return { share: (value: number) => value / (count * step), ticks };
  }
  const least = usable.length === 0 ? 1 : Math.min(...usable);
  const from = Math.floor(Math.log10(least));
  const to = Math.max(Math.ceil(Math.log10(most)), from + 1);
  const factors = to - from <= 2 ? [1, 2, 5] : [1];
  const ticks = Array.from({ length: to - from + 1 }, (_, at) => at).flatMap((at) =>
    factors.map((factor) => factor * 10 ** (from + at)).filter((tick) => tick <= 10 ** to),
  );
  return { share: (value: number) => (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from), ticks };
}

function niceStep(step: number): number {
  if (!(step > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5, 10].find((factor) => factor * power >= step) ?? 10) * power;
}
