/** A short run of the fuzzer with a fixed seed; `npm run fuzz` makes the long ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.js';

/** The requests reach their targets, or the run proves nothing. */
const REACHED = [
  ...['201', '201 again', '400 invalid_request', '401 invalid_api_key', '403 insufficient_scope'],
  ...['404 not_found', '405 method_not_allowed', '413 body_too_large', '415 unsupported_media_type'],
  ...['round 200', 'parser 400', 'closed', 'operator 200', 'operator 400 invalid_request'],
  ...['operator 400 price_refused', 'operator 400 insufficient_balance', 'operator 404 account_not_found'],
  ...['operator 401 invalid_operator_token', 'operator 405 method_not_allowed'],
  ...['operator 413 body_too_large', 'operator 415 unsupported_media_type'],
];
const REGRESSIONS: readonly number[] = [];

test('the server keeps its promises whatever it is sent', async (context) => {
  for (const seed of [1, ...REGRESSIONS]) {
    const { labels, placed } = await fuzz({ seed, requests: 12_000, lanes: 16, rawShare: 0.15 });
    context.diagnostic(`seed ${seed}: ${placed} orders placed, ${labels.size} kinds of answer`);
    for (const label of REACHED) assert.ok((labels.get(label) ?? 0) >= 5, `${label}: ${labels.get(label)}`);
  }
});
