/** Small parts that all views use. */
import type { ComponentChildren, JSX } from 'preact';
import { percentUp, type RoundNow } from '../state/markets.js';

/** Its title, with a `#` in front for numbers and a `~` for what is left out where there is little room; and its cells. */
export type Column<T> = readonly [title: string, show: (row: T) => ComponentChildren];

export interface TableProps<T> {
  readonly caption: string;
  readonly rows: readonly T[];
  /** The first one names the row. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T, index: number) => string;
}

/** A table that scrolls sideways by itself where it does not fit; the keyboard can scroll it, too. */
export function Table<T>({ caption, rows, columns, keyOf }: TableProps<T>): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title]) => (
              <th key={title} scope="col" class={classOf(title)}>
                {title.replace(/^[#~]+/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(([title, show], at) =>
                at === 0 ? (
                  <th key={title} scope="row">
                    {show(row)}
                  </th>
                ) : (
                  <td key={title} class={classOf(title)}>
                    {show(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const classOf = (title: string): string =>
  `${title.includes('#') ? 'number' : ''} ${title.includes('~') ? 'wide' : ''}`.trim();

type Tone = 'good' | 'bad' | 'warn' | 'plain';

export function Badge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export const FrozenBadge = ({ isFrozen }: { readonly isFrozen: boolean }): JSX.Element =>
  isFrozen ? <Badge tone="bad">frozen</Badge> : <Badge tone="good">active</Badge>;

/** A figure with its name. */
export function Figure({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export const Figures = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <dl class="figures">{children}</dl>
);

/** What stands in place of data that are not there. */
export function Loading({ error }: { readonly error: string }): JSX.Element {
  return error === '' ? (
    <p class="quiet">Loading …</p>
  ) : (
    <p class="error" role="alert">
      {error}
    </p>
  );
}

export function RoundBadge({
  round,
  nowMs,
}: {
  readonly round: RoundNow | null;
  readonly nowMs: number;
}): JSX.Element {
  if (round === null) return <Badge tone="plain">no round</Badge>;
  if (round.status !== 'LIVE') return <Badge tone="plain">{round.status.toLowerCase()}</Badge>;
  return nowMs < round.bettingClosesMs ? (
    <Badge tone="good">taking bets</Badge>
  ) : (
    <Badge tone="warn">bets closed</Badge>
  );
}

/** UP's share of the pool as a bar and a number. */
export function ShareBar({ round }: { readonly round: RoundNow }): JSX.Element {
  const percent = percentUp(round);
  return (
    <span class="share">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="down" width="100" height="10" />
        <rect class="up" width={percent} height="10" />
      </svg>
      {percent.toFixed(1)}%
    </span>
  );
}
