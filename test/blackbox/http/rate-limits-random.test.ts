/**
 * The rate limits of the real server against the exact reference: random requests of many keys, from many addresses of
 * 127.0.0.0/8, at random times of the manual clock.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { type Arrival, type Fate, RateLimitReference } from '../../support/http/rate-limit-reference.js';
import { rawRequest, sendRaw } from '../../support/http/raw-request.js';
import { Rng } from '../../support/reference/random/rng.js';

/** All different: of two limits that are equally near to exhaustion the smaller one is shown. */
const SETTINGS = { keyRead: 9, keyWrite: 5, account: 20, ip: 15 };
const ACCOUNTS = 12;
const ADDRESSES = 40;
const REQUESTS = 2_500;
const SCOPES = ['markets:read', 'orders:write'];
const seed = Number(process.env['RATE_LIMIT_SEED'] ?? 20_261_121);

let sandbox: Sandbox;
/** By key number from 1; two of each account in turn. */
const secrets: string[] = [''];

before(async () => {
  const { keyRead, keyWrite, account, ip } = SETTINGS;
  const limits = `key_read=${keyRead},key_write=${keyWrite},account=${account},ip=${ip}`;
  sandbox = await Sandbox.start({ env: { TOTE_RATE_LIMITS: limits } });
  for (let n = 0; n < ACCOUNTS; n++) {
    const { accountId, secret } = await sandbox.trader({ scopes: SCOPES });
    secrets.push(secret, (await sandbox.key(accountId, { scopes: SCOPES })).secret);
  }
});
after(() => sandbox.remove());

function arrival(rng: Rng): Arrival {
  return {
    gapMs: rng.chance(0.03) ? rng.pick([1, 999, 1_000, 7_500, 30_000, 59_999, 60_000]) : 0,
    address: rng.chance(0.3) ? rng.integer(1, 3) : rng.integer(1, ADDRESSES),
    // Some keys and addresses are busier than others, so that every limit is met.
    key: rng.chance(0.5) ? rng.integer(1, 4) : rng.integer(1, secrets.length - 1),
    isWrite: rng.chance(0.4),
    fate: rng.weighted<Fate>([
      [9, 'known'],
      [1, 'unknown'],
    ]),
  };
}

test(`${REQUESTS} requests at random times, seed ${seed}`, async (context) => {
  const rng = new Rng(seed);
  const reference = new RateLimitReference(SETTINGS);
  const shown = new Map<string, number>();
  for (let n = 0; n < REQUESTS; n++) {
    const next = arrival(rng);
    if (next.gapMs > 0) await sandbox.advance(next.gapMs);
    const told = reference.take(next, sandbox.nowMs);
    const secret = next.fate === 'unknown' ? `tote_${'x'.repeat(43)}` : must(secrets[next.key], 'secret');
    const answered = await sendRaw(
      sandbox.server.publicUrl,
      next.isWrite
        ? rawRequest('POST', '/v1/orders', [`X-API-Key: ${secret}`, 'Content-Type: application/json'], '{}')
        : rawRequest('GET', '/v1/prices', [`X-API-Key: ${secret}`]),
      `127.${next.address}.0.${next.address}`,
    );
    const header = (name: string): number =>
      Number(answered.headers.get(`X-RateLimit-${name}`) ?? Number.NaN);
    assert.deepEqual(
      {
        admitted: answered.status !== 429,
        limit: header('Limit'),
        remaining: header('Remaining'),
        resetSeconds: header('Reset'),
        retryAfterSeconds: Number(answered.headers.get('Retry-After') ?? 0),
      },
      told,
      `request ${n}: ${JSON.stringify(next)}`,
    );
    const label = `${told.limit}${told.admitted ? '' : ' used up'}`;
    shown.set(label, (shown.get(label) ?? 0) + 1);
  }
  for (const limit of Object.values(SETTINGS))
    assert.ok((shown.get(`${limit} used up`) ?? 0) > 5, `limit ${limit}`);
  context.diagnostic([...shown].map(([label, count]) => `${label}: ${count}`).join(', '));
});
