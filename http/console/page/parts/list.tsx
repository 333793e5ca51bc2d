/** Tables, and lists that are asked for in pages. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OperatorRole } from '../../../../engine/model/operators.js';
import { may } from '../state/api.js';
import { isoOf } from '../state/format.js';
import { Loading, Section } from './basics.js';
import { type Field, Filters, initialOf, type Values } from './field.js';
import { useLoaded } from './loaded.js';

/**
 * A title with a `#` in front is for numbers, one with a `~` for text that may wrap. With a role the column is for
 * operators who may do as much.
 */
export type Column<T> = readonly [title: string, show: (row: T) => ComponentChildren, role?: OperatorRole];

interface TableProps<T> {
  readonly caption: string;
  readonly rows: readonly T[];
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  /** Stands in place of no rows. */
  readonly empty?: string;
}

/** Where there is little room each row is a card, and each cell has its title beside it. */
export function Table<T extends object>({ caption, rows, columns, empty = '' }: TableProps<T>): JSX.Element {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  const shown = columns.filter(([, , role = 'read']) => may(role));
  return (
    <table class="list">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {shown.map(([title]) => (
            <th key={title} scope="col" class={classOf(title)}>
              {nameOf(title)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // With its id a row keeps the focus while others come before it.
          <tr key={'id' in row ? row.id : index}>
            {shown.map(([title, show], at) =>
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

interface ListProps<T> {
  readonly title: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly filters?: readonly Field[];
  readonly columns: readonly Column<T>[] | ((reload: () => void) => readonly Column<T>[]);
  readonly empty: string;
  /** As in `useLoaded`. */
  readonly everyMs?: number;
  /** Beside its title. */
  readonly side?: (reload: () => void) => ComponentChildren;
}

export function List<T extends object>(props: ListProps<T>): JSX.Element {
  const { title, path, query = {}, filters = [], columns, empty, everyMs, side } = props;
  const [wanted, setWanted] = useState(() => initialOf(filters));
  const chosen = { limit: '25', ...query, ...chosenOf(filters, wanted) };
  const first = `${path}?${new URLSearchParams(chosen)}`;
  const [at, setAt] = useState({ first, cursor: '' });
  // Another list begins with its first page.
  const cursor = at.first === first ? at.cursor : '';
  const page = cursor === '' ? first : `${first}&${new URLSearchParams({ cursor })}`;
  const { data, nextCursor, error, reload } = useLoaded<readonly T[]>(page, everyMs);
  useEffect(() => {
    // A page may have nothing because it has looked at so much: the next one looks further.
    if (data?.length === 0 && nextCursor !== null) setAt({ first, cursor: nextCursor });
  }, [data, nextCursor, first]);
  /** Its button may go, and the keyboard goes on with the new rows. */
  const turn = (to: string, { currentTarget }: { readonly currentTarget: HTMLElement }): void => {
    setAt({ first, cursor: to });
    currentTarget.closest('section')?.querySelector('h2')?.focus();
  };
  const button = (
    text: string,
    act: (event: { readonly currentTarget: HTMLElement }) => void,
  ): JSX.Element => (
    <button type="button" onClick={act}>
      {text} <span class="hidden">of {title}</span>
    </button>
  );
  return (
    <Section
      title={title}
      side={
        <div class="row">
          {side?.(reload)}
          {button('Refresh', reload)}
        </div>
      }
    >
      {filters.length > 0 && <Filters fields={filters} values={wanted} onChange={setWanted} />}
      {(data === null || error !== '') && <Loading error={error} />}
      {data !== null && (
        <Table
          caption={title}
          rows={data}
          columns={typeof columns === 'function' ? columns(reload) : columns}
          empty={nextCursor === null ? empty : 'Looking further …'}
        />
      )}
      <div class="buttons">
        {cursor !== '' && button('First page', (event) => turn('', event))}
        {nextCursor !== null && button('Next page', (event) => turn(nextCursor, event))}
      </div>
    </Section>
  );
}

/** As the operator API takes them in a query. */
const chosenOf = (filters: readonly Field[], wanted: Values): Values =>
  Object.fromEntries(
    filters.flatMap(({ name, kind }) => {
      const value = wanted[name]?.trim() ?? '';
      return value === '' ? [] : [[name, kind === 'time' ? isoOf(value) : value]];
    }),
  );
