/** A session of the console: its duration, its end, and that every process with the same key knows it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorToken } from '../../../engine/model/operators.js';
import { AGE_MS_MAX, IDLE_MS_MAX, Sessions, sessionKeyOf } from '../../../http/console/sessions.js';
import { TokenGuard } from '../../../http/operator/access/token-guard.js';
import { TestClock } from '../../support/host/host.js';

const CALLER: OperatorToken = { name: 'ann', role: 'support', digest: 'a'.repeat(64) };
const KEY = sessionKeyOf(Buffer.alloc(32, 1));

function opened() {
  const clock = new TestClock();
  const guard = new TokenGuard([CALLER], clock);
  const process = (key = KEY): Sessions => new Sessions(key, clock, guard);
  const sessions = process();
  const session = sessions.open(CALLER);
  return { clock, guard, process, sessions, session, ticket: sessions.ticketOf(session) };
}

test('a session lasts while it is renewed, an hour without, and never more than twelve', () => {
  const { clock, sessions, session } = opened();
  let now = session;
  for (let ms = 0; ms < AGE_MS_MAX; ms += IDLE_MS_MAX - 1) {
    assert.ok(sessions.isOpen(now), `after ${ms} ms`);
    now = sessions.renewed(now);
    const ticket = sessions.ticketOf(now);
    clock.pass(IDLE_MS_MAX - 1);
    assert.deepEqual(sessions.read(ticket), clock.nowMs() - session.openedMs < AGE_MS_MAX ? now : null);
  }
  const last = sessions.open(CALLER);
  assert.notEqual(last.id, session.id);
  clock.pass(IDLE_MS_MAX);
  assert.deepEqual([sessions.isOpen(last), sessions.read(sessions.ticketOf(last))], [false, null]);
});

test('a process that was started anew, or takes over, knows it, with the same CSRF token; one of another exchange does not', () => {
  const { process, session, ticket } = opened();
  assert.deepEqual(process().read(ticket), session);
  assert.equal(process(sessionKeyOf(Buffer.alloc(32, 2))).read(ticket), null);
});

test('it ends with its token, and with a change of its role', () => {
  for (const tokens of [
    [],
    [{ ...CALLER, role: 'admin' as const }],
    [{ ...CALLER, digest: 'b'.repeat(64) }],
  ]) {
    const { guard, sessions, session, ticket } = opened();
    guard.setTokens(tokens);
    assert.deepEqual([sessions.isOpen(session), sessions.read(ticket)], [false, null]);
  }
});

test('what was logged out is ended with all its tickets, and others stay', () => {
  const { clock, sessions, session, ticket } = opened();
  const other = sessions.open(CALLER);
  clock.pass(1);
  const renewed = sessions.ticketOf(sessions.renewed(session));
  sessions.close(session);
  for (const each of [ticket, renewed]) assert.equal(sessions.read(each), null);
  assert.equal(sessions.isOpen(session), false);
  clock.pass(IDLE_MS_MAX - 2);
  sessions.close(sessions.open(CALLER));
  assert.equal(sessions.read(renewed), null, 'for as long as a ticket is good');
  assert.equal(sessions.isOpen(sessions.renewed(other)), true);
});

test('a ticket with another character is none', () => {
  const { sessions, ticket } = opened();
  assert.notEqual(sessions.read(ticket), null);
  for (let at = 0; at < ticket.length; at++) {
    const changed = ticket.charAt(at) === '1' ? '2' : '1';
    assert.equal(sessions.read(ticket.slice(0, at) + changed + ticket.slice(at + 1)), null, String(at));
  }
  for (const wrong of ['', ticket.slice(1), `${ticket}A`]) assert.equal(sessions.read(wrong), null);
});
