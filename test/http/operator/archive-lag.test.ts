/** The archive's lag is logged once when it is large, and once when it is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCHIVE_BEHIND_COMMANDS as BEHIND_COMMANDS } from '../../../http/metrics/alarm-list.js';
import { ArchiveLag, CAUGHT_UP_COMMANDS } from '../../../http/operator/watch/health-log.js';

test('falling behind is logged once, and catching up only when little is left', () => {
  const told: [string, object | undefined][] = [];
  const lag = new ArchiveLag({ write: (event, fields) => told.push([event, fields]) });
  const archived = 10_000_000;
  for (const behind of [0, BEHIND_COMMANDS, BEHIND_COMMANDS + 1, BEHIND_COMMANDS * 2, CAUGHT_UP_COMMANDS]) {
    lag.check(archived + behind, archived);
  }
  assert.deepEqual(told.splice(0), [
    ['archive_behind', { archiveSequence: archived, lagCommands: BEHIND_COMMANDS + 1 }],
  ]);
  for (const behind of [CAUGHT_UP_COMMANDS - 1, 0, BEHIND_COMMANDS]) lag.check(archived + behind, archived);
  assert.deepEqual(told, [
    ['archive_caught_up', { archiveSequence: archived, lagCommands: CAUGHT_UP_COMMANDS - 1 }],
  ]);
});
