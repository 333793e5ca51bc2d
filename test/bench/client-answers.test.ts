/** What counts as acknowledged, and what as unexpected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWERED, Answers, WAITING } from '../../bench/client/answers.js';
import type { Expectation, RequestTemplate } from '../../bench/client/job.js';

const PLACED: Expectation = {
  protocol: 'http',
  status: 201,
  bodyStart: '{"success":true,"data":{"bet":{"id":"bet_',
  numbered: true,
  headers: ['X-RateLimit-Limit:'],
};
const OK: Expectation = { protocol: 'resp', reply: '+OK\r\n' };
const template = (expect: number): RequestTemplate => ({ text: '', serialAt: -1, expect, stakeCents: 100 });

function http(status: number, body: string, headers = 'X-RateLimit-Limit: 5\r\n'): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
}
const placed = (bet: number): Buffer => http(201, `{"success":true,"data":{"bet":{"id":"bet_${bet}"}}}`);

function recordOf(bytes: Buffer): ReturnType<Answers['record']> {
  const answers = new Answers([template(0)], [PLACED]);
  answers.check(0, bytes, bytes.length);
  return answers.record();
}

test('counts expected answers by template, and detects a bet named by two answers', () => {
  const answers = new Answers([template(0), template(0)], [PLACED]);
  for (const [at, bet] of [
    [0, 7],
    [1, 900_000],
    [1, 7],
  ] as const) {
    const bytes = placed(bet);
    assert.equal(answers.check(at, bytes, bytes.length), ANSWERED);
  }
  const { acknowledged, numbers, unexpected } = answers.record();
  assert.deepEqual(acknowledged, [1, 2]);
  assert.deepEqual(numbers, { distinct: 2, repeated: 1 });
  assert.deepEqual(unexpected, []);
});

test('anything else is unexpected: status, start of the body, a truncated body, a missing header, invalid JSON', () => {
  for (const bytes of [
    http(400, '{"success":true,"data":{"bet":{"id":"bet_1"}}}'),
    http(201, '{"success":false,"error":"odds_changed"}'),
    http(201, '{"success":true,"data":{"bet":{"id":"bet_1"'),
    http(201, '{"success":true,"data":{"bet":{"id":"bet_1"}}}', ''),
    http(201, '{"success":true,"data":{"bet":{"id":"bet_1}}}'),
  ]) {
    const { acknowledged, unexpected } = recordOf(bytes);
    assert.deepEqual(acknowledged, [0], bytes.toString());
    assert.equal(unexpected[0]?.count, 1, bytes.toString());
  }
});

test('waits for the rest, and refuses bytes after the answer', () => {
  const answers = new Answers([template(0)], [PLACED]);
  const bytes = placed(1);
  assert.equal(answers.check(0, bytes, bytes.length - 1), WAITING);
  const twice = Buffer.concat([bytes, bytes]);
  assert.throws(() => answers.check(0, twice, twice.length), /bytes follow an answer/);
});

test('judges replies of Redis', () => {
  const answers = new Answers([template(0)], [OK]);
  const good = Buffer.from('+OK\r\n');
  assert.equal(answers.check(0, good, 3), WAITING);
  assert.equal(answers.check(0, good, good.length), ANSWERED);
  const bad = Buffer.from('-ERR full\r\n');
  assert.equal(answers.check(0, bad, bad.length), ANSWERED);
  const { acknowledged, unexpected } = answers.record();
  assert.deepEqual(acknowledged, [1]);
  assert.deepEqual(unexpected, [{ answer: '-ERR full\r\n', count: 1 }]);
});
