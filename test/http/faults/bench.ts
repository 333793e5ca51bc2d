/**
 * Both ports on real sockets, in one thread with a real engine, and a trap: the n-th step for a victim throws. Steps
 * are the handlers of the real tables, their calls, each look at a request, and each look at its parsed JSON.
 */
import assert from 'node:assert/strict';
import { keyDigest } from '../../../crypto/api-keys.js';
import type { ArchiveReads } from '../../../engine/model/archive-reads.js';
import { firstToken } from '../../../engine/model/operators.js';
import type { HttpHandler } from '../../../engine/model/ports.js';
import { ENDPOINTS } from '../../../http/api/endpoints.js';
import { PublicApi } from '../../../http/api/public-api.js';
import { boardMemory, boardOf } from '../../../http/board/markets.js';
import * as consoles from '../../../http/console/console.js';
import { liveMessage } from '../../../http/console/live-message.js';
import { type Client, later, presentClient } from '../../../http/kit/client-work.js';
import * as denials from '../../../http/operator/access/callers.js';
import * as tokens from '../../../http/operator/access/token-guard.js';
import { createOperatorApi } from '../../../http/operator/api.js';
import { ENDPOINTS as OPERATOR_ENDPOINTS } from '../../../http/operator/endpoints.js';
import { EngineQueries } from '../../../http/operator/queries/query.js';
import * as hubs from '../../../http/stream/hub.js';
import { StreamCounts, streamsMemory } from '../../../http/stream/limits.js';
import { UwsTransport } from '../../../http/uws/transport.js';
import { systemClock } from '../../../process/clock.js';
import { archiveOfJournal } from '../../support/engine/archive-of-journal.js';
import { operatorDesk, operatorRoutes } from '../../support/host/operator-api.js';
import { type Bettor, Harness } from '../api/harness.js';

class Injected extends Error {}

/** All their classes are wrapped, method by method. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  api: ['authentication', 'call', 'market-view'],
  board: ['rights'],
  console: ['console', 'sessions', 'watchers'],
  kit: ['idempotency', 'router', 'tagged-body'],
  limits: ['rate-limits'],
  metrics: ['gateway-meter'],
  'operator/access': ['callers', 'token-guard'],
  pages: ['documents'],
  rings: ['link'],
  stream: ['account', 'channels', 'connection', 'events', 'fan-out', 'hub', 'markets', 'orders'],
  wire: ['head-texts'],
};

export const trap = {
  /** Negative while it is not set. */
  left: -1,
  /** Steps before the handler count: they are the same for all routes. */
  isStarted: true,
  isVictim: (_client: Client): boolean => false,
};

function step(name: string): void {
  const client = trap.left < 0 ? null : presentClient();
  if (client === null || !trap.isVictim(client)) return;
  if (name === 'handle') trap.isStarted = true;
  if (!trap.isStarted) return;
  trap.left -= 1;
  if (trap.left < 0) throw new Injected(name);
}

type AnyFunction = (this: unknown, ...given: unknown[]) => unknown;

function trapped(name: string, real: AnyFunction): AnyFunction {
  return function (...given) {
    step(name);
    return Reflect.apply(real, this, given);
  };
}

function trapMethods(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const { value } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    if (name !== 'constructor' && typeof value === 'function')
      Object.defineProperty(owner, name, { value: trapped(name, value), writable: true, configurable: true });
  }
}

/** Each look at a property is a step. */
function watched<T extends object>(value: T): T {
  return new Proxy(value, {
    get(target, name) {
      step(String(name));
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === 'object' && found !== null && Object.getPrototypeOf(found) === Object.prototype
        ? watched(found)
        : found;
    },
  });
}

export async function setTraps(): Promise<void> {
  const paths = Object.entries(MODULES).flatMap(([folder, names]) =>
    names.map((name) => `${folder}/${name}`),
  );
  for (const path of paths)
    for (const part of Object.values(await import(`../../../http/${path}.js`)))
      if (typeof part === 'function' && part.prototype !== undefined)
        trapMethods(part.prototype, Object.getOwnPropertyNames(part.prototype));
  for (const endpoint of [...ENDPOINTS, ...OPERATOR_ENDPOINTS]) trapMethods(endpoint, ['handle']);
  const { parse } = JSON;
  JSON.parse = (text: string, ...rest) => {
    const value: unknown = parse(text, ...rest);
    // A document is only parsed.
    const isWatched = trap.left >= 0 && presentClient() !== null && text.length < 4_096;
    return isWatched && value instanceof Object && !Array.isArray(value) ? watched(value) : value;
  };
  trapMethods(JSON, ['stringify']);
  trapMethods(Buffer, ['from']);
  trapMethods(globalThis, ['encodeURIComponent', 'decodeURIComponent']);
}

export const TOKEN = 'the-token-of-the-operator';

export class Bench {
  readonly api = new Harness();
  readonly faults: { readonly error: unknown; readonly id: string }[] = [];
  readonly victim: Bettor;
  readonly other: Bettor;
  publicPort = 0;
  operatorPort = 0;
  readonly #stops: (() => unknown)[] = [];

  constructor() {
    this.api.open();
    this.victim = this.api.bettor({ tier: 'VIP', balanceCents: 100_000_000 });
    this.other = this.api.bettor({ tier: 'VIP', balanceCents: 100_000_000 });
  }

  async start(): Promise<this> {
    const settle = setInterval(() => this.api.settle(), 1);
    this.#stops.push(() => clearInterval(settle));
    this.publicPort = await this.#serve(this.#publicApi(), ['/v1/stream']);
    this.operatorPort = await this.#serve(this.#operatorApi(), consoles.CONSOLE_STREAMS);
    return this;
  }

  async stop(): Promise<void> {
    trap.left = -1;
    for (const stop of this.#stops.reverse()) await stop();
  }

  readonly #onFault = (error: unknown): string => {
    const id = `fault-${this.faults.length}`;
    this.faults.push({ error, id });
    const stack = error instanceof Error ? error.stack : error;
    assert.ok(error instanceof Injected, `a fault of its own: ${stack}`);
    return id;
  };

  async #serve(handler: HttpHandler, streamPaths: readonly string[]): Promise<number> {
    const transport = new UwsTransport({
      clock: systemClock,
      trustedProxies: [],
      streamPaths,
      readsBrowserHeaders: true,
      onFault: this.#onFault,
    });
    this.#stops.push(() => transport.halt());
    return transport.listen('127.0.0.1', 0, (request, responder) => handler(watched(request), responder));
  }

  #publicApi(): HttpHandler {
    const { gateway, ...near } = this.api.gateway(setImmediate);
    const nowMs = (): number => this.api.clock.wallMs;
    const { monotonicMs } = systemClock;
    const hub = new hubs.StreamHub({
      ...gateway,
      counts: new StreamCounts(streamsMemory()),
      nowMs,
      limitsNowMs: Math.floor,
      monotonicMs,
      flushMs: 0,
      schedule: setImmediate,
      carryOut: (call) => api.carryOut(call),
      carryOutAs: (call, run) => api.carryOutAs(call, run),
      onFault: this.#onFault,
    });
    const api = new PublicApi({
      ...this.api.apiParts(gateway, null),
      openStream: (call) => hub.open(call),
      clock: { nowMs, monotonicMs },
      limitsNowMs: Math.floor,
      marketAgeMsMax: 0,
      archive: this.#archive(),
    });
    const turns = setInterval(() => {
      near.pump();
      hub.turn();
    }, 2);
    this.#stops.push(() => clearInterval(turns));
    return api.handler;
  }

  /** It answers in another turn, and is nobody's step: it has a thread of its own. */
  #archive(): ArchiveReads {
    const real = archiveOfJournal(() => this.api.host.journal.durable);
    const names = Object.keys(real) as (keyof ArchiveReads)[];
    const put = (name: keyof ArchiveReads) => (question: never, tell: never) => {
      const told = later(tell);
      setImmediate(() => real[name](question, told as never));
    };
    return Object.fromEntries(names.map((name) => [name, put(name)])) as unknown as ArchiveReads;
  }

  #operatorApi(): HttpHandler {
    const desk = operatorDesk(this.api.host, this.#onFault);
    // Told in another turn, for its asker, as over the threads' port.
    const engine = new EngineQueries((query, onMessage) => {
      const told = later(onMessage);
      desk.answer(query, (message) => void setImmediate(() => told(message)));
    });
    const guard = new tokens.TokenGuard([firstToken(keyDigest(TOKEN))], systemClock);
    const board = boardOf(boardMemory());
    const console = new consoles.Console({
      tokens: guard,
      sessionKey: Buffer.alloc(32),
      clock: systemClock,
      message: async () => liveMessage(board, await engine.ask('pulse', {}), { raised: [], waiting: [] }),
      pages: new Map(),
    });
    const api = createOperatorApi({
      routes: operatorRoutes(engine, this.#archive()),
      callers: console,
      denials: new denials.Denials(systemClock),
    });
    this.#stops.push(() => console.watchers.close());
    return console.wrap(api);
  }
}
