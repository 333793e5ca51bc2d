/** Sentences to operators on servers that do not answer, while several things are asked of them side by side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { AssertionError } from '../../../engine/base/assert.js';
import { JournalError } from '../../../persistence/errors.js';
import { Retry, Troubles } from '../../../persistence/replication/log/retry.js';
import { makeStream } from '../../../persistence/replication/nats/stream.js';

const pause = (): Promise<void> => Promise.resolve();

test('an activity that succeeds does not end the trouble of another one', async () => {
  const told: (string | null)[] = [];
  const troubles = new Troubles((reason) => told.push(reason));
  let answers: () => void = () => undefined;
  let failures = 0;
  const publishing = new Retry(pause, troubles.of('publish')).until(async () => {
    failures += 1;
    if (failures < 4) throw new Error(failures < 3 ? 'no answer' : 'no space');
    await new Promise<void>((resolve) => (answers = resolve));
  });
  const renewing = new Retry(pause, troubles.of('lease'));
  while (failures < 4) await renewing.until(() => Promise.resolve());
  assert.deepEqual(told, ['no answer', 'no space']);
  answers();
  await publishing;
  assert.deepEqual(told, ['no answer', 'no space', null]);
});

test('what trying again cannot mend is thrown: a journal error, and a programming error', async () => {
  const retry = new Retry(
    () => assert.fail('it was tried again'),
    () => assert.fail('it is no trouble of the servers'),
  );
  const errors = [new JournalError('replication_fenced', 'overtaken'), new AssertionError('wrong')];
  const failing = (error: Error): Promise<void> => retry.until(() => Promise.reject(error));
  for (const error of errors) await assert.rejects(failing(error), error);
  const make = (err_code: number): Promise<void> => {
    const add = () => Promise.reject(new JetStreamApiError({ code: 400, err_code, description: 'no' }));
    return makeStream({ streams: { add } } as unknown as JetStreamManager, 'tote', 3);
  };
  await assert.rejects(make(10_074), { code: 'replication_unreachable' });
  await assert.rejects(make(10_005), JetStreamApiError, 'of servers that have just found each other');
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
  const retry = new Retry(pause, (reason) => told.push(reason));
  const attempt = (): Promise<void> => Promise.reject(answers.shift() ?? assert.fail('an answer'));
  await assert.rejects(retry.until(attempt), { code: 'replication_fenced' });
  assert.deepEqual(told, ['no answer', null]);
});
