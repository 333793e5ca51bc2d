/** A metric with all of its samples, in the form in which prom-client passes metrics between processes. */
import type { Histogram } from '../cells.js';
import { MICROSECONDS } from '../scale.js';

type Labels = Readonly<Record<string, string | number>>;

interface Sample {
  readonly value: number;
  readonly labels: Labels;
  /** In a histogram: the metric's name with its ending. */
  readonly metricName?: string;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'first';
  readonly values: readonly Sample[];
}

export type Labelled = readonly (readonly [labels: Labels, value: number])[];

const family =
  (type: Family['type']) =>
  (name: string, help: string, given: number | Labelled): Family => {
    const all: Labelled = typeof given === 'number' ? [[{}, given]] : given;
    const known = all.filter(([, value]) => !Number.isNaN(value));
    return {
      name,
      help,
      type,
      aggregator: 'first',
      values: known.map(([labels, value]) => ({ labels, value })),
    };
  };

/** The name ends with `_total`. */
export const counter = family('counter');
/** NaN has no sample. */
export const gauge = family('gauge');

/** Leaves out what has never happened: many names hardly ever do. */
export const happened = (values: Labelled): Labelled => values.filter(([, value]) => value > 0);

/** Times are kept finer than they are shown: only every second of their bounds is. */
const isShown = ({ scale }: Histogram, at: number): boolean => scale !== MICROSECONDS || at % 2 === 0;
const MICROSECONDS_PER_SECOND = 1e6;

/** Times are shown in seconds. */
export function histogram(
  name: string,
  help: string,
  values: readonly (readonly [labels: Labels, histogram: Histogram])[],
): Family {
  const all = values.flatMap(([labels, one]): Sample[] => {
    const { scale, sum, buckets } = one;
    const unit = scale === MICROSECONDS ? MICROSECONDS_PER_SECOND : 1;
    let counted = 0;
    const shown = buckets.flatMap((count, at): Sample[] => {
      counted += count;
      const bound = scale.bounds[at];
      const le = bound === undefined ? '+Inf' : bound / unit;
      if (bound !== undefined && !isShown(one, at)) return [];
      return [{ metricName: `${name}_bucket`, labels: { ...labels, le }, value: counted }];
    });
    return [
      ...shown,
      { metricName: `${name}_sum`, labels, value: sum / unit },
      { metricName: `${name}_count`, labels, value: counted },
    ];
  });
  return { name, help, type: 'histogram', aggregator: 'first', values: all };
}
