/** The archive's rows of what operators have done and were refused, from the commands that say so. */

import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { ActionFacts, ActionKind, RecordRefusals } from '../../../engine/model/operators.js';
import { valuesOf } from '../../../engine/model/rules.js';
import { type ArchiveCell, archiveChecksum } from '../form/checksum.js';

/** How many accounts and keys there are after the command: what it made has the last number. */
export interface Numbered {
  readonly accountCount: number;
  readonly keyCount: number;
}

/** Fields that are not shown: the digest of a key's secret, and rules, of which `ruleFacts` has what is not a default. */
const LEFT_OUT = ['by', 'digest', 'rules'];

/** Cells in the order of `ACTION`. */
export function actionRows(seq: number, command: Command, counts: Numbered): ArchiveCell[][] {
  if (command.kind === 'recordRefusals') return refusalRows(seq, command);
  const by = 'by' in command ? command.by : undefined;
  const [, , , fields] = JSON.parse(encodeCommand(command)) as [string, number, number, object];
  const shown = Object.entries(fields).filter(([name]) => !LEFT_OUT.includes(name));
  const own = 'reason' in command ? command.reason : '';
  const facts = {
    ...Object.fromEntries(shown),
    ...madeBy(command, counts),
    ...ruleFacts(command),
    reason: by?.reason || own,
  };
  return [row(seq, 0, command.timeMs, command.kind as ActionKind, by?.operator ?? null, facts)];
}

function madeBy({ kind }: Command, { accountCount, keyCount }: Numbered): Pick<ActionFacts, 'made'> {
  if (kind === 'createAccount') return { made: accountCount };
  return kind === 'createKey' || kind === 'rotateKey' ? { made: keyCount } : {};
}

function ruleFacts(command: Command): Pick<ActionFacts, 'file' | 'changes'> {
  if (command.kind !== 'configure') return {};
  const { file = {}, operator = {} } = command.rules.layers ?? {};
  return { file: valuesOf(file), changes: valuesOf(operator) };
}

function refusalRows(seq: number, { timeMs, denials, others, guesses }: RecordRefusals): ArchiveCell[][] {
  const reason = '';
  const rows = denials.map(({ operator, ...denial }, item) =>
    row(seq, item, timeMs, 'roleDenied', operator, { reason, ...denial }),
  );
  if (others > 0) rows.push(row(seq, rows.length, timeMs, 'roleDenied', null, { reason, times: others }));
  if (guesses !== null)
    rows.push(row(seq, rows.length, timeMs, 'tokenRefused', null, { reason, ...guesses }));
  return rows;
}

function row(
  seq: number,
  item: number,
  timeMs: number,
  kind: ActionKind,
  operator: string | null,
  facts: ActionFacts,
): ArchiveCell[] {
  // JSON escapes half a surrogate pair, which SQLite could not keep.
  const cells = [seq, item, timeMs, kind, operator, JSON.stringify(facts)];
  return [...cells, archiveChecksum(cells)];
}
