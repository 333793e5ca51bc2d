/** How long a session of the console lasts, and what ends it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorToken } from '../../../engine/model/operators.js';
import { AGE_MS_MAX, IDLE_MS_MAX, SESSIONS_MAX, Sessions } from '../../../http/console/sessions.js';
import { TestClock } from '../../support/host/host.js';

const CALLER: OperatorToken = { name: 'ann', role: 'support', digest: 'a'.repeat(64) };

function opened() {
  const clock = new TestClock();
  const revoked = new Set<string>();
  const sessions = new Sessions(clock, ({ digest }) => !revoked.has(digest));
  return { clock, revoked, sessions, ...sessions.open(CALLER) };
}

test('a session lasts while it is used, and ends after an hour without', () => {
  const { clock, sessions, id, session } = opened();
  for (let n = 0; n < 5; n++) {
    clock.pass(IDLE_MS_MAX - 1);
    assert.equal(sessions.use(id), session);
  }
  assert.equal(sessions.leftMs(session), IDLE_MS_MAX);
  clock.pass(IDLE_MS_MAX);
  assert.equal(sessions.leftMs(session), 0);
  assert.equal(sessions.isOpen(session), false);
  assert.equal(sessions.use(id), null);
  assert.equal(sessions.use(id), null, 'and does not come back');
});

test('looking whether it is open does not use it: a page that is only watched ends', () => {
  const { clock, sessions, id, session } = opened();
  for (let n = 0; n < 4; n++) {
    assert.equal(sessions.isOpen(session), true);
    clock.pass(IDLE_MS_MAX / 4);
  }
  assert.equal(sessions.use(id), null);
});

test('however busy it is, it ends after twelve hours', () => {
  const { clock, sessions, id, session } = opened();
  for (let n = 0; n < 12 * 4 - 1; n++) {
    clock.pass(AGE_MS_MAX / 48);
    assert.equal(sessions.use(id), session);
  }
  clock.pass(AGE_MS_MAX / 48);
  assert.equal(sessions.use(id), null);
});

test('it ends with its token', () => {
  const { revoked, sessions, id, session } = opened();
  revoked.add(CALLER.digest);
  assert.equal(sessions.isOpen(session), false);
  assert.equal(sessions.use(id), null);
});

test('a closed session is none, and others stay', () => {
  const { sessions, id, session } = opened();
  const other = sessions.open(CALLER);
  assert.notEqual(other.id, id);
  assert.notEqual(other.session.csrfToken, session.csrfToken);
  sessions.close(id);
  assert.equal(sessions.isOpen(session), false);
  assert.equal(sessions.use(id), null);
  assert.equal(sessions.use(other.id), other.session);
});

test('one more than there may be ends the one that was used least recently', () => {
  const { sessions, id, session } = opened();
  const second = sessions.open(CALLER);
  for (let n = 2; n < SESSIONS_MAX; n++) sessions.open(CALLER);
  assert.equal(sessions.use(id), session);
  sessions.open(CALLER);
  assert.equal(sessions.use(second.id), null);
  assert.equal(sessions.isOpen(second.session), false);
  assert.equal(sessions.use(id), session);
});

test('what has not the form of an id is no session', () => {
  const { sessions, id } = opened();
  for (const wrong of ['', id.slice(1), `${id}A`, `${id.slice(1)} `]) assert.equal(sessions.use(wrong), null);
});
