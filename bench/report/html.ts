/** A run as one HTML file: tables, ratios, notes and plots. It loads nothing and runs no script. */
import { ratiosTable } from './format.js';
import type { Plot, Run, SectionResult, Table } from './section.js';
import { escapeHtml, plotSvg } from './svg.js';

const STYLE = `
  html { color-scheme: light; }
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; padding: 0 1rem; color: #1f2328; background: #fff; }
  table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; display: block; overflow-x: auto; }
  th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid #d0d7de; text-align: right; white-space: nowrap; }
  th:first-child, td:first-child { text-align: left; }
  th { background: #f6f8fa; }
  figure { margin: 1rem 0; }
  figcaption { font-weight: 600; }
  svg { width: 100%; max-width: 900px; height: auto; }
  svg text { fill: #1f2328 !important; }
  dl { display: grid; grid-template-columns: max-content auto; gap: 0.1rem 1rem; }
  dd { margin: 0; overflow-wrap: anywhere; }`;

export function reportHtml({ environment, options, results }: Run): string {
  const { disk, ...where } = environment;
  const facts = { ...where, ...disk, ...options };
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>tote: bench</title>',
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>`,
    `<h1>tote: bench</h1>`,
    '<dl>',
    ...Object.entries(facts).map(
      ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(factText(value))}</dd>`,
    ),
    '</dl>',
    ...results.map(sectionHtml),
    '</body></html>',
    '',
  ].join('\n');
}

const factText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function sectionHtml({ name, tables, ratios = [], notes, plots }: SectionResult): string {
  return [
    `<h2>${escapeHtml(name)}</h2>`,
    ...tables.map(tableHtml),
    ...(ratios.length > 0 ? [tableHtml(ratiosTable(ratios))] : []),
    `<ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('')}</ul>`,
    ...(plots ?? []).map(plotHtml),
  ].join('\n');
}

function tableHtml({ title, columns, rows }: Table): string {
  const line = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  return [
    `<h3>${escapeHtml(title)}</h3><table>`,
    line('th', columns),
    ...rows.map((row) => line('td', row)),
    '</table>',
  ].join('\n');
}

const plotHtml = (plot: Plot): string =>
  `<figure><figcaption>${escapeHtml(plot.title)}</figcaption>${plotSvg(plot)}</figure>`;
