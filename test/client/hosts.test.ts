/** A client with the addresses of several machines: it stays with the one that serves, and goes on when that ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broken, failure, ORDER, PLACED, Scripted, success } from './support/scripted.js';

const url = ['http://one.test/v1/', 'http://two.test/v1'];
const hostsOf = ({ sent }: Scripted): string[] => sent.map((request) => new URL(request.url).hostname);

test('an order goes to the next machine under the same Idempotency-Key, and later ones go there at once', async () => {
  const script = new Scripted([broken, success(PLACED, 201)], { url });
  await script.client.placeOrder(ORDER);
  await script.client.placeOrder(ORDER);
  assert.deepEqual(hostsOf(script), ['one.test', 'two.test', 'two.test']);
  const [first, second] = script.sent.map(({ headers }) => headers['Idempotency-Key']);
  assert.equal(first, second);
});

test('it goes on from a machine that stops or was cut off, round and round', async () => {
  const answers = [
    failure(503, 'shutting_down'),
    failure(503, 'journal_backlog'),
    () => new Response('bad gateway', { status: 502 }),
    success(PLACED, 201),
  ];
  const script = new Scripted(answers, { url });
  await script.client.placeOrder(ORDER);
  assert.deepEqual(hostsOf(script), ['one.test', 'two.test', 'one.test', 'two.test']);
});

test('a refusal is the answer of a machine that serves', async () => {
  const script = new Scripted([failure(400, 'stake_out_of_range'), success([])], { url });
  await assert.rejects(script.client.placeOrder(ORDER), { code: 'stake_out_of_range' });
  await script.client.listPositions();
  assert.deepEqual(hostsOf(script), ['one.test', 'one.test']);
});
