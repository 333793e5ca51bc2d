/** The accounts and keys of a run, and the markets that it bets on. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Market } from '../../client/index.js';
import type { ToteServer } from './server.js';

export interface Bettor {
  readonly accountId: string;
  readonly apiKey: string;
}

const SCOPES = ['markets:read', 'positions:read', 'orders:write'];
const CALLS_AT_ONCE = 32;

/** Dollars on each account: far more than 10,000 open bets of a dollar need. */
export const BALANCE = 1_000_000;

interface Made {
  readonly id: string;
  readonly secret: string;
}

/** Creates VIP accounts with a key each. The 10,000 open bets of an account limit the length of a run. */
export async function makeBettors(server: ToteServer, count: number): Promise<Bettor[]> {
  const bettors: Bettor[] = [];
  const makeOne = async (): Promise<void> => {
    const account = (await server.operate('POST', '/accounts', { tier: 'VIP', balance: BALANCE })) as Made;
    const path = `/accounts/${account.id}/keys`;
    const key = (await server.operate('POST', path, { scopes: SCOPES })) as Made;
    bettors.push({ accountId: account.id, apiKey: key.secret });
  };
  let left = count;
  const makeSome = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await makeOne();
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, makeSome));
  return bettors;
}

export interface MarketState {
  readonly id: string;
  readonly bettingMs: number;
}

const CUTOFF_MS = 20_000;

export async function liveMarkets(server: ToteServer, apiKey: string): Promise<MarketState[]> {
  const markets = (await server.read('/v1/markets', apiKey)) as readonly Market[];
  return markets.flatMap(({ id, currentRound }) =>
    currentRound?.status === 'LIVE' ? [{ id, bettingMs: currentRound.timeToLock - CUTOFF_MS }] : [],
  );
}

const OPENING_TRIES_MAX = 100;
const OPENING_TRY_GAP_MS = 100;

/**
 * Markets whose round takes bets for at least another `neededMs`, so that no closing round refuses an order of the run.
 * Waits for the first prices after a start.
 */
export async function marketsForRun(
  server: ToteServer,
  apiKey: string,
  neededMs: number,
): Promise<MarketState[]> {
  for (let tries = 0; tries < OPENING_TRIES_MAX; tries += 1) {
    const markets = (await liveMarkets(server, apiKey)).filter(({ bettingMs }) => bettingMs > neededMs);
    if (markets.length > 0) return markets;
    await pause(OPENING_TRY_GAP_MS);
  }
  throw new Error(
    `no market takes bets for the next ${Math.ceil(neededMs / 1000)} s: run again a few minutes later, or fewer rounds`,
  );
}

const EQUAL_POLLS = 5;

/** All markets with a LIVE round, once their number no longer grows after a start. */
export async function openMarkets(server: ToteServer, apiKey: string): Promise<MarketState[]> {
  let markets = await marketsForRun(server, apiKey, 0);
  for (let polls = 0; polls < EQUAL_POLLS; polls += 1) {
    await pause(OPENING_TRY_GAP_MS);
    const now = await liveMarkets(server, apiKey);
    if (now.length !== markets.length) polls = 0;
    markets = now;
  }
  return markets;
}
