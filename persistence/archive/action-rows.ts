/** The archive's rows of what operators have done, from their commands, and of what they were refused. */
import { encodeCommand } from '../../engine/model/command-codec.js';
import type { ActionFields, ActionKind, OperatorCommand, RefusedAt } from '../../engine/model/operators.js';
import { valuesOf } from '../../engine/model/rules.js';
import { type ArchiveCell, archiveChecksum } from './form/checksum.js';

/** How many accounts and keys there are after the command: what it made has the last number. */
export interface Numbered {
  readonly accountCount: number;
  readonly keyCount: number;
}

/** Fields that are not shown: the digest of a key's secret, and rules, of which `ruleFacts` has what is not a default. */
const LEFT_OUT = ['by', 'digest', 'rules'];

/** Cells in the order of `ACTION`. */
export function actionRow(seq: number, command: OperatorCommand, counts: Numbered): ArchiveCell[] {
  const { by, kind, timeMs } = command;
  const [, , , fields] = JSON.parse(encodeCommand(command)) as [string, number, number, object];
  const shown = Object.entries(fields).filter(([name]) => !LEFT_OUT.includes(name));
  const own = 'reason' in command ? command.reason : '';
  const facts = {
    ...Object.fromEntries(shown),
    ...madeBy(command, counts),
    ...ruleFacts(command),
    reason: by?.reason || own,
  };
  return row(seq, 0, timeMs, kind, by?.operator ?? null, facts);
}

function madeBy({ kind }: OperatorCommand, { accountCount, keyCount }: Numbered): Pick<ActionFields, 'made'> {
  if (kind === 'createAccount') return { made: accountCount };
  return kind === 'createKey' || kind === 'rotateKey' ? { made: keyCount } : {};
}

function ruleFacts(command: OperatorCommand): Pick<ActionFields, 'file' | 'changes'> {
  if (command.kind !== 'configure') return {};
  const { file = {}, operator = {} } = command.rules.layers ?? {};
  return { file: valuesOf(file), changes: valuesOf(operator) };
}

/** Cells in the order of `ACTION`, for a place behind the item `last` of the command `seq`. */
export function refusalRows(
  seq: number,
  last: number,
  { timeMs, denials, others, guesses }: RefusedAt,
): ArchiveCell[][] {
  const reason = '';
  const rows: ArchiveCell[][] = [];
  const add = (kind: ActionKind, operator: string | null, facts: Omit<ActionFields, 'reason'>): unknown =>
    rows.push(row(seq, last + rows.length + 1, timeMs, kind, operator, { reason, ...facts }));
  for (const { operator, ...denial } of denials) add('roleDenied', operator, denial);
  if (others > 0) add('roleDenied', null, { times: others });
  if (guesses !== null) add('tokenRefused', null, guesses);
  return rows;
}

function row(
  seq: number,
  item: number,
  timeMs: number,
  kind: ActionKind,
  operator: string | null,
  facts: ActionFields,
): ArchiveCell[] {
  // JSON escapes half a surrogate pair, which SQLite could not keep.
  const cells = [seq, item, timeMs, kind, operator, JSON.stringify(facts)];
  return [...cells, archiveChecksum(cells)];
}
