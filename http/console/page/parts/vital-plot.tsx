/** A plot of some of the server's figures. */
import type { JSX } from 'preact';
import type { VitalName } from '../../../metrics/vitals.js';
import { Plot } from './plot.js';
import type { VitalsNow } from './vitals.js';

const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4'];

export interface VitalPlotSpec {
  readonly title: string;
  /** Columns with their names in the legend; at most four. */
  readonly columns: readonly (readonly [name: VitalName, label: string])[];
  readonly format: (value: number) => string;
}

export function VitalPlot({
  spec,
  vitals,
}: {
  readonly spec: VitalPlotSpec;
  readonly vitals: VitalsNow;
}): JSX.Element {
  const { title, columns, format } = spec;
  const lines = columns.map(([name, label], at) => ({
    name: label,
    color: COLORS[at] ?? '--text',
    values: vitals.column(name),
  }));
  const summary = lines.map(({ name, values }) => `${name}: ${written(values.at(-1), format)}`).join(', ');
  return (
    <Plot title={title} summary={summary} times={vitals.time} lines={lines} format={format} fromZero={true} />
  );
}

const written = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? 'none' : format(value);
