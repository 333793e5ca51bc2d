/** Small parts that all views use. */
import type { ComponentChildren, JSX } from 'preact';
import { idText, placeOf } from '../state/format.js';
import { isFresh } from '../state/live.js';
import { percentUp, type RoundNow } from '../state/markets.js';
import type { Finding } from '../state/replication.js';

/** A title with a `#` in front is for numbers, one with a `~` for text that may wrap. */
export type Column<T> = readonly [title: string, show: (row: T) => ComponentChildren];

export interface TableProps<T> {
  readonly caption: string;
  readonly rows: readonly T[];
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T, index: number) => string;
}

/** Where there is little room each row is a card, and each cell has its title beside it. */
export function Table<T>({ caption, rows, columns, keyOf }: TableProps<T>): JSX.Element {
  return (
    <table class="list">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(([title]) => (
            <th key={title} scope="col" class={classOf(title)}>
              {nameOf(title)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>
            {columns.map(([title, show], at) =>
              at === 0 ? (
                <th key={title} scope="row" class={classOf(title)}>
                  {show(row)}
                </th>
              ) : (
                <td key={title} class={classOf(title)} data-title={nameOf(title)}>
                  {show(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const nameOf = (title: string): string => title.replace(/^[#~]/, '');
const classOf = (title: string): string => ({ '#': 'number', '~': 'text' })[title.charAt(0)] ?? '';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

interface BadgeProps {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}

export const Badge = ({ tone, children }: BadgeProps): JSX.Element => (
  <span class={`badge ${tone}`}>{children}</span>
);

export const FrozenBadge = ({ isFrozen }: { readonly isFrozen: boolean }): JSX.Element =>
  isFrozen ? <Badge tone="bad">frozen</Badge> : <Badge tone="good">active</Badge>;

interface FigureProps {
  readonly name: string;
  /** The recent values, shown as a line beside the figure. */
  readonly line?: readonly (number | null)[];
  readonly children: ComponentChildren;
}

export const Figure = ({ name, line, children }: FigureProps): JSX.Element => (
  <div class={line === undefined ? 'figure' : 'figure big'}>
    <dt>{name}</dt>
    <dd>{children}</dd>
    {line !== undefined && <Spark values={line} />}
  </div>
);

export const Figures = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <dl class="figures">{children}</dl>
);

const SPARK_POINTS = 90;

/** Without axes: the figure stands beside it. */
export function Spark({ values }: { readonly values: readonly (number | null)[] }): JSX.Element {
  const all = values.length === 1 ? [0, ...values] : values;
  const step = Math.ceil(all.length / SPARK_POINTS) || 1;
  const known = all.filter((_, at) => (all.length - 1 - at) % step === 0).map((value) => value ?? 0);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const points = known.map((value, at) => `${at},${20 - (20 * (value - low)) / (high - low || 1)}`).join(' ');
  const width = Math.max(1, known.length - 1);
  return (
    <svg class="spark" viewBox={`0 -1 ${width} 22`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

/** A link to the view of the id, or the text as it is if there is none. */
export function Ref({ id }: { readonly id: string | null }): JSX.Element | string {
  const place = id === null ? null : placeOf(id);
  return place === null || id === null ? (id ?? '–') : <a href={place}>{idText(id)}</a>;
}

/** `isFine` is said where nothing is wrong. */
export const Findings = ({
  title,
  findings,
  isFine,
}: {
  readonly title: string;
  readonly findings: readonly Finding[];
  readonly isFine: string;
}): JSX.Element => (
  <section class="findings" aria-live="polite" aria-label={title}>
    {findings.length === 0 && isFresh.value && (
      <p class="fine">
        <Badge tone="good">all is well</Badge> {isFine}
      </p>
    )}
    <ul>
      {findings.map(({ severity, what, detail, advice, button }) => (
        <li key={what} class={severity}>
          <p>
            <Badge tone={severity === 'critical' ? 'bad' : 'warn'}>{severity}</Badge> <strong>{what}</strong>
          </p>
          {detail !== undefined && <p class="quiet">{detail}</p>}
          {advice !== undefined && <p>Do this: {advice}</p>}
          {button}
        </li>
      ))}
    </ul>
  </section>
);

/** Stands in place of data that are not there. */
export function Loading({ error }: { readonly error: string }): JSX.Element {
  return error === '' ? (
    <p class="quiet">Loading …</p>
  ) : (
    <p class="error" role="alert">
      {error}
    </p>
  );
}

export function roundBadge(round: RoundNow | null, nowMs: number): JSX.Element {
  if (round === null) return <Badge tone="plain">no round</Badge>;
  if (round.status !== 'LIVE') return <Badge tone="plain">{round.status.toLowerCase()}</Badge>;
  return nowMs < round.bettingClosesMs ? (
    <Badge tone="good">taking bets</Badge>
  ) : (
    <Badge tone="warn">bets closed</Badge>
  );
}

export function ShareBar({ round }: { readonly round: RoundNow }): JSX.Element {
  const percent = percentUp(round);
  return (
    <span class="share">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width={percent} height="10" />
      </svg>
      {Math.round(percent)} %
    </span>
  );
}
