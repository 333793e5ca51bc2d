/** docs/bots/errors.md has every code that bots meet, and says truly which ones the client tries again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRIED_CODES } from '../../client/rest/retry.js';
import { ERROR_CODES, ERROR_STATUS } from '../../engine/model/errors.js';
import { MEANINGS, PUBLIC_CODES } from '../../http/openapi/failures.js';
import { assertRows, readDocument } from '../support/document.js';

const PAGE = 'docs/bots/errors.md';
const HEAD = '| Code | Status | Tried again | Meaning, and what to do |\n|---|---|---|---|\n';
const OPERATORS = [
  ...['price_refused', 'invalid_operator_token', 'client_certificate_required', 'invalid_session'],
  ...['csrf_refused', 'insufficient_role', 'standby', 'account_not_found', 'key_not_found'],
  ...['reference_conflict', 'too_many_keys', 'round_already_resolved', 'clock_not_manual', 'feed_not_push'],
  ...['preview_outdated', 'price_not_held'],
];

test('a code is either for bots or for operators', () => {
  assert.deepEqual([...PUBLIC_CODES, ...OPERATORS].sort(), ERROR_CODES.toSorted());
});

test('the table has every code for bots, with its status and whether the client tries it again', () => {
  const codes = ERROR_CODES.flatMap((code) => PUBLIC_CODES.filter((known) => known === code));
  const row = (code: (typeof codes)[number]): string =>
    `| \`${code}\` | ${ERROR_STATUS[code]} | ${RETRIED_CODES.includes(code) ? 'yes' : 'no'} | ${MEANINGS[code]} |\n`;
  assertRows(PAGE, HEAD, codes.map(row), 'client/errors-page');
});

test('it has the codes of the client, too', () => {
  const page = readDocument(PAGE);
  for (const code of RETRIED_CODES) assert.ok(page.includes(`\`${code}\``), code);
});
