/** A file that an operator names in a variable or an option. */
import { readFileSync } from 'node:fs';
import { JournalError, messageOf } from '../errors.js';

/** Its text. Throws `file_unreadable`. */
export function readNamedFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new JournalError('file_unreadable', `${path} cannot be read: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
