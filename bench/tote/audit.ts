/**
 * Audits the server after the load: its ledger must contain every acknowledged order and no other. It is compared by
 * account (each balance fell by the account's stakes), by round, and in the total of all money.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { centsOfDollars } from '../../engine/base/money.js';
import type { ClientResult, RequestTemplate } from '../client/job.js';
import { BALANCE, type Bettor, liveMarkets, type MarketState } from './bettors.js';
import type { ToteServer } from './server.js';

const PAGE = 1_000;
const SHOWN_TRIES_MAX = 20;
const SHOWN_TRY_GAP_MS = 50;

/** What was asked for, and by which bettor (an index). */
interface Requested {
  readonly templates: readonly RequestTemplate[];
  readonly owners: readonly number[];
}

/** The orders acknowledged to the client, by account. */
export class Acknowledged {
  orders = 0;
  stakeCents = 0;
  distinctBets = 0;
  repeatedBets = 0;
  readonly #stakeCentsByBettor = new Map<Bettor, number>();

  /** Adds an order placed outside of a run. */
  addOne(bettor: Bettor, stakeCents: number): void {
    this.distinctBets += 1;
    this.#add(bettor, 1, stakeCents);
  }

  add(
    { acknowledged, numbers }: Pick<ClientResult, 'acknowledged' | 'numbers'>,
    { templates, owners }: Requested,
    bettors: readonly Bettor[],
  ): void {
    this.distinctBets += numbers.distinct;
    this.repeatedBets += numbers.repeated;
    acknowledged.forEach((count, at) => {
      const { stakeCents } = must(templates[at], 'template');
      const bettor = must(bettors[must(owners[at], 'owner')], 'bettor');
      // Reads, refused orders and replays place nothing.
      if (stakeCents > 0) this.#add(bettor, count, count * stakeCents);
    });
  }

  #add(bettor: Bettor, orders: number, stakeCents: number): void {
    this.orders += orders;
    this.stakeCents += stakeCents;
    this.#stakeCentsByBettor.set(bettor, this.stakeCentsOf(bettor) + stakeCents);
  }

  stakeCentsOf(bettor: Bettor): number {
    return this.#stakeCentsByBettor.get(bettor) ?? 0;
  }
}

export interface Audit {
  readonly orders: number;
  readonly accounts: number;
}

export interface Audited {
  readonly bettors: readonly Bettor[];
  /** As they were before the first order. */
  readonly markets: readonly MarketState[];
  readonly acknowledged: Acknowledged;
}

/** Throws if the server's ledger differs from what it acknowledged. */
export async function audit(server: ToteServer, { bettors, markets, acknowledged }: Audited): Promise<Audit> {
  const { orders, stakeCents, distinctBets, repeatedBets } = acknowledged;
  expect('different bets in the answers', distinctBets, orders);
  expect('bets that two answers name', repeatedBets, 0);
  const balances = await readBalances(server);
  for (const bettor of bettors) {
    const lostCents = cents(BALANCE) - must(balances.get(bettor.accountId), bettor.accountId);
    expect(`stakes that ${bettor.accountId} paid, in cents`, lostCents, acknowledged.stakeCentsOf(bettor));
  }
  const found = await countedByRound(server, bettors, markets, orders);
  if (found !== null) {
    expect('bets in the rounds', found.bets, orders);
    expect('stakes in the rounds, in cents', found.stakeCents, stakeCents);
  }
  await expectConservation(server);
  return { orders, accounts: bettors.length };
}

interface Counted {
  readonly bets: number;
  readonly stakeCents: number;
}

/**
 * Bets of the rounds since `before`, or null if one of them has ended. Public market data may be slightly old, so
 * they are read again until they show `orders`, up to a limit.
 */
async function countedByRound(
  server: ToteServer,
  bettors: readonly Bettor[],
  before: readonly MarketState[],
  orders: number,
): Promise<Counted | null> {
  const { apiKey } = must(bettors[0], 'bettor');
  for (let tries = 1; ; tries += 1) {
    const after = await liveMarkets(server, apiKey);
    const pairs = before.flatMap((market) => {
      const same = after.find(({ roundId }) => roundId === market.roundId);
      return same === undefined ? [] : [{ market, same }];
    });
    if (pairs.length < before.length) return null;
    const sum = (pick: (state: MarketState) => number): number =>
      pairs.reduce((total, { market, same }) => total + pick(same) - pick(market), 0);
    const counted = {
      bets: sum(({ totalBets }) => totalBets),
      stakeCents: sum(({ totalVolume }) => cents(totalVolume)),
    };
    if (counted.bets === orders || tries === SHOWN_TRIES_MAX) return counted;
    await pause(SHOWN_TRY_GAP_MS);
  }
}

/** Throws unless money is conserved. Returns the stakes of open rounds, in cents. */
export async function expectConservation(server: ToteServer): Promise<number> {
  const house = (await server.operate('GET', '/house')) as Readonly<
    Record<'balance' | 'accounts' | 'openStakes' | 'openSeeds' | 'deposits' | 'withdrawals', number>
  >;
  const held =
    cents(house.balance) + cents(house.accounts) + cents(house.openStakes) + cents(house.openSeeds);
  expect('all money, in cents', held, cents(house.deposits) - cents(house.withdrawals));
  return cents(house.openStakes);
}

export function expect(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`the audit failed: ${what}: ${found}, expected ${expected}`);
}

const cents = (dollars: number): number => must(centsOfDollars(dollars), 'whole cents');

async function readBalances(server: ToteServer): Promise<Map<string, number>> {
  const balances = new Map<string, number>();
  let after = '';
  for (;;) {
    const page = (await server.operate('GET', `/accounts?limit=${PAGE}${after}`)) as readonly {
      readonly id: string;
      readonly balance: number;
    }[];
    for (const { id, balance } of page) balances.set(id, cents(balance));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return balances;
    after = `&after=${last.id}`;
  }
}
