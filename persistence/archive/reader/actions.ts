/** Actions and refusals of operators in the archive, newest first. */
import type Database from 'better-sqlite3';
import type { Cell } from '../../../engine/base/rows-text.js';
import type {
  ActionFields,
  ActionKind,
  ActionsAnswer,
  ActionsQuestion,
  ActionView,
  ChangedRule,
} from '../../../engine/model/operators.js';
import type { RuleValue } from '../../../engine/model/rules.js';
import { ACTION, positionsOf } from '../columns.js';
import { intact, type RowQuery, rowQuery } from '../schema.js';

const IN_ACTION = positionsOf(ACTION);

/** Time never goes back from one row to the next. */
const TABLES = ['action', 'refusal'] as const;

export class ArchivedActions {
  readonly #rulesBefore: RowQuery;

  constructor(
    private readonly path: string,
    private readonly db: Database.Database,
  ) {
    this.#rulesBefore = rowQuery(
      db,
      "SELECT * FROM action WHERE kind = 'configure' AND seq < ? ORDER BY seq DESC LIMIT 1",
    );
  }

  answer({ before, operator, action, fromMs, toMs, limit }: ActionsQuestion): ActionsAnswer {
    const place = before ?? { seq: Number.MAX_SAFE_INTEGER, item: 0 };
    const asked = { ...place, operator, action, fromMs, toMs };
    const tables = TABLES.map((table) => `SELECT * FROM ${table} WHERE ${conditionsFor(table, asked)}`);
    const query = `${tables.join(' UNION ALL ')} ORDER BY seq DESC, item DESC LIMIT @limit`;
    // One more tells whether there is one.
    const rows = this.db
      .prepare<[object], Cell[]>(query)
      .raw()
      .all({ ...asked, limit: limit + 1 });
    const actions = rows.slice(0, limit).map((row) => this.#viewOf(row));
    const last = actions.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    return { actions, nextBefore: isMore ? { seq: last.seq, item: last.item } : null };
  }

  #viewOf(row: Cell[]): ActionView {
    const facts = this.#factsOf(row);
    const kind = row[IN_ACTION.kind] as ActionKind;
    const seq = Number(row[IN_ACTION.seq]);
    return {
      seq,
      item: Number(row[IN_ACTION.item]),
      timeMs: Number(row[IN_ACTION.time_ms]),
      kind,
      operator: row[IN_ACTION.operator] as string | null,
      facts,
      changed: kind === 'configure' ? this.#changedBy(seq, facts) : [],
    };
  }

  /** Compares with the defaults where the archive has no earlier rules. */
  #changedBy(seq: number, facts: ActionFields): ChangedRule[] {
    const row = this.#rulesBefore.get(seq);
    const before = row === undefined ? new Map<string, RuleValue['value']>() : valuesOf(this.#factsOf(row));
    const after = valuesOf(facts);
    const names = [...new Set([...before.keys(), ...after.keys()])];
    return names
      .map((name) => ({ name, from: before.get(name) ?? null, to: after.get(name) ?? null }))
      .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
  }

  #factsOf(row: Cell[]): ActionFields {
    return JSON.parse(String(intact(this.path, 'action', row)[IN_ACTION.facts])) as ActionFields;
  }
}

const valuesOf = ({ file = [], changes = [] }: ActionFields): Map<string, RuleValue['value']> =>
  new Map([...file, ...changes].map(({ name, value }) => [name, value]));

function conditionsFor(
  table: (typeof TABLES)[number],
  { operator, action, fromMs, toMs }: Pick<ActionsQuestion, 'operator' | 'action' | 'fromMs' | 'toMs'>,
): string {
  const conditions = ['(seq, item) < (@seq, @item)'];
  if (operator !== null) conditions.push('operator = @operator');
  if (action !== null) conditions.push('kind = @action');
  // Rows are in the order of their numbers, so the bounds on `seq` find them.
  if (fromMs !== null)
    conditions.push(
      `time_ms >= @fromMs AND seq >= (SELECT seq FROM ${table} WHERE time_ms >= @fromMs ORDER BY time_ms, seq LIMIT 1)`,
    );
  if (toMs !== null)
    conditions.push(
      `time_ms < @toMs AND seq <= (SELECT seq FROM ${table} WHERE time_ms < @toMs ORDER BY time_ms DESC, seq DESC LIMIT 1)`,
    );
  return conditions.join(' AND ');
}
