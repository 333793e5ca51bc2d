/**
 * Audits the server after the load: its ledger must contain every acknowledged order and no other. It is compared by
 * account (each balance fell by the account's stakes) and in the total of all money.
 */
import { must } from '../../engine/base/assert.js';
import { centsOfDollars } from '../../engine/base/money.js';
import type { ClientResult, RequestTemplate } from '../client/job.js';
import { BALANCE, type Bettor } from './bettors.js';
import type { ToteServer } from './server.js';

/** `owners` are indices of bettors. */
interface Requested {
  readonly templates: readonly RequestTemplate[];
  readonly owners: readonly number[];
}

export class Acknowledged {
  orders = 0;
  stakeCents = 0;
  distinctBets = 0;
  repeatedBets = 0;
  readonly #stakeCentsByBettor = new Map<Bettor, number>();

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

export interface Audited {
  readonly bettors: readonly Bettor[];
  readonly acknowledged: Acknowledged;
}

export async function audit(server: ToteServer, { bettors, acknowledged }: Audited) {
  const { orders, distinctBets, repeatedBets } = acknowledged;
  expect('different bets in the answers', distinctBets, orders);
  expect('bets that two answers name', repeatedBets, 0);
  const balances = await readBalances(server);
  for (const bettor of bettors) {
    const lostCents = cents(BALANCE) - must(balances.get(bettor.accountId), bettor.accountId);
    expect(`stakes that ${bettor.accountId} paid, in cents`, lostCents, acknowledged.stakeCentsOf(bettor));
  }
  await expectConservation(server);
  return { orders, accounts: bettors.length };
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

/** `wrk` leaves the last request of each connection unread, in its warm-up and in its run. */
const UNREAD_MAX = 512;
const STAKE_CENTS = 100;

/** Orders told by their number alone. They begin with the sample of a book. */
export class CountedOrders {
  #unreadMax = 0;

  constructor(private count = 1) {}

  /** So many were answered, and up to `unreadMax` more may have been placed. */
  add(count: number, unreadMax: number): void {
    this.count += count;
    this.#unreadMax += unreadMax;
  }

  addRun({ count, client }: { readonly count: number; readonly client: object | null }): void {
    this.add(count, client === null ? UNREAD_MAX : 0);
  }

  get answered(): number {
    return this.count;
  }

  expect(what: string, found: number): void {
    const unread = found - this.count;
    if (unread < 0 || unread > this.#unreadMax) expect(what, found, this.count);
  }

  /** Throws unless the open bets are the orders that were answered, and money is conserved. Returns their number. */
  async audit(server: ToteServer): Promise<number> {
    const open = (await expectConservation(server)) / STAKE_CENTS;
    this.expect('open bets', open);
    return open;
  }
}

export function expect(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`the audit failed: ${what}: ${found}, expected ${expected}`);
}

const cents = (dollars: number): number => must(centsOfDollars(dollars), 'whole cents');

async function readBalances(server: ToteServer): Promise<Map<string, number>> {
  const accounts = (await server.operateList('/accounts')) as {
    readonly id: string;
    readonly balance: number;
  }[];
  return new Map(accounts.map(({ id, balance }) => [id, cents(balance)]));
}
