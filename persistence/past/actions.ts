/** What operators have done and were refused, from the archive, newest first. */
import type Database from 'better-sqlite3';
import type {
  ActionFacts,
  ActionKind,
  ActionsAnswer,
  ActionsQuestion,
  ActionView,
  ChangedRule,
} from '../../engine/model/operators.js';
import type { RuleValue } from '../../engine/model/rules.js';
import { type ArchiveCell, isIntact } from '../archive/form/checksum.js';
import { ACTION, positionsOf } from '../archive/form/columns.js';
import { damagedArchive } from '../archive/schema.js';

const IN_ACTION = positionsOf(ACTION);

type Query = Database.Statement<ArchiveCell[], ArchiveCell[]>;

export class PastActions {
  readonly #firstSeqFrom: Database.Statement<[number], number>;
  readonly #lastSeqBefore: Database.Statement<[number], number>;
  readonly #rulesBefore: Query;

  constructor(
    private readonly path: string,
    private readonly db: Database.Database,
  ) {
    const seq = (where: string): Database.Statement<[number], number> =>
      db.prepare<[number], number>(`SELECT seq FROM action WHERE time_ms ${where} LIMIT 1`).pluck();
    // Time never goes back from one command to the next.
    this.#firstSeqFrom = seq('>= ? ORDER BY time_ms, seq');
    this.#lastSeqBefore = seq('< ? ORDER BY time_ms DESC, seq DESC');
    this.#rulesBefore = db
      .prepare<ArchiveCell[], ArchiveCell[]>(
        "SELECT * FROM action WHERE kind = 'configure' AND seq < ? ORDER BY seq DESC LIMIT 1",
      )
      .raw();
  }

  answer({ before, operator, action, fromMs, toMs, limit }: ActionsQuestion): ActionsAnswer {
    const firstSeq = fromMs === null ? 0 : this.#firstSeqFrom.get(fromMs);
    const lastSeq = toMs === null ? Number.MAX_SAFE_INTEGER : this.#lastSeqBefore.get(toMs);
    if (firstSeq === undefined || lastSeq === undefined) return { actions: [], nextBefore: null };
    const { seq, item } = before ?? { seq: Number.MAX_SAFE_INTEGER, item: 0 };
    const conditions = ['(seq, item) < (?, ?)', 'seq BETWEEN ? AND ?'];
    const values: ArchiveCell[] = [seq, item, firstSeq, lastSeq];
    for (const [column, value] of [
      ['operator', operator],
      ['kind', action],
    ] as const) {
      if (value === null) continue;
      conditions.push(`${column} = ?`);
      values.push(value);
    }
    const query: Query = this.db
      .prepare<ArchiveCell[], ArchiveCell[]>(
        `SELECT * FROM action WHERE ${conditions.join(' AND ')} ORDER BY seq DESC, item DESC LIMIT ?`,
      )
      .raw();
    // One more, to know whether there is one.
    const rows = query.all(...values, limit + 1);
    const actions = rows.slice(0, limit).map((row) => this.#viewOf(row));
    const last = actions.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    return { actions, nextBefore: isMore ? { seq: last.seq, item: last.item } : null };
  }

  #viewOf(row: readonly ArchiveCell[]): ActionView {
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

  /** By new rules; compared with the defaults where the archive has no rules before them. */
  #changedBy(seq: number, facts: ActionFacts): ChangedRule[] {
    const row = this.#rulesBefore.get(seq);
    const before = row === undefined ? new Map<string, RuleValue['value']>() : valuesOf(this.#factsOf(row));
    const after = valuesOf(facts);
    const names = [...new Set([...before.keys(), ...after.keys()])];
    return names
      .map((name) => ({ name, from: before.get(name) ?? null, to: after.get(name) ?? null }))
      .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
  }

  #factsOf(row: readonly ArchiveCell[]): ActionFacts {
    if (isIntact(row)) return JSON.parse(String(row[IN_ACTION.facts])) as ActionFacts;
    throw damagedArchive(this.path, `action ${row[0]} ${row[1]} does not match its checksum`);
  }
}

/** What is not a default: an operator's change comes before the file's value. */
const valuesOf = ({ file = [], changes = [] }: ActionFacts): Map<string, RuleValue['value']> =>
  new Map([...file, ...changes].map(({ name, value }) => [name, value]));
