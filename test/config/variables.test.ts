/** The table of docs/ops/configuration.md is the one that the server reads its environment by. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VARIABLES } from '../../config/variables.js';

const file = fileURLToPath(new URL('../../../docs/ops/configuration.md', import.meta.url));
const HEAD = '| Variable | Default | |\n|---|---|---|\n';

test('the table has every variable, with its default and its help, in the order of the declarations', () => {
  const rows = Object.values(VARIABLES).map(
    ({ name, shownDefault, help }) => `| \`${name}\` | ${shownDefault} | ${help} |\n`,
  );
  const [before = '', after = ''] = readFileSync(file, 'utf8').split(HEAD);
  const [shown = ''] = /^(\|.*\n)*/.exec(after) ?? [];
  const expected = rows.join('');
  if (process.env['TOTE_TEST_WRITE'] === '1' && after !== '')
    writeFileSync(file, `${before}${HEAD}${expected}${after.slice(shown.length)}`);
  assert.equal(shown, expected, 'TOTE_TEST_WRITE=1 npm test -- config/variables writes it');
});
