/**
 * SQLite is native code, compiled for one version of Node. It is loaded with the first database, and what opens that would
 * take the failure for one of its file. So programs try it before they open any.
 */
import Database from 'better-sqlite3';
import { messageOf } from '../engine/base/attempt.js';
import { JournalError } from './errors.js';

/** Throws `sqlite_unloadable`. */
export function requireSqlite(): void {
  try {
    new Database(':memory:').close();
  } catch (thrown) {
    const here = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
    // A list of all the places where the file is not may follow.
    const [reason = ''] = messageOf(thrown).replaceAll(/\s+/g, ' ').split(' Tried:');
    throw new JournalError(
      'sqlite_unloadable',
      `better-sqlite3 does not load on ${here}: run \`npm rebuild better-sqlite3\` with this Node, or start the Node that it was compiled for. ${reason}`,
      { cause: thrown },
    );
  }
}
