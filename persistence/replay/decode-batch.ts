/**
 * Decodes the commands of a batch. Nearly all of a journal is orders, which `encodeCommand` always writes in the same
 * form, so they are read by a scanner that knows only that form and is faster than JSON. Anything unusual goes through
 * JSON and `decodeCommand`. The scanner never rejects a command, and a test holds it to the same results.
 */
import { decodeCommand } from '../../engine/model/command-codec.js';
import type { Command } from '../../engine/model/commands.js';
import { CommandRows, RowsReader } from './command-rows.js';
import { CommandScanner } from './command-scanner.js';

/** Batches are decoded one at a time and share the memory for their bytes and rows. */
const scanner = new CommandScanner();
const rows = new CommandRows();

/** The commands of a batch, from its text. Throws what JSON and `decodeCommand` throw. */
export function decodeCommands(text: string): Command[] {
  rows.clear();
  if (!scanCommands(text, rows)) return decodeJson(text);
  return new RowsReader(rows.numbers, rows.texts).take(rows.count);
}

/** As `CommandScanner.scan`. */
export function scanCommands(text: string, into: CommandRows): boolean {
  return scanner.scan(text, into);
}

function decodeJson(text: string): Command[] {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new SyntaxError('a batch is a list of commands');
  return values.map((value) => decodeCommand(value));
}
