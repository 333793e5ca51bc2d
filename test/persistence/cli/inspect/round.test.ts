/** `tote round`: rules, prices with their evidence, pools, bets, payouts, the house and the seed, for every way a round ends. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { tote, toteErrors, toteJson, toteText } from '../../../support/processes/cli.js';
import { useLived, VOID_REASON } from '../../support/lived-dir.js';

interface RoundDocument {
  readonly status: string;
  readonly result: string | null;
  readonly voidReason: string | null;
  readonly feeBps: number;
  readonly minStakeCents: number;
  readonly openPrice: number | null;
  readonly openPriceFrom: { readonly source: string };
  readonly closePrice: number | null;
  readonly closePriceFrom: { readonly source: string } | null;
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  readonly bets: readonly {
    readonly bet: string;
    readonly result: string | null;
    readonly paidCents: number | null;
  }[];
  readonly paidCents: number;
  readonly houseResultCents: number | null;
  readonly seedCommitment: string | null;
  readonly seed: string | null;
  readonly seedNotShown: string | null;
  readonly faults: readonly string[];
}

const centsOf = (dollars: number): number => Math.round(dollars * 100);
const lived = useLived();
const round = (id: string, ...options: string[]): Promise<RoundDocument> =>
  toteJson<RoundDocument>(['round', id, lived().dataDir, ...options]);
const api = () => lived().traders[0].api;

test('a won round is as the API shows it, with evidence, and its money balances', async () => {
  const { id } = lived().openRounds[0];
  const shown = await round(id);
  const published = await api().round(id);
  for (const name of ['status', 'result', 'openPrice', 'closePrice', 'seed'] as const)
    assert.equal(shown[name], published[name], name);
  assert.equal(shown.poolUpCents, centsOf(published.poolUp));
  assert.equal(shown.poolDownCents, centsOf(published.poolDown));
  assert.equal(shown.seedCommitment, lived().openRounds[0].seedCommitment);
  assert.deepEqual([shown.openPriceFrom.source, shown.closePriceFrom?.source], ['push', 'push']);
  const ends = shown.bets.map(({ bet, result }) => `${bet} ${result}`);
  assert.deepEqual(ends, ['bet_1 WIN', 'bet_2 LOSS']);
  const winCents = centsOf(must(lived().bets[0], 'bet').bet.potentialPayout);
  assert.deepEqual([shown.paidCents, shown.houseResultCents], [winCents, 15_050 - winCents]);
  assert.deepEqual(shown.faults, []);
  assert.deepEqual([shown.feeBps, shown.minStakeCents], [300, 100]);
});

test('a drawn round returns stakes, and so does a voided one, with the reason', async () => {
  const drawn = await round(lived().openRounds[1].id);
  assert.equal(drawn.result, 'DRAW');
  const shown = drawn.bets.map(({ result, paidCents }) => [result, paidCents]);
  assert.deepEqual(shown, [['DRAW', 1_025]]);
  const voided = await round(lived().openRounds[2].id);
  assert.deepEqual([voided.result, voided.voidReason], ['VOID', VOID_REASON]);
  assert.deepEqual([voided.closePrice, voided.houseResultCents], [null, 0]);
  const paid = voided.bets.map(({ result, paidCents }) => `${result} ${paidCents}`);
  assert.deepEqual(paid, ['REFUNDED 2000', 'REFUNDED 500']);
});

test('an open round shows its commitment and keeps its seed', async () => {
  const shown = await round(must(lived().bets.at(-1), 'bet').round);
  assert.deepEqual([shown.status, shown.houseResultCents], ['LIVE', null]);
  assert.match(shown.seedCommitment ?? '', /^[0-9a-f]{64}$/);
  assert.equal(shown.seed, null);
  assert.match(shown.seedNotShown ?? '', /secret until/);
  assert.deepEqual(shown.bets, [{ ...shown.bets[0], result: null, paidCents: null }]);
});

test('without the right master secret everything but the seed is shown, with the reason', async () => {
  const { id } = lived().openRounds[0];
  const file = join(lived().dataDir, 'master-secret');
  const secret = readFileSync(file);
  try {
    renameSync(file, `${file}.away`);
    assert.match((await round(id)).seedNotShown ?? '', /is missing/);
    writeFileSync(file, secret, { mode: 0o644 });
    chmodSync(file, 0o644);
    assert.match((await round(id)).seedNotShown ?? '', /open to other users/);
    writeFileSync(file, Buffer.alloc(32, 7));
    chmodSync(file, 0o600);
    const shown = await round(id);
    assert.match(shown.seedNotShown ?? '', /is not the secret/);
    assert.deepEqual([shown.seedCommitment, shown.result], [null, 'UP']);
  } finally {
    renameSync(`${file}.away`, file);
  }
});

test('for people', async () => {
  const text = await toteText(['round', lived().openRounds[2].id, lived().dataDir]);
  assert.match(text, /^void reason +the feed was wrong$/m);
  assert.match(text, /^fee +3\.00 %$/m);
  assert.match(text, /^seed per side +1,000\.00 USD$/m);
  assert.match(text, /^bet_4 +acc_1 .* UP +20\.00 USD .* REFUNDED +20\.00 USD/m);
});

test('an unknown round is not found', async () => {
  const unknown = await toteErrors(['round', 'BTC_ONE_MINUTE_17', lived().dataDir], 1);
  assert.match(unknown, /There was no round BTC_ONE_MINUTE_17/);
  assert.equal((await tote(['round', 'DOGE_ONE_MINUTE_17', lived().dataDir])).code, 2);
});
