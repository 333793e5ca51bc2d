/** The highest epoch that this machine has seen, as a file. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../engine/base/attempt.js';
import { ifThere, writeFileDurably } from '../data-dir/files.js';
import { JournalError } from '../errors.js';
import type { EpochMemory } from './log/replicated-log.js';

const FORM = /^tote-epoch v1 (\d{1,15})\n$/;

export class EpochFile implements EpochMemory {
  #highest: number;

  constructor(private readonly path: string) {
    this.#highest = read(path);
  }

  get highest(): number {
    return this.#highest;
  }

  raise(epoch: number): void {
    if (epoch <= this.#highest) return;
    writeFileDurably(this.path, `tote-epoch v1 ${epoch}\n`);
    this.#highest = epoch;
  }
}

function read(path: string): number {
  const refusal = (thrown: unknown): JournalError => unreadable(path, messageOf(thrown), thrown);
  const text = ifThere(() => readFileSync(path, 'latin1'), refusal);
  if (text === null) return 0;
  const epoch = FORM.exec(text)?.[1];
  if (epoch === undefined) throw unreadable(path, 'it is not in its form');
  return Number(epoch);
}

function unreadable(path: string, why: string, cause?: unknown): JournalError {
  return new JournalError(
    'file_unreadable',
    `The file ${path} cannot be read: ${why}. It has the highest epoch of the replicated log that this machine has seen. Make it readable, ` +
      'or delete it where the log has lost nothing since: the log and the lease have that epoch, too.',
    { cause },
  );
}
