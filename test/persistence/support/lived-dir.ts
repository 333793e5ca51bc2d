/**
 * A data directory made by the real server over HTTP: rounds won, drawn and voided, an open bet, deposits and
 * withdrawals, and texts that are dangerous in spreadsheets.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { Bet, OrderRequest, RoundDetail } from '../../support/api/spec.js';

export const NAME = '=HYPERLINK("http://evil","x"), "quoted"\nand a second line';
export const CLIENT_SEED = '@SUM(1+1)';
export const REFERENCE = '-cheque 17';
export const VOID_REASON = 'the feed was wrong';
interface LivedBet {
  readonly bet: Bet;
  readonly owner: string;
  readonly clientSeed: string | null;
  readonly round: string;
}

interface Lived {
  readonly sandbox: Sandbox;
  readonly dataDir: string;
  readonly traders: readonly [Trader, Trader];
  readonly bets: readonly LivedBet[];
  /** While they were open: the rounds that were won, drawn and voided. */
  readonly openRounds: readonly [RoundDetail, RoundDetail, RoundDetail];
}

const MARKET = 'BTC_ONE_MINUTE';

/** Lived before the file's first test; the server runs until behind its last one. */
export function useLived(): () => Lived {
  let lived: Lived | null = null;
  let sandbox: Sandbox | null = null;
  before(async () => {
    sandbox = await Sandbox.start();
    lived = await play(sandbox);
  });
  after(() => sandbox?.remove());
  return () => must(lived, 'a life');
}

async function play(sandbox: Sandbox): Promise<Lived> {
  const scopes = ['markets:read', 'positions:read', 'orders:write'];
  const named = { name: NAME, tier: 'SILVER', balance: 5_000, scopes };
  const traders = [await sandbox.trader(), await sandbox.trader(named)] as const;
  const [first, second] = traders;
  const bets: LivedBet[] = [];
  const place = async (trader: Trader, order: OrderRequest): Promise<void> => {
    const { bet } = await trader.api.place(order);
    const { currentRound } = await trader.api.market(order.marketId);
    const round = must(currentRound, 'round').id;
    bets.push({ bet, owner: trader.accountId, clientSeed: order.clientSeed ?? null, round });
  };
  const current = async (): Promise<RoundDetail> =>
    first.api.round(must((await first.api.market(MARKET)).currentRound, 'round').id);

  await sandbox.openRounds({ BTC: 67_000 });
  const won = await current();
  await place(first, { marketId: MARKET, prediction: 'UP', amount: 100, clientSeed: CLIENT_SEED });
  await place(second, { marketId: MARKET, prediction: 'DOWN', amount: 50.5 });
  await sandbox.closeMinute({ BTC: 67_100 });
  const drawn = await current();
  await place(first, { marketId: MARKET, prediction: 'DOWN', amount: 10.25, clientSeed: '' });
  await transfer(sandbox, first.accountId, 'deposits', 250.25, 'wire-1');
  await transfer(sandbox, first.accountId, 'withdrawals', 100, REFERENCE);
  await sandbox.closeMinute({ BTC: 67_100 });
  const voided = await current();
  await place(first, { marketId: MARKET, prediction: 'UP', amount: 20 });
  await place(second, { marketId: MARKET, prediction: 'UP', amount: 5 });
  const answered = await sandbox.operator.post(`/rounds/${voided.id}/void`, { reason: VOID_REASON });
  assert.equal(answered.status, 200, answered.text);
  await place(first, { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 7.77 });
  await sandbox.operator.patch(`/accounts/${second.accountId}`, { frozen: true });
  await sandbox.advance(1_000);
  return { sandbox, dataDir: sandbox.server.dataDir, traders, bets, openRounds: [won, drawn, voided] };
}

async function transfer(
  sandbox: Sandbox,
  account: string,
  kind: 'deposits' | 'withdrawals',
  amount: number,
  reference: string,
): Promise<void> {
  const answered = await sandbox.operator.post(`/accounts/${account}/${kind}`, { amount, reference });
  assert.equal(answered.status, 201, answered.text);
}
