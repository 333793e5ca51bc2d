/** The words on a connection that failed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { troubleOf } from '../../../feeds/live/http-text.js';

test('where every address of a host has failed, each is told of', () => {
  const causes = [new Error('connect ECONNREFUSED ::1:443'), new Error('connect ECONNREFUSED 127.0.0.1:443')];
  const trouble = troubleOf(new AggregateError(causes, ''));
  assert.equal(trouble, 'connect ECONNREFUSED ::1:443; connect ECONNREFUSED 127.0.0.1:443');
  assert.equal(troubleOf(new Error('socket hang up')), 'socket hang up');
  assert.equal(troubleOf(new Error('')), 'the connection failed');
});
