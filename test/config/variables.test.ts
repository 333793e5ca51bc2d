/** README's table of variables is the one that the server reads its environment by. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VARIABLES } from '../../config/variables.js';

const readme = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');

test("README's table has every variable, with its default and its help, in the order of the declarations", () => {
  const expected = Object.values(VARIABLES).map(
    ({ name, shownDefault, help }) => `| \`${name}\` | ${shownDefault} | ${help} |`,
  );
  const shown = readme.split('\n').filter((line) => line.startsWith('| `TOTE_'));
  assert.deepEqual(shown, expected);
});
