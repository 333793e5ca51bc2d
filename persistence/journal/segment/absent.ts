/**
 * The file `absent`: the journal no longer holds the commands up to this sequence number, since retention has deleted
 * them or a restore has left them behind. Anything else that is missing is a fault.
 *
 *     tote-absent v1 66409 crc=0a1b2c3d
 *
 * It is written before segments are deleted: segments that a crash has left over still count. The first start of a
 * directory writes it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../engine/base/attempt.js';
import { ifThere, writeFileDurably } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { crcHex } from './batch-row.js';

type Folder = Pick<DataDir, 'journal'>;

const FORM = /^tote-absent v1 (0|[1-9]\d{0,15}) crc=[0-9a-f]{8}\n$/;

export const absentPath = ({ journal }: Folder): string => join(journal, 'absent');

/** 0 if the journal has its beginning; null if there is no file. Throws `absent_unreadable`. */
export function readAbsent(dir: Folder): number | null {
  const path = absentPath(dir);
  const read = (): number => {
    const text = readFileSync(path, 'latin1');
    const seq = Number(FORM.exec(text)?.[1]);
    if (text !== textOf(seq)) throw new Error('its checksum does not match');
    return seq;
  };
  return ifThere(read, (cause) => {
    const sentence =
      `The file ${path}, which says where the journal begins, cannot be read: ${messageOf(cause)}. Put it back from a ` +
      'backup, or delete it: then the next start records what is missing at the beginning as pruned.';
    return new JournalError('absent_unreadable', sentence, { cause });
  });
}

export const writeAbsent = (dir: Folder, seq: number): void => writeFileDurably(absentPath(dir), textOf(seq));

function textOf(seq: number): string {
  const text = `tote-absent v1 ${seq} `;
  return `${text}crc=${crcHex(text)}\n`;
}
