/**
 * What operators have done and were refused before their actions had a table in the archive. An archive of a former format
 * is converted without the journal; here its actions are taken from the journal, as far back as that reaches. Nothing is
 * replayed: what a command made has a number that follows from how many there were.
 */

import type { Command } from '../../engine/model/commands.js';
import { ACTION_KINDS, holdsActions } from '../../engine/model/operators.js';
import type { StoredBatch } from '../../engine/model/ports.js';
import { actionRows, type Numbered } from '../archive/actions/rows.js';
import type { ArchiveCell } from '../archive/form/checksum.js';
import type { ArchiveWriter } from '../archive/writer.js';
import { decodeCommands } from '../replay/decode-batch.js';
import type { Rest } from '../thread/pace.js';
import type { ReadableJournal } from './start.js';

/** Only batches with one of these beginnings of commands are decoded. */
const BEGINNINGS = new RegExp(`\\["(${[...ACTION_KINDS, 'recordRefusals'].join('|')})",`);

interface Found {
  readonly seq: number;
  readonly command: Command;
}

/**
 * Adds what `archive` lacks. `engine` is at any moment of the journal: its counts tell the numbers of accounts and keys.
 * `note` is called with a sentence for operators, if there was something to do; `rest` after each batch.
 */
export function addOldActions(
  archive: ArchiveWriter,
  journal: ReadableJournal,
  engine: Numbered & { readonly seq: number },
  note: (text: string) => void,
  rest: Rest,
): void {
  const { fromSeq, actionsFromSeq } = archive.progress;
  const afterSeq = Math.max(fromSeq, journal.firstSeq - 1);
  if (afterSeq >= actionsFromSeq) return;
  const baseSeq = Math.min(afterSeq, engine.seq);
  const found = actionsBetween(journal, baseSeq, Math.max(actionsFromSeq, engine.seq), rest);
  const made = countMade(found.filter(({ seq }) => seq <= engine.seq));
  const counts = {
    accountCount: engine.accountCount - made.accountCount,
    keyCount: engine.keyCount - made.keyCount,
  };
  const rows: ArchiveCell[][] = [];
  for (const one of found) {
    const more = countMade([one]);
    counts.accountCount += more.accountCount;
    counts.keyCount += more.keyCount;
    if (one.seq > afterSeq && one.seq <= actionsFromSeq)
      rows.push(...actionRows(one.seq, one.command, counts));
  }
  archive.addActions(rows, afterSeq);
  const since =
    afterSeq === 0 ? 'the beginning' : `sequence number ${afterSeq + 1}, where the journal begins`;
  note(`The archive has a list of what operators have done now: ${rows.length} actions since ${since}.`);
}

/** By the commands after `afterSeq`, up to `toSeq`. */
function actionsBetween(journal: ReadableJournal, afterSeq: number, toSeq: number, rest: Rest): Found[] {
  const found: Found[] = [];
  for (const batch of journal.readBatches(afterSeq)) {
    if (batch.firstSeq > toSeq) break;
    found.push(...actionsOf(batch).filter(({ seq }) => seq > afterSeq && seq <= toSeq));
    rest();
  }
  return found;
}

function actionsOf({ firstSeq, commands }: StoredBatch): Found[] {
  if (!BEGINNINGS.test(commands)) return [];
  return decodeCommands(commands)
    .map((command, index) => ({ seq: firstSeq + index, command }))
    .filter(({ command }) => holdsActions(command.kind));
}

function countMade(found: readonly Found[]): Numbered {
  const kinds = found.map(({ command }) => command.kind);
  return {
    accountCount: kinds.filter((kind) => kind === 'createAccount').length,
    keyCount: kinds.filter((kind) => kind === 'createKey' || kind === 'rotateKey').length,
  };
}
