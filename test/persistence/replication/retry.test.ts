/** Sentences to operators on servers that do not answer, while several things are asked of them side by side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError } from '../../../engine/base/assert.js';
import { JournalError } from '../../../persistence/errors.js';
import { Retry, Troubles } from '../../../persistence/replication/log/retry.js';

test('an activity that succeeds does not end the trouble of another one', async () => {
  const told: (string | null)[] = [];
  const troubles = new Troubles((reason) => told.push(reason));
  let answers: () => void = () => undefined;
  let failures = 0;
  const pause = (): Promise<void> => Promise.resolve();
  const publishing = new Retry(pause, troubles.of('publish')).until(async () => {
    failures += 1;
    if (failures < 3) throw new Error('no answer');
    await new Promise<void>((resolve) => (answers = resolve));
  });
  const renewing = new Retry(pause, troubles.of('lease'));
  while (failures < 3) await renewing.until(() => Promise.resolve());
  assert.deepEqual(told, ['no answer']);
  answers();
  await publishing;
  assert.deepEqual(told, ['no answer', null]);
});

test('what trying again cannot mend is thrown: a journal error, and a programming error', async () => {
  const retry = new Retry(
    () => assert.fail('it was tried again'),
    () => assert.fail('it is no trouble of the servers'),
  );
  const errors = [new JournalError('replication_fenced', 'overtaken'), new AssertionError('wrong')];
  for (const error of errors)
    await assert.rejects(
      retry.until(() => Promise.reject(error)),
      error,
    );
});

test('of several troubles the oldest is told, and null when the last one is over', () => {
  const told: (string | null)[] = [];
  const troubles = new Troubles((reason) => told.push(reason));
  const [one, other] = [troubles.of('one'), troubles.of('other')];
  one('a');
  other('b');
  one(null);
  other(null);
  other(null);
  assert.deepEqual(told, ['a', 'b', null]);
});

test('who gives up for good waits no longer: there is no trouble left', async () => {
  const told: (string | null)[] = [];
  const answers = [new Error('no answer'), new JournalError('replication_fenced', 'another leads')];
  const retry = new Retry(
    () => Promise.resolve(),
    (reason) => told.push(reason),
  );
  await assert.rejects(
    retry.until(() => Promise.reject(answers.shift() ?? assert.fail('an answer'))),
    { code: 'replication_fenced' },
  );
  assert.deepEqual(told, ['no answer', null]);
});
