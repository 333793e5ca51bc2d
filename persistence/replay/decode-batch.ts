/**
 * The commands of a batch from their text. Orders are nearly all of a journal, and `encodeCommand` always writes them in
 * the same form, so they are read here by a scanner that knows only that form, in a third of the time that JSON takes.
 * Whatever is in the least unusual goes the ordinary way, through JSON and `decodeCommand`: the scanner never judges,
 * and a test holds it to giving what the ordinary way gives.
 */
import { decodeCommand } from '../../engine/model/command-codec.js';
import type { Command } from '../../engine/model/commands.js';
import { CommandRows, RowsReader } from './command-rows.js';
import { CommandScanner } from './command-scanner.js';

/** Batches are decoded one at a time: they share the memory for their bytes and rows. */
const scanner = new CommandScanner();
const rows = new CommandRows();

/** The commands of a batch's text. Throws what JSON and `decodeCommand` throw. */
export function decodeCommands(text: string): Command[] {
  rows.clear();
  if (!scanCommands(text, rows)) return decodeOrdinarily(text);
  return new RowsReader(rows.numbers, rows.texts).take(rows.count);
}

/** As `CommandScanner.scan`. */
export function scanCommands(text: string, into: CommandRows): boolean {
  return scanner.scan(text, into);
}

function decodeOrdinarily(text: string): Command[] {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) throw new SyntaxError('a batch is a list of commands');
  return values.map((value) => decodeCommand(value));
}
