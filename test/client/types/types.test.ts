/** The client knows the API of this version: its types are those of the document, and each operation has a method. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ToteClient } from '../../../client/client.js';
import { ApiDocument } from '../../support/api/api-document.js';
import { generatedTypes } from './generated-types.js';

test('the generated types are those of the API document and of the stream', async () => {
  const { path, text } = await generatedTypes();
  assert.ok(readFileSync(path, 'utf8') === text, `${path} is stale: run \`npm run client-types\``);
});

test('each operation of the API is a method of the client, by the name of the operation', () => {
  const paths = Object.values(new ApiDocument().document.paths);
  const operations = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  // Documents are for programs that make clients.
  const expected = operations.filter((id) => !/^get\w+Api$/.test(id));
  assert.ok(expected.includes('placeOrder'));
  const methods = new Set(Object.getOwnPropertyNames(ToteClient.prototype));
  assert.deepEqual(expected.filter((id) => !methods.has(id)).join(), '');
});
