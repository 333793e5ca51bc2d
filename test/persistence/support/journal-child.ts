/**
 * A process of its own for tests that kill it or starve it. It commits batch after batch to the directory through the
 * real thread, and prints `durable N` for each acknowledgement; a failure is printed as `failed CODE` and ends it with
 * exit code 3. With a second argument it seals segments of that size.
 */
import { writeSync } from 'node:fs';
import { must } from '../../../engine/base/assert.js';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { codeOf } from '../../../persistence/errors.js';
import { JournalThread, startJournalThread } from '../../../persistence/journal/thread.js';
import { batchAt, recover } from './journal-files.js';

const [path, segmentBytesMax] = process.argv.slice(2);
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const dir = openDataDir(must(path, 'the data directory'));
lockDataDir(dir);
const { given, lastSeq } = recover(dir);
const options = segmentBytesMax === undefined ? {} : { segmentBytesMax: Number(segmentBytesMax) };
const journal = new JournalThread(startJournalThread(), { dir, durability: 'fsync', lastSeq, ...options });
let next = given.length;
const commitNext = (): void => {
  journal.commit(batchAt(next));
  next += 1;
};
journal.open({
  onDurable(durableSeq) {
    say(`durable ${durableSeq}`);
    commitNext();
  },
  onFailure(error) {
    say(`failed ${codeOf(error)}`);
    // A late acknowledgement would still be printed.
    setImmediate(() => process.exit(3));
  },
  onLost() {},
  onSpaceLevel() {},
});
commitNext();
