/**
 * A server whose clock and prices the test moves, with bettors, rounds on a boundary, and the check that no cent is
 * lost.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { AccountResource } from '../../../http/operator/accounts.js';
import type { HouseResource } from '../../../http/operator/house.js';
import { askUntil } from '../ask-until.js';
import { FIXED_SEEDS_FILE } from '../engine/house-rules.js';
import type { Answered, Client } from '../http/client.js';
import { type Bettor, Server, type ServerOptions } from '../processes/server.js';
import { ApiClient } from './api-client.js';
import { FRAMES } from './spec.js';
import { cents } from './spec-arithmetic.js';

export type Trader = Omit<Bettor, 'api'> & { readonly api: ApiClient };

/** Every cent that ever came in is in the house, an account, a stake or an open seed. */
export async function checkConservation(operator: Client): Promise<void> {
  const { data: house } = await operator.get<HouseResource>('/house');
  const accounts = await operator.get<AccountResource[]>('/accounts?limit=1000');
  const balances = accounts.data.reduce((sum, account) => sum + cents(account.balance), 0n);
  assert.equal(balances, cents(house.accounts), 'the balances add up to what the house says of them');
  const { balance, accounts: ofAccounts, openStakes, openSeeds, reservedStakes } = house;
  const parts = [balance, ofAccounts, openStakes, openSeeds, reservedStakes];
  const inside = parts.reduce((sum, part) => sum + cents(part), 0n);
  assert.equal(inside, cents(house.deposits) - cents(house.withdrawals), JSON.stringify(house));
}

/** A server that stops ends a run of its clock early. */
export class ClockStopped extends Error {}

const LONGEST_ROUND_MS = must(FRAMES['ONE_DAY'], 'the longest time frame').lengthMs + 60_000;

const SHARED_ENV = { TOTE_GATEWAYS: process.env['TOTE_TEST_GATEWAYS'] ?? '0' };
let sharedServer: Promise<Server> | null = null;

/** The server does not keep this process from ending. */
function share(server: Server): Server {
  server.run.unref();
  return server;
}

export class Sandbox {
  boundaryMs = 0;

  private constructor(
    readonly server: Server,
    public nowMs: number,
  ) {}

  static async start(options: ServerOptions = {}): Promise<Sandbox> {
    const { env, dataDir } = options;
    // A test about quotes gives rules of its own, or `none`.
    const isNew = dataDir === undefined || !existsSync(join(dataDir, 'journal'));
    const rules = isNew ? { TOTE_RULES_FILE: FIXED_SEEDS_FILE } : {};
    const server = await Server.start({ ...options, env: { ...rules, ...env } });
    return new Sandbox(server, await server.advance(0));
  }

  static async startFor(t: TestContext, options?: ServerOptions): Promise<Sandbox> {
    const sandbox = await Sandbox.start(options);
    t.after(() => sandbox.remove());
    return sandbox;
  }

  /**
   * Other files of this process use it, too: for tests about accounts and rounds of their own. Every earlier round
   * has ended. The engine's thread serves its public port, as on most machines; servers that files start have
   * gateways.
   */
  static async shared(): Promise<Sandbox> {
    // A file may have stopped it for good.
    if (!(await sharedServer)?.run.isRunning)
      sharedServer = Sandbox.start({ env: SHARED_ENV }).then(({ server }) => share(server));
    const server = must(await sharedServer, 'the shared server');
    return new Sandbox(server, await server.advance(LONGEST_ROUND_MS));
  }

  async restart(how: 'stop' | 'kill', env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
    const ending = await this.server[how]();
    if (how === 'stop') assert.equal(ending.code, 0, ending.stderr);
    const isShared = this.server === (await sharedServer);
    const next = await Sandbox.start({ dataDir: this.server.dataDir, env });
    if (isShared) sharedServer = Promise.resolve(share(next.server));
    return next;
  }

  get operator(): Server['operator'] {
    return this.server.operator;
  }

  /** Asks the operator API until the archive has it. */
  async read<T>(path: string): Promise<Answered<T>> {
    const answered = await askUntil(
      () => this.operator.get<T>(path),
      ({ error }) => !error.startsWith('archive_behind'),
    );
    assert.equal(answered.status, 200, answered.text);
    return answered;
  }

  async advance(milliseconds: number): Promise<void> {
    const expected = this.nowMs + milliseconds;
    this.nowMs = await this.server.advance(milliseconds);
    if (this.nowMs < expected) throw new ClockStopped(`at ${this.nowMs} instead of ${expected}`);
    assert.equal(this.nowMs, expected, 'the manual clock moves by exactly what it was told');
  }
  advanceTo(timeMs: number): Promise<void> {
    return this.advance(timeMs - this.nowMs);
  }
  toBoundary(frame: string): Promise<void> {
    const lengthMs = FRAMES[frame]?.lengthMs ?? Number.NaN;
    return this.advanceTo(Math.ceil((this.nowMs + 1) / lengthMs) * lengthMs);
  }
  push(prices: Readonly<Record<string, number>>): Promise<void> {
    return this.server.push(prices);
  }
  /**
   * Rounds of these assets become LIVE. Those of `frame` and shorter ones begin at `boundaryMs`; longer ones open
   * late, where enough of their time is left. A tick after the boundary makes the one on it final, so a millisecond
   * has passed.
   */
  async openRounds(prices: Readonly<Record<string, number>>, frame = 'ONE_MINUTE'): Promise<void> {
    await this.toBoundary(frame);
    this.boundaryMs = this.nowMs;
    await this.push(prices);
    await this.advance(1);
    await this.push(prices);
  }
  toOffset(offsetMs: number): Promise<void> {
    return this.advanceTo(this.boundaryMs + offsetMs);
  }
  /** Ends the one-minute round that began last: prices 1 s before its end, then its end and the 2 s of grace. */
  async closeMinute(prices: Readonly<Record<string, number>>): Promise<void> {
    const endMs = Math.ceil((this.nowMs + 1) / 60_000) * 60_000;
    await this.advanceTo(endMs - 1_000);
    await this.push(prices);
    await this.advanceTo(endMs + 2_000);
  }

  async trader(options?: Parameters<Server['createBettor']>[0]): Promise<Trader> {
    const made = await this.server.createBettor(options);
    return { ...made, api: this.api(made.secret) };
  }
  api(secret: string | null): ApiClient {
    return new ApiClient(this.server.publicUrl, secret);
  }

  async account(id: string): Promise<AccountResource> {
    return (await this.operator.get<AccountResource>(`/accounts/${id}`)).data;
  }
  async balance(id: string): Promise<number> {
    return (await this.account(id)).balance;
  }
  async key(
    accountId: string,
    options: { scopes: readonly string[]; expiresAt?: string },
  ): Promise<{ id: string; secret: string }> {
    const made = await this.operator.post<{ id: string; secret: string }>(
      `/accounts/${accountId}/keys`,
      options,
    );
    assert.equal(made.status, 201, made.text);
    return made.data;
  }

  async house(): Promise<HouseResource> {
    return (await this.operator.get<HouseResource>('/house')).data;
  }
  checkConservation(): Promise<void> {
    return checkConservation(this.operator);
  }

  remove(): Promise<void> {
    return this.server.remove();
  }
}
