/** A refused order changes nothing: the digest over the engine's full state is the same before and after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bettor, Harness } from '../http/api/harness.js';
import { newHasher } from '../support/reference/pair.js';
import { Rng } from '../support/reference/random/rng.js';
import { BODY_BYTES_MAX, orderBody } from './orders.js';
import { idempotencyKey } from './values.js';

const ORDERS = 2_000;

test('a refused order leaves the state unchanged, whatever is wrong with it', (context) => {
  const harness = new Harness();
  const rng = new Rng(7);
  const rich = harness.bettor({ tier: 'VIP', balanceCents: 1_000_000_00 });
  // One runs out of money, the other may not bet at all.
  const poor = harness.bettor({ balanceCents: 50_00 });
  const reader = harness.bettor({ scopes: ['markets:read'] });
  harness.open();
  const bettors: readonly Bettor[] = [rich, rich, rich, poor, reader];
  let before = harness.host.engine.stateDigest(newHasher);
  const seen = new Map<string, number>();
  for (let serial = 0; serial < ORDERS; serial++) {
    const { bytes, isBad } = orderBody(rng);
    if (bytes.length > BODY_BYTES_MAX) continue;
    const { text, isBad: isBadKey } = idempotencyKey(rng, serial);
    const reply = harness.order(rng.pick(bettors).secret, bytes, text);
    const isPlaced = reply.status === 201 && !reply.headers.has('x-idempotent-replay');
    assert.ok(!(isPlaced && (isBad || isBadKey)), `${bytes.toString()} with key ${text}: ${reply.text}`);
    const after = harness.host.engine.stateDigest(newHasher);
    assert.equal(after === before, !isPlaced, `${bytes.toString()}: ${reply.status} ${reply.text}`);
    before = after;
    const label = /"error":"([a-z_]+)/.exec(reply.text)?.[1] ?? String(reply.status);
    seen.set(label, (seen.get(label) ?? 0) + 1);
  }
  for (const code of ['201', 'invalid_request', 'market_not_found', 'insufficient_balance', 'odds_changed'])
    assert.ok((seen.get(code) ?? 0) >= 5, `${code}: ${seen.get(code)}`);
  context.diagnostic([...seen].map(([label, count]) => `${count} ${label}`).join(', '));
});
