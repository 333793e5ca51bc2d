/** The table of docs/ops/configuration.md is the one that the server reads its environment by. */
import { test } from 'node:test';
import { VARIABLES } from '../../config/variables.js';
import { assertRows } from '../support/document.js';

const HEAD = '| Variable | Default | |\n|---|---|---|\n';

test('the table has every variable, with its default and its help, in the order of the declarations', () => {
  const rows = Object.values(VARIABLES).map(
    ({ name, shownDefault, help }) => `| \`${name}\` | ${shownDefault} | ${help} |\n`,
  );
  assertRows('docs/ops/configuration.md', HEAD, rows, 'config/variables');
});
