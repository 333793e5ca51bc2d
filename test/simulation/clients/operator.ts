/**
 * Operators: they create accounts and keys, move money with reused references, change tiers, freeze, void, pause and
 * push prices, and sometimes request things that do not exist.
 */
import { ASSETS, marketOf, SCOPES, type Scope, TIERS, timeFrameMs } from '../../../engine/model/domain.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { ClientRequest, OnReply, Reply } from '../machine/network.js';
import { OPERATOR_TOKEN } from '../machine/server.js';
import { type ClientWorld, type KnownKey, keepDoing, type Purse, soonMs } from './client-world.js';
import { somebodysMarket } from './orders.js';

const BASE = '/operator/v1';
/** The first asset's; the feed's walks stay around their bases. */
export const BASE_PRICE = 100;
const RETRY_MS = 1_500;

export class Operator {
  #references = 0;

  constructor(
    private readonly world: ClientWorld,
    private readonly rng: Rng,
  ) {}

  start(): void {
    keepDoing(this.world, this.rng, this.world.config.operatorEveryMs, () => {
      if (!this.world.isCalm) this.act();
    });
  }

  /** Its reference is sometimes sent once more, perhaps with another name. */
  createAccount(tier: string, balance: number): void {
    const body = { name: 'a bettor', tier, balance, reference: `a${++this.#references}` };
    this.#open(tier, body);
    if (this.rng.chance(0.7)) return;
    const again = this.rng.chance(0.6) ? body : { ...body, name: 'another' };
    this.#later(() => this.#open(tier, again));
  }

  #open(tier: string, body: object): void {
    this.#send('POST', '/accounts', body, (reply) => {
      const id = idOf(reply);
      if (id === '' || this.world.purses.some(({ account }) => account === id)) return;
      const purse: Purse = { account: id, keys: [] };
      this.world.purses.push(purse);
      this.createKey(purse, tier === 'BRONZE' ? SCOPES.slice(0, 2) : SCOPES);
    });
  }

  createKey(purse: Purse, scopes: readonly Scope[], expiresAt: string | null = null): void {
    this.#send('POST', `/accounts/${purse.account}/keys`, { scopes, expiresAt }, (reply) => {
      if (reply?.status !== 201) return;
      const { data } = JSON.parse(reply.text) as { data: { id: string; secret: string } };
      const key: KnownKey = { ...data, scopes, isOff: false };
      purse.keys.push(key);
      if (expiresAt !== null)
        this.world.scheduler.at(Math.max(Date.parse(expiresAt), this.world.scheduler.nowMs), () => {
          key.isOff = true;
        });
      // A long list of dead keys would leave bettors with nothing else to try.
      if (purse.keys.length > 8) purse.keys.shift();
    });
  }

  restore(): void {
    this.#send('PUT', '/trading', { enabled: true });
    this.#send('POST', '/house/deposits', { amount: 1_000_000, reference: `calm-${++this.#references}` });
    for (const { marketId } of this.world.rules().markets)
      this.#send('PATCH', `/markets/${marketId}`, { suspended: false });
  }

  act(): void {
    const { rng } = this;
    const purse = this.world.purses.length === 0 ? null : rng.pick(this.world.purses);
    rng.weighted<() => void>([
      [8, () => this.#moveMoney(purse)],
      [3, () => this.#changeKeys(purse)],
      [2, () => this.#changeAccount(purse)],
      [2, () => this.#switch()],
      [2, () => this.#void()],
      [2, () => this.#pushPrices()],
      [2, () => this.#look(purse)],
      [1, () => this.#err()],
      [0.3, () => this.createAccount(rng.pick(TIERS), rng.integer(0, 500))],
    ])();
  }

  /** References come from a small pool for each account, so most of them have been used before. */
  #moveMoney(purse: Purse | null): void {
    const { rng } = this;
    const reference = rng.chance(0.5) ? `r${rng.integer(1, 6)}` : `n${++this.#references}`;
    const amount = rng.pick([1, 5, 100, 2_500.5, 20_000]);
    if (rng.chance(0.1)) this.#send('POST', '/house/deposits', { amount: amount * 100, reference });
    else
      this.#send(
        'POST',
        `/accounts/${rng.chance(0.03) ? 'acc_999' : (purse?.account ?? 'acc_1')}/${rng.pick(['deposits', 'deposits', 'withdrawals'])}`,
        { amount, reference },
      );
  }

  #changeKeys(purse: Purse | null): void {
    if (purse === null) return;
    const { rng } = this;
    const scopes = rng.pick([SCOPES, SCOPES, ['markets:read'], ['positions:read', 'orders:write']] as const);
    const expiresMs = this.world.scheduler.nowMs + rng.pick([-1_000, 30_000, 60_000]);
    const key = purse.keys.length === 0 ? null : rng.pick(purse.keys);
    rng.weighted<() => void>([
      [3, () => this.createKey(purse, scopes)],
      [1, () => this.createKey(purse, SCOPES, new Date(expiresMs).toISOString())],
      [2, () => this.#enable(key, false)],
      [3, () => this.#enable(key, true)],
      [0.3, () => this.#send('PATCH', '/keys/key_99999', { enabled: true })],
    ])();
  }

  /** A key that is switched off is mostly replaced, or switched on again. */
  #enable(key: KnownKey | null, enabled: boolean): void {
    if (key === null) return;
    this.#send('PATCH', `/keys/${key.id}`, { enabled }, (reply) => {
      if (reply?.status === 200) key.isOff = !enabled;
    });
    if (!enabled) this.#later(() => this.#enable(key, true));
  }

  #changeAccount(purse: Purse | null): void {
    if (purse === null) return;
    const { rng } = this;
    if (rng.chance(0.5)) {
      this.#send('PATCH', `/accounts/${purse.account}`, { tier: rng.pick(TIERS) });
      this.#later(() =>
        this.#insist('PATCH', `/accounts/${purse.account}`, { tier: rng.pick(TIERS.slice(1)) }),
      );
      return;
    }
    this.#send('PATCH', `/accounts/${purse.account}`, { frozen: true });
    this.#later(() => this.#insist('PATCH', `/accounts/${purse.account}`, { frozen: false }));
  }

  #switch(): void {
    if (this.rng.chance(0.15)) {
      this.#send('PUT', '/trading', { enabled: false, reason: 'an exercise' });
      this.#later(() => this.#insist('PUT', '/trading', { enabled: true }));
      return;
    }
    const market = this.rng.chance(0.05) ? 'NO_MARKET' : somebodysMarket(this.world, this.rng).marketId;
    const path = `/markets/${market}`;
    this.#send('PATCH', path, { suspended: true }, (reply) => {
      const text = reply?.status === 200 ? reply.text : '{}';
      const { data } = JSON.parse(text) as { data?: { suspendedSequence: number } };
      const seen = data && { suspendedSequence: data.suspendedSequence };
      const resume = { suspended: false, seen };
      this.#later(() =>
        this.#insist('PATCH', path, resume, ({ status }) => {
          if (status === 409) this.#insist('PATCH', path, { suspended: false });
        }),
      );
    });
  }

  #void(): void {
    const { rng } = this;
    const { marketId } = somebodysMarket(this.world, rng);
    const roundNumber =
      Math.floor(this.world.scheduler.nowMs / timeFrameMs(marketOf(marketId))) - rng.pick([0, 0, 1, 2, 50]);
    this.#send('POST', `/rounds/${marketId}_${roundNumber}/void`, { reason: 'an exercise' });
  }

  #pushPrices(): void {
    const { rng } = this;
    const crypto = ASSETS[rng.pick(this.world.config.assets)] ?? 'BTC';
    const { nowMs } = this.world.scheduler;
    const timestamp = new Date(nowMs - rng.integer(-2_000, 4_000)).toISOString();
    this.#send('POST', '/prices', [
      {
        crypto,
        price: rng.pick([BASE_PRICE * (ASSETS.indexOf(crypto) + 1), 1e-9]),
        ...(rng.chance(0.7) && { timestamp }),
      },
    ]);
  }

  #look(purse: Purse | null): void {
    const account = purse?.account ?? 'acc_1';
    const ofAccount = [`/accounts/${account}`, `/accounts/${account}/keys`];
    this.#send('GET', this.rng.pick(['/accounts', ...ofAccount, '/house', '/accounts?limit=2']), null);
  }

  #err(): void {
    const { rng } = this;
    const authorization = `Bearer ${OPERATOR_TOKEN}`;
    const [path, request] = rng.pick<readonly [path: string, request: Partial<ClientRequest>]>([
      ['/house', { authorization: 'Bearer no' }],
      ['', { path: '/readyz' }],
      ['/nowhere', { authorization }],
      ['/house', { method: 'PUT', authorization }],
      ['/clock', { method: 'POST', authorization, body: '{"advanceMs":5}' }],
      ['/accounts', { method: 'POST', authorization, body: '{"tier":"TIN"}' }],
      ['/accounts', { method: 'POST', authorization, body: 'x', contentType: 'text/plain' }],
    ]);
    this.world.network.send({ port: 'operator', method: 'GET', path: BASE + path, ...request }, () => {});
  }

  #insist(method: string, path: string, body: unknown, onReply: (reply: Reply) => void = () => {}): void {
    this.#send(method, path, body, (reply) => {
      if (reply !== null) onReply(reply);
      else this.world.scheduler.after(RETRY_MS, () => this.#insist(method, path, body, onReply));
    });
  }

  #later(run: () => void): void {
    this.world.scheduler.after(soonMs(this.rng, 4_000), run);
  }

  #send(method: string, path: string, body: unknown, onReply: OnReply = () => {}): void {
    const [bare = '', query = ''] = path.split('?');
    const request: ClientRequest = {
      port: 'operator',
      method,
      path: BASE + bare,
      query,
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      ...(body !== null && { body: JSON.stringify(body) }),
    };
    this.world.network.send(request, onReply);
  }
}

function idOf(reply: Reply | null): string {
  if (reply?.status !== 201) return '';
  const { data } = JSON.parse(reply.text) as { data: { id: string } };
  return data.id;
}
