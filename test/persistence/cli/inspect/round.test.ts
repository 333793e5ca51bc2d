/** `tote round`: rules, prices with their evidence, pools, bets, payouts, the house and the seed, for every way a round ends. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { tote, toteJson, toteText } from '../../../support/processes/cli.js';
import { type Lived, live, VOID_REASON } from '../../support/lived-dir.js';

interface RoundDocument {
  readonly status: string;
  readonly result: string | null;
  readonly voided: boolean;
  readonly voidReason: string | null;
  readonly rules: Readonly<Record<string, unknown>>;
  readonly openPrice: number | null;
  readonly openPriceFrom: { readonly source: string };
  readonly closePrice: number | null;
  readonly closePriceFrom: { readonly source: string } | null;
  readonly poolUp: number;
  readonly poolDown: number;
  readonly bets: readonly {
    readonly id: string;
    readonly result: string | null;
    readonly payout: number | null;
  }[];
  readonly paid: number;
  readonly houseResult: number;
  readonly seedCommitment: string | null;
  readonly seed: string | null;
  readonly seedNotShown: string | null;
  readonly faults: readonly string[];
}

let lived: Lived;
before(async () => {
  lived = await live();
});
after(() => lived.sandbox.remove());

const round = (id: string, ...options: string[]): Promise<RoundDocument> =>
  toteJson<RoundDocument>(['round', id, lived.dataDir, ...options]);
const api = () => lived.traders[0].api;

test('a won round is as the API shows it, with evidence, and its money balances', async () => {
  const { id } = lived.openRounds[0];
  const shown = await round(id);
  const published = await api().round(id);
  for (const name of ['status', 'result', 'poolUp', 'poolDown', 'openPrice', 'closePrice', 'seed'] as const) {
    assert.equal(shown[name], published[name], name);
  }
  assert.equal(shown.seedCommitment, lived.openRounds[0].seedCommitment);
  assert.equal(shown.openPriceFrom.source, 'push');
  assert.equal(shown.closePriceFrom?.source, 'push');
  assert.deepEqual(
    shown.bets.map(({ id: bet, result }) => [bet, result]),
    [
      ['bet_1', 'WIN'],
      ['bet_2', 'LOSS'],
    ],
  );
  const win = must(lived.bets[0], 'bet').bet.potentialPayout;
  assert.equal(shown.paid, win);
  assert.equal(shown.houseResult, Math.round((150.5 - win) * 100) / 100);
  assert.deepEqual(shown.faults, []);
  assert.equal(shown.rules['feePercent'], 3);
  assert.equal(shown.rules['minStake'], 1);
});

test('a drawn round returns stakes, and so does a voided one, with the reason', async () => {
  const drawn = await round(lived.openRounds[1].id);
  assert.equal(drawn.result, 'DRAW');
  assert.deepEqual(
    drawn.bets.map(({ result, payout }) => [result, payout]),
    [['DRAW', 10.25]],
  );
  const voided = await round(lived.openRounds[2].id);
  assert.equal(voided.voided, true);
  assert.equal(voided.result, null);
  assert.equal(voided.voidReason, VOID_REASON);
  assert.equal(voided.closePrice, null);
  assert.equal(voided.houseResult, 0);
  assert.deepEqual(
    voided.bets.map(({ result, payout }) => [result, payout]),
    [
      ['REFUNDED', 20],
      ['REFUNDED', 5],
    ],
  );
});

test('an open round shows its commitment and keeps its seed', async () => {
  const shown = await round(must(lived.bets.at(-1), 'bet').round);
  assert.equal(shown.status, 'LIVE');
  assert.match(shown.seedCommitment ?? '', /^[0-9a-f]{64}$/);
  assert.equal(shown.seed, null);
  assert.match(shown.seedNotShown ?? '', /secret until/);
  assert.deepEqual(shown.bets, [{ ...shown.bets[0], result: null, payout: null }]);
});

test('without the right master secret everything but the seed is shown, with the reason', async () => {
  const { id } = lived.openRounds[0];
  const file = join(lived.dataDir, 'master-secret');
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
    assert.equal(shown.seedCommitment, null);
    assert.equal(shown.result, 'UP');
  } finally {
    renameSync(`${file}.away`, file);
  }
});

test('for people', async () => {
  const text = await toteText(['round', lived.openRounds[2].id, lived.dataDir]);
  assert.match(text, /status +SETTLED, void: the feed was wrong/);
  assert.match(text, /rules +fee 3 %, seeds 1000\.00 USD a side, lock 5 s before the end/);
  assert.match(text, /bet_4 +acc_1 +UP +20\.00 USD .* REFUNDED +20\.00 USD/);
});

test('an unknown round is not found', async () => {
  const unknown = await tote(['round', 'BTC_ONE_MINUTE_17', lived.dataDir]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There was no round BTC_ONE_MINUTE_17/);
  assert.equal((await tote(['round', 'DOGE_ONE_MINUTE_17', lived.dataDir])).code, 2);
});
