/**
 * The public API in memory: the real handlers, engine and sequencer on a clock, a disk and a network that the test
 * controls.
 */
import assert from 'node:assert/strict';
import type { RateLimitSettings } from '../../../config/rate-limits.js';
import { keyDigest } from '../../../crypto/api-keys.js';
import { must } from '../../../engine/base/assert.js';
import type { ArchiveReads } from '../../../engine/model/archive-reads.js';
import type { SubmittedCommand } from '../../../engine/model/commands.js';
import { NO_FAIR_SHARE, SCOPES, type Scope, scopesMask, TIERS } from '../../../engine/model/domain.js';
import { ERROR_STATUS, type ErrorCode } from '../../../engine/model/errors.js';
import type { Accepted } from '../../../engine/model/events.js';
import type { HttpHandler, HttpRequest } from '../../../engine/model/ports.js';
import { defaultRules, RULES_VERSION, type Rules } from '../../../engine/model/rules.js';
import { MARKET_AGE_MS_MAX } from '../../../http/api/market-view.js';
import { PublicApi } from '../../../http/api/public-api.js';
import type { PublicApiParts } from '../../../http/api/services.js';
import { RateLimits } from '../../../http/limits/rate-limits.js';
import { shareLimits } from '../../../http/limits/shared-limits.js';
import { loadDocs } from '../../../http/pages/docs-page.js';
import { archiveOfJournal } from '../../support/engine/archive-of-journal.js';
import { fixedHouse, withHouse } from '../../support/engine/house-rules.js';
import { rootMaker, TEST_SIGNING, testSignLater } from '../../support/engine/signing.js';
import { type NearGateways, type NearParts, nearGateways } from '../../support/host/gateway.js';
import { type HostOptions, TestClock, TestHost } from '../../support/host/host.js';
import { FEW_LIMITS } from '../../support/http/limits-capacity.js';
import { headerList, plainRequest } from '../../support/http/plain-request.js';

export const MASTER_SECRET = Buffer.alloc(32, 7);
export const MINUTE_MS = 60_000;
const OPEN_PRICE = 100;
const SETTLE_ALL = 1_000_000;

type Untimed<C> = C extends SubmittedCommand ? Omit<C, 'timeMs'> : never;

export interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface SendOptions extends Partial<Omit<HttpRequest, 'method' | 'path' | 'apiKey' | 'body'>> {
  readonly key?: string;
  readonly body?: unknown;
}

interface HarnessOptions extends HostOptions {
  readonly limits?: RateLimitSettings | null;
  /** By default one that has everything durable. */
  readonly archive?: ArchiveReads;
}

interface BettorOptions {
  readonly tier?: (typeof TIERS)[number];
  readonly balanceCents?: number;
  readonly scopes?: readonly Scope[];
  readonly expiresAtMs?: number;
}

export interface Bettor {
  readonly account: number;
  readonly key: number;
  readonly secret: string;
}

export class Harness {
  readonly clock = new TestClock();
  readonly host: TestHost;
  readonly handler: HttpHandler;
  /** For `currentPrice`, by asset. */
  readonly ticks: (number | null)[] = [];
  /** In every market, in millionths. */
  fairShareE6 = NO_FAIR_SHARE;
  #secrets = 0;
  /** While the engine's thread takes nothing from the rings: its waiting turns. */
  #stalled: (() => void)[] | null = null;

  readonly #archive: ArchiveReads;

  constructor({ limits = null, archive, ...options }: HarnessOptions = {}) {
    this.#archive = archive ?? archiveOfJournal(() => this.host.journal.durable);
    this.host = new TestHost(this.clock, { clockGuard: null, ...options });
    this.handler = this.newApi(limits);
  }

  /** One gateway, and the memory that it shares with the engine. */
  gateway(schedule = (run: () => void) => run()): NearGateways & { readonly gateway: NearParts } {
    const near = nearGateways({
      sequencer: this.host.sequencer,
      nowMs: () => this.clock.wallMs,
      latestTick: (asset) => {
        const price = this.ticks[asset] ?? null;
        return price === null ? null : { price, timeMs: this.clock.wallMs };
      },
      fairShare: () => this.fairShareE6,
      schedule,
    });
    return { ...near, gateway: must(near.parts[0], 'a gateway') };
  }

  apiParts(gateway: NearParts, limits: RateLimitSettings | null): PublicApiParts {
    return {
      ...gateway,
      clock: this.clock,
      limits: new RateLimits(shareLimits(limits, FEW_LIMITS)),
      limitsNowMs: () => this.clock.monoMs,
      masterSecret: MASTER_SECRET,
      signing: TEST_SIGNING,
      signLater: testSignLater,
      marketAgeMsMax: MARKET_AGE_MS_MAX,
      archive: this.#archive,
      docs: loadDocs(),
      requestIdPrefix: 'test',
    };
  }

  newApi(limits: RateLimitSettings | null = null): HttpHandler {
    const near = this.gateway((run) => {
      if (this.#stalled === null) run();
      else this.#stalled.push(run);
    });
    const api = new PublicApi(this.apiParts(near.gateway, limits));
    return (request, responder) => {
      near.pump();
      api.handler(request, responder);
    };
  }

  /** The command must be accepted; it is durable only after `settle`. */
  submit(command: Untimed<SubmittedCommand>): Accepted {
    const timeMs = this.host.sequencer.stampMs();
    const outcome = this.host.sequencer.submit({ ...command, timeMs } as SubmittedCommand);
    assert.equal(outcome.status, 'accepted', JSON.stringify(outcome));
    return outcome;
  }

  advance(): void {
    this.host.sequencer.advance(this.host.sequencer.stampMs());
  }

  publishRoots(): void {
    for (const root of rootMaker(this.host.engine, MASTER_SECRET)())
      this.submit({ kind: 'publishRoot', ...root });
    this.settle();
  }

  settle(): void {
    this.host.settle();
  }

  /** With a key; both are durable. */
  bettor(options: BettorOptions = {}): Bettor {
    const { tier = 'GOLD', balanceCents = 10_000_00, scopes = SCOPES, expiresAtMs = null } = options;
    this.submit({ kind: 'createAccount', name: null, tier: TIERS.indexOf(tier), balanceCents });
    return this.addKey(this.host.engine.accountCount, scopes, expiresAtMs);
  }

  addKey(account: number, scopes: readonly Scope[] = SCOPES, expiresAtMs: number | null = null): Bettor {
    const secret = `tote_${String(++this.#secrets).padStart(43, '0')}`;
    const digest = keyDigest(secret);
    this.submit({ kind: 'createKey', account, digest, scopesMask: scopesMask(scopes), expiresAtMs });
    this.settle();
    return { account, key: this.host.engine.keyCount, secret };
  }

  configure(change: (rules: Rules) => Rules): void {
    const rules = change(withHouse(defaultRules('f'.repeat(64)), fixedHouse()));
    this.submit({ kind: 'configure', rulesVersion: RULES_VERSION, rules });
    this.settle();
  }

  open(asset = 0, price = OPEN_PRICE): void {
    this.openLate(asset, price);
    this.settle();
  }

  openLate(asset = 0, price = OPEN_PRICE): void {
    const priceTimeMs = this.clock.wallMs;
    this.submit({ kind: 'openLate', asset, price, priceTimeMs, source: null, evidence: 'test' });
  }

  closeMinute(price: number | null, asset = 0): void {
    this.clock.pass(MINUTE_MS - (this.clock.wallMs % MINUTE_MS));
    this.boundary(price, this.clock.wallMs, asset);
  }

  boundary(price: number | null, boundaryMs: number, asset = 0): void {
    const priceTimeMs = price === null ? null : boundaryMs;
    const boundary = { asset, boundaryMs, price, priceTimeMs };
    this.submit({ kind: 'boundaryPrice', ...boundary, source: null, evidence: 'test' });
    this.pay();
  }

  pay(): void {
    if (this.host.engine.settlementsWaiting) this.submit({ kind: 'settle', betsMax: SETTLE_ALL });
    this.settle();
  }

  /** The reply is null until its commands are durable. */
  begin(method: string, path: string, options: SendOptions = {}, handler = this.handler) {
    const pending: { reply: Reply | null } = { reply: null };
    handler(requestOf(method, path, options), {
      send: (status, headers, body) => {
        assert.equal(pending.reply, null, 'a request is answered once');
        const fields = new Map<string, string>();
        const list = headerList(headers);
        for (let i = 0; i < list.length; i += 2) {
          const name = (list[i] ?? '').toLowerCase();
          assert.ok(!fields.has(name), `${name} stands once`);
          fields.set(name, list[i + 1] ?? '');
        }
        const bytes = Buffer.from(body);
        pending.reply = { status, headers: fields, text: bytes.toString(), bytes };
      },
    });
    return pending;
  }

  /** Everything becomes durable. */
  send(method: string, path: string, options: SendOptions = {}, handler = this.handler): Reply {
    const pending = this.begin(method, path, options, handler);
    this.settle();
    assert.ok(pending.reply !== null, `${method} ${path} is answered`);
    return pending.reply;
  }

  /** Calls `act` while the engine's thread takes no request, and has room for no other. */
  overload(path: string, options: SendOptions, act: () => void): void {
    const waiting: (() => void)[] = [];
    this.#stalled = waiting;
    while (this.begin('GET', path, options).reply === null);
    act();
    this.#stalled = null;
    for (const run of waiting) run();
  }

  get(path: string, key: string, query = ''): Reply {
    return this.send('GET', path, { key, query });
  }

  order(key: string, body: unknown, idempotencyKey: string | null = null): Reply {
    return this.send('POST', '/v1/orders', { key, body, idempotencyKey });
  }
}

interface WithBettor extends Bettor {
  readonly api: Harness;
}

export function withBettor(options: HarnessOptions = {}, bettor: BettorOptions = {}): WithBettor {
  const api = new Harness(options);
  return { api, ...api.bettor(bettor) };
}

/** The rounds of BTC are open. */
export function withRounds(options: HarnessOptions = {}, bettor: BettorOptions = {}): WithBettor {
  const made = withBettor(options, bettor);
  made.api.open();
  return made;
}

export function requestOf(
  method: string,
  path: string,
  { key: apiKey = '', body: sent = '', ...given }: SendOptions,
): HttpRequest {
  const body =
    sent instanceof Uint8Array ? sent : Buffer.from(typeof sent === 'string' ? sent : JSON.stringify(sent));
  const contentType = sent === '' ? '' : 'application/json';
  return plainRequest({ contentType, ...given, method, path, apiKey, body });
}

export function dataOf<T>(reply: Reply): T {
  const envelope = JSON.parse(reply.text) as { success: boolean; data: T };
  assert.equal(envelope.success, true, reply.text);
  return envelope.data;
}

/** The failure must have the status that belongs to its code. */
export function errorOf(reply: Reply): string {
  const { current, ...envelope } = JSON.parse(reply.text) as Record<string, unknown> & { error: string };
  assert.ok(current === undefined || envelope.error === 'odds_changed', reply.text);
  assert.deepEqual(Object.keys(envelope), ['success', 'error']);
  assert.equal(envelope['success'], false);
  assert.equal(reply.status, ERROR_STATUS[envelope.error.split(':')[0] as ErrorCode], reply.text);
  return envelope.error;
}

export const codeOf = (reply: Reply): string => errorOf(reply).split(':')[0] ?? '';

export const limitsOf = ({ headers }: Pick<Reply, 'headers'>): number[] =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
