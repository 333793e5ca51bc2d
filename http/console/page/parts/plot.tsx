/**
 * A plot over time, drawn by uPlot. Its colours are those of the stylesheet, so it follows light and dark. What it shows stands beside it
 * as text, too: a canvas says nothing to a screen reader.
 */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Line {
  readonly name: string;
  /** A variable of the stylesheet, such as `--line-1`. */
  readonly color: string;
  /** null where there is none; uPlot draws nothing at all where a scale meets NaN. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

interface PlotProps {
  readonly title: string;
  /** What it comes to, in words. */
  readonly summary: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Of a value, at the axis and in the legend. */
  readonly format: (value: number) => string;
  /** Whether the axis begins at 0; prices look flat then. */
  readonly fromZero?: boolean;
}

const HEIGHT = 190;
const AXIS_WIDTH = 72;
const DARK = matchMedia('(prefers-color-scheme: dark)');

export function Plot({ title, summary, times, lines, format, fromZero = false }: PlotProps): JSX.Element {
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
      const options = optionsOf({ lines, format, fromZero, width: place.clientWidth });
      drawn.current = new uPlot(options, newest.current, place);
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
  useEffect(() => drawn.current?.setData(data), [data]);
  return (
    <figure class="plot">
      <figcaption>
        <h3>{title}</h3>
        <p class="quiet">{summary}</p>
      </figcaption>
      <div class="canvas" ref={box} aria-hidden="true" />
    </figure>
  );
}

type Look = Required<Pick<PlotProps, 'lines' | 'format' | 'fromZero'>> & { readonly width: number };

function optionsOf({ lines, format, fromZero, width }: Look): uPlot.Options {
  const color = (name: string): string =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    scales: { y: fromZero ? { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } : {} },
    axes: [
      { ...axis, values: (_, ticks, __, ___, stepSeconds) => ticks.map((tick) => clock(tick, stepSeconds)) },
      { ...axis, size: AXIS_WIDTH, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      { label: 'UTC', value: (_, seconds) => (seconds === null ? '–' : clock(seconds, 1)) },
      ...lines.map(
        ({ name, color: named, isDashed = false }): uPlot.Series => ({
          label: name,
          stroke: color(named),
          width: 2,
          ...(isDashed ? { dash: [6, 5] } : {}),
          points: { show: false, filter: (plot, at) => loneIndices(plot.data[at] ?? []) },
          value: (_, value) => (value === null ? '–' : format(value)),
        }),
      ),
    ],
  };
}

/** Those of values between two gaps: no line reaches them, so each is drawn as a point. */
const loneIndices = (values: uPlot.AlignedData[number]): number[] =>
  [...values.keys()].filter(
    (at) => values[at] != null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null,
  );

/** Times are UTC, as everywhere in the console; with seconds where the axis has them. */
const clock = (seconds: number, stepSeconds: number): string =>
  new Date(seconds * 1_000).toISOString().slice(11, stepSeconds < 60 ? 19 : 16);
