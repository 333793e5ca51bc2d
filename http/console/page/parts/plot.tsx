/**
 * Plots over time, drawn by uPlot. They share the crosshair: each shows its figures of the time that is pointed at in
 * one of them. Plots of the last hour share their range, too. Colours are those of the stylesheet, so they follow light
 * and dark. A text beside the plot says the same: a canvas says nothing to a screen reader.
 */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Select } from './field.js';

interface Line {
  readonly name: string;
  /** null where there is none; uPlot draws nothing at all where a scale meets NaN. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

interface PlotProps {
  readonly title: string;
  /** The plot in words. */
  readonly summary: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  /** At most four: the stylesheet has so many colours for them. */
  readonly lines: readonly Line[];
  /** At the axis and in the legend. */
  readonly format: (value: number) => string;
  /** The axis begins at 0. Prices would look flat. */
  readonly fromZero?: boolean;
  /** The plot ends now, and begins where the range does. */
  readonly isRanged?: boolean;
}

/** In seconds, with their titles. */
const RANGES = [
  ['300', '5 minutes'],
  ['900', '15 minutes'],
  ['3600', 'the last hour'],
] as const;
const range = signal('3600');

export const RangeSelect = (): JSX.Element => (
  <Select
    aria-label="Time range"
    value={range.value}
    options={RANGES}
    onChange={(event) => (range.value = event.currentTarget.value)}
  />
);

const HEIGHT = 190;
const DARK = matchMedia('(prefers-color-scheme: dark)');

export function Plot(props: PlotProps): JSX.Element {
  const { title, summary, times, lines } = props;
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const data = [times, ...lines.map(({ values }) => values)] as uPlot.AlignedData;
  const newest = useRef(data);
  newest.current = data;
  const shape = lines.map(({ name }) => name).join(' ');
  useEffect(() => {
    const place = box.current;
    if (place === null) return;
    const draw = (): void => {
      drawn.current?.destroy();
      drawn.current = new uPlot(optionsOf(props, place), newest.current, place);
    };
    draw();
    const resized = new ResizeObserver(() =>
      drawn.current?.setSize({ width: place.clientWidth, height: HEIGHT }),
    );
    resized.observe(place);
    DARK.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      DARK.removeEventListener('change', draw);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [shape]);
  useEffect(() => drawn.current?.setData(data), [data, range.value]);
  return (
    <figure class="plot">
      <figcaption>
        <h3>{title}</h3>
        <p class="quiet">{summary}</p>
      </figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  );
}

function optionsOf({ lines, format, fromZero, isRanged }: PlotProps, place: HTMLElement): uPlot.Options {
  // A canvas knows no variables.
  const color = (name: string): string => {
    place.style.color = `var(${name})`;
    const { color: known } = getComputedStyle(place);
    place.style.color = '';
    return known;
  };
  const axis: uPlot.Axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
  };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    cursor: { sync: { key: 'time', scales: ['x', null] }, drag: { x: false, y: false } },
    scales: {
      x: isRanged
        ? { range: (_, min, max) => [max - Math.min(Number(range.peek()), max - min || 1), max] }
        : {},
      y: fromZero ? { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } : {},
    },
    axes: [
      {
        ...axis,
        space: 80,
        values: (_, ticks, __, ___, stepSeconds) => ticks.map((tick) => clock(tick, stepSeconds)),
      },
      { ...axis, size: widthOf, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      { label: 'UTC', value: (_, seconds) => (seconds === null ? '–' : clock(seconds, 1)) },
      ...lines.map(
        ({ name, isDashed = false }, at): uPlot.Series => ({
          label: name,
          stroke: color(`--line-${at + 1}`),
          width: 2,
          ...(isDashed ? { dash: [6, 5] } : {}),
          points: { show: false, filter: (plot, at) => loneIndices(plot.data[at] ?? []) },
          value: (_, value) => (value === null ? '–' : format(value)),
        }),
      ),
    ],
  };
}

/** The room for the longest figure at the axis: a figure that is cut looks whole. */
const widthOf = (_: uPlot, figures: string[] | null): number =>
  22 + 7.5 * Math.max(3, ...(figures ?? []).map(({ length }) => length));

/** No line reaches a value between two gaps, so it is drawn as a point. */
const loneIndices = (values: uPlot.AlignedData[number]): number[] =>
  [...values.keys()].filter(
    (at) => values[at] != null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null,
  );

/** UTC, as everywhere in the console; with seconds where the axis has them. */
const clock = (seconds: number, stepSeconds: number): string =>
  new Date(seconds * 1_000).toISOString().slice(11, stepSeconds < 60 ? 19 : 16);
