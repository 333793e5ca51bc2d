/** Failures of a write for lack of space. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodeOf } from '../../persistence/cli/frame/exit-codes.js';
import { isDiskFull, JournalError } from '../../persistence/errors.js';

const failure = (code: string): Error => Object.assign(new Error('write'), { code });

test('a full disk, a used-up quota and what SQLite says of either are one failure', () => {
  const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'EIO', 'SQLITE_IOERR_WRITE'];
  assert.deepEqual(codes.map(failure).map(isDiskFull), [true, true, true, false, false]);
  assert.equal(isDiskFull('ENOSPC'), false);
  const exits = [failure('EDQUOT'), failure('ENOSPC'), new JournalError('disk_full', '')].map(exitCodeOf);
  assert.equal(new Set(exits).size, 1);
  assert.notEqual(exitCodeOf(failure('EIO')), exits[0]);
});
