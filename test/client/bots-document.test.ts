/** docs/bots.md knows every code of the registry with its status, and says truly which ones the client tries again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRIED_CODES } from '../../client/rest/retry.js';
import { ERROR_STATUS } from '../../engine/model/errors.js';
import { readDocument, sectionOf } from '../support/document.js';

const ROW = /^\| `(\w+)` \| (\d+|of the answer) \| ([^|]+) \| [^|]+ \|$/gm;
const rows = [...sectionOf(readDocument('docs/bots.md'), '## Error codes').matchAll(ROW)].map(
  ([, code = '', status = '', isRetried = '']) => ({ code, status, isRetried }),
);
const CLIENT_CODES = ['connection_failed', 'timed_out', 'bad_answer', 'aborted'];

test('every code stands there once, with its status', () => {
  const known = Object.entries(ERROR_STATUS).map(([code, status]) => [code, String(status)]);
  const shown = rows
    .filter(({ code }) => !CLIENT_CODES.includes(code))
    .map(({ code, status }) => [code, status]);
  assert.deepEqual(shown.sort(), known.sort());
  assert.deepEqual(
    rows.map(({ code }) => code).filter((code) => CLIENT_CODES.includes(code)),
    CLIENT_CODES,
  );
});

test('those that are tried again are those of the client', () => {
  const shown = rows.filter(({ isRetried }) => isRetried === 'yes').map(({ code }) => code);
  assert.deepEqual(shown.sort(), [...RETRIED_CODES].sort());
});
