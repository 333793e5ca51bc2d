/** An endpoint's entry is all that the API document needs: method, path, scope and description. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRules } from '../../../engine/model/rules.js';
import { ENDPOINTS } from '../../../http/api/endpoints.js';
import { okResponse } from '../../../http/openapi/common.js';
import { openApiDocument } from '../../../http/openapi/document.js';
import type { Documented } from '../../../http/openapi/operation.js';
import { schemaRef } from '../../../http/openapi/schemas.js';

const rules = defaultRules('f'.repeat(64));

const endpointOf = (method: 'GET' | 'DELETE', scope: Documented['scope']): Documented => ({
  method,
  path: '/orders/{id}',
  scope,
  describe: ({ feeBps }) => ({
    operationId: `${method.toLowerCase()}Order`,
    tag: 'Orders',
    summary: 'One order',
    text: `The fee is ${feeBps}.`,
    success: okResponse('The order.', schemaRef('Position'), {}),
    failures: ['BadParameter'],
  }),
});

interface Operation {
  readonly description: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

function operationsOf(endpoints: readonly Documented[]): Record<string, Operation> {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument(endpoints, rules))) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return paths['/orders/{id}'] ?? {};
}

test('endpoints of one path are grouped, each with its scope and the failures of any request', () => {
  const { get, delete: remove } = operationsOf([
    ...ENDPOINTS,
    endpointOf('GET', 'positions:read'),
    endpointOf('DELETE', 'orders:cancel'),
  ]);
  assert.equal(get?.description, 'Scope `positions:read`. The fee is 300.');
  assert.equal(
    remove?.description,
    'Scope `orders:cancel`, which needs Silver tier or higher. The fee is 300.',
  );
  const expected = {
    400: 'BadParameter',
    401: 'Unauthorized',
    408: 'RequestTimeout',
    413: 'ContentTooLarge',
    429: 'TooManyRequests',
  };
  for (const [operation, forbidden] of [
    [get, 'Forbidden'],
    [remove, 'OrderForbidden'],
  ] as const) {
    const refs = Object.entries(operation?.responses ?? {}).flatMap(([status, { $ref }]) =>
      $ref === undefined ? [] : [[status, $ref.replace('#/components/responses/', '')]],
    );
    assert.deepEqual(Object.fromEntries(refs), { ...expected, 403: forbidden });
  }
});
