/** The tables of keys and rights that gateways read, against the engine that they are made from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyDigest } from '../../../crypto/api-keys.js';
import { SCOPES, scopesMask } from '../../../engine/model/domain.js';
import { digestWords, Rights, RightsWriter, rightsMemory } from '../../../http/board/rights.js';
import { Harness, withBettor } from '../api/harness.js';

function attach(api: Harness): Rights {
  const memory = rightsMemory();
  const writer = new RightsWriter(memory, api.host.engine);
  api.host.sequencer.onEvents((_seq, events) => writer.onEvents(events));
  return new Rights(memory);
}

test('keys and accounts from before and after the start are found, with what they may do', () => {
  const api = new Harness();
  const before = api.bettor();
  const rights = attach(api);
  const after = api.bettor({ tier: 'BRONZE', scopes: ['markets:read'], expiresAtMs: api.clock.wallMs + 5 });
  for (const { secret, key, account } of [before, after]) {
    assert.deepEqual([rights.find(digestWords(keyDigest(secret))), rights.account(key)], [key, account]);
    assert.ok(rights.isEnabled(key));
  }
  assert.equal(rights.scopesMask(before.key), scopesMask(SCOPES));
  assert.equal(rights.scopesMask(after.key), scopesMask(['markets:read']));
  assert.equal(rights.expiresAtMs(before.key), Number.POSITIVE_INFINITY);
  assert.equal(rights.expiresAtMs(after.key), api.clock.wallMs + 5);
  assert.equal(rights.tier(after.account), api.host.engine.account(after.account)?.tier);
  assert.equal(rights.find(digestWords(keyDigest('nobody'))), 0);
});

test('what an operator changes is there when it is durable, not before', () => {
  const { api, account, key } = withBettor();
  const rights = attach(api);
  const shown = () => [rights.isEnabled(key), rights.isFrozen(account), rights.tier(account)];
  const before = shown();
  api.submit({ kind: 'updateKey', key, enabled: false });
  api.submit({ kind: 'updateAccount', account, tier: 0, frozen: true });
  assert.deepEqual(shown(), before);
  api.settle();
  assert.deepEqual(shown(), [false, true, 0]);
  api.submit({ kind: 'updateKey', key, enabled: true });
  api.submit({ kind: 'updateAccount', account, tier: null, frozen: false });
  api.settle();
  assert.deepEqual(shown(), [true, false, 0]);
});

test('rights that were written ahead are brought up to date, with what is new and what has changed', () => {
  const api = new Harness();
  const [changed, same] = [api.bettor(), api.bettor()];
  const memory = rightsMemory();
  const ahead = new RightsWriter(memory, api.host.engine);
  const between = api.bettor();
  ahead.addNew();
  const last = api.bettor();
  api.submit({ kind: 'updateKey', key: changed.key, enabled: false });
  api.submit({ kind: 'updateAccount', account: changed.account, tier: 0, frozen: true });
  api.settle();
  const rights = new Rights(memory);
  assert.equal(rights.find(digestWords(keyDigest(between.secret))), between.key);
  assert.equal(rights.find(digestWords(keyDigest(last.secret))), 0);
  new RightsWriter(memory, api.host.engine);
  for (const { secret, key, account } of [changed, same, between, last]) {
    assert.equal(rights.find(digestWords(keyDigest(secret))), key);
    const isChanged = key === changed.key;
    assert.deepEqual([rights.isEnabled(key), rights.isFrozen(account)], [!isChanged, isChanged]);
    assert.equal(rights.tier(account), api.host.engine.account(account)?.tier);
  }
});

test('keys whose digests begin alike have places of their own, also past the last place', () => {
  const digests = ['00', '01', '02'].map((end) => 'ff'.repeat(31) + end);
  const api = new Harness();
  const rights = attach(api);
  for (const digest of digests) {
    const { account } = api.bettor();
    api.submit({ kind: 'createKey', account, digest, scopesMask: 1, expiresAtMs: null });
  }
  api.settle();
  const keys = digests.map((digest) => rights.find(digestWords(digest)));
  const found = keys.map((key) => api.host.engine.keyDigest(key));
  assert.deepEqual(found, digests);
  assert.equal(rights.find(digestWords(`${'ff'.repeat(31)}03`)), 0);
});
