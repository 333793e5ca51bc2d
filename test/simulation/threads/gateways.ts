/**
 * The gateways of one life of the server: the real public API, rings, rights, board and rate limits for each of them,
 * on threads that the simulator plays. A request comes to any of them.
 */
import { must } from '../../../engine/base/assert.js';
import type { FairShareNow } from '../../../engine/host/resting-orders.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { HttpHandler, HttpRequest } from '../../../engine/model/ports.js';
import { MARKET_AGE_MS_MAX } from '../../../http/api/market-view.js';
import { PublicApi } from '../../../http/api/public-api.js';
import type { PublicApiParts } from '../../../http/api/services.js';
import type { LatestTick } from '../../../http/board/market-publisher.js';
import { PUBLISH_EVERY_MS } from '../../../http/board/markets.js';
import { RateLimits } from '../../../http/limits/rate-limits.js';
import { shareLimits } from '../../../http/limits/shared-limits.js';
import { loadDocs } from '../../../http/pages/docs-page.js';
import type { GatewayEnd } from '../../../http/rings/service.js';
import { NO_ARCHIVE } from '../../support/engine/archive-of-journal.js';
import { TEST_SIGNING, testSignLater } from '../../support/engine/signing.js';
import { type NearGateways, nearGateways } from '../../support/host/gateway.js';
import { FEW_LIMITS } from '../../support/http/limits-capacity.js';
import { RateLimitReference } from '../../support/http/rate-limit-reference.js';
import type { ServerParts } from '../machine/server.js';
import { check } from '../violation.js';
import { SimThread } from './thread.js';

interface GatewaysParts
  extends Pick<ServerParts, 'config' | 'clock' | 'masterSecret' | 'host' | 'rng' | 'coverage' | 'limitsOf'> {
  readonly sequencer: Sequencer;
  readonly latestTick: LatestTick;
  readonly fairShare: FairShareNow;
  readonly requestIdPrefix: string;
}

export class SimGateways {
  readonly #engineThread: SimThread;
  readonly #threads: readonly SimThread[];
  readonly #near: NearGateways;
  readonly #apis: readonly HttpHandler[];
  readonly #watched = new Set<GatewayEnd>();
  #isPublishDue = false;

  constructor(private readonly parts: GatewaysParts) {
    const { config, host, rng, sequencer, clock, latestTick, fairShare } = parts;
    this.#engineThread = new SimThread(host, rng);
    const isHere = config.gateways === 0;
    this.#threads = isHere
      ? [this.#engineThread]
      : Array.from({ length: config.gateways }, () => new SimThread(host, rng));
    this.#near = nearGateways({
      sequencer,
      nowMs: () => clock.nowMs(),
      latestTick,
      fairShare,
      schedule: this.#engineThread.schedule,
      wakeEngine: this.#engineThread.receive,
      threads: isHere ? null : this.#threads.map(({ schedule, receive }) => ({ schedule, wake: receive })),
      cells: config.ringCells,
      onServe: (gateway) => this.#watch(gateway),
    });
    const shared = shareLimits(config.limits, FEW_LIMITS);
    const reference = config.limits === null ? null : new RateLimitReference(config.limits);
    this.#apis = this.#near.parts.map((near, index) => {
      const limits = new RateLimits(parts.limitsOf(shared));
      if (reference !== null) watchLimits(limits, reference);
      return new PublicApi(this.#apiParts(near, index, limits)).handler;
    });
  }

  #apiParts(near: NearGateways['parts'][number], index: number, limits: RateLimits): PublicApiParts {
    const { clock, masterSecret, requestIdPrefix } = this.parts;
    return {
      ...near,
      clock,
      limits,
      limitsNowMs: () => Math.floor(clock.monotonicMs()),
      masterSecret,
      signing: TEST_SIGNING,
      signLater: testSignLater,
      marketAgeMsMax: MARKET_AGE_MS_MAX - PUBLISH_EVERY_MS,
      archive: NO_ARCHIVE,
      docs: loadDocs(),
      requestIdPrefix: `${requestIdPrefix}${index.toString(36)}`,
    };
  }

  get schedule(): (run: () => void) => void {
    return this.#engineThread.schedule;
  }

  get pending(): number {
    return this.#near.parts.reduce((sum, { link }) => sum + link.pending, 0);
  }

  /** A gateway that is stopped has the request in its socket until it goes on. */
  readonly handler: HttpHandler = (request, responder) => {
    const index = this.parts.rng.integer(0, this.#threads.length - 1);
    const thread = must(this.#threads[index], 'a gateway');
    const api = must(this.#apis[index], 'its API');
    if (!thread.isStopped) {
      api(request, responder);
      return;
    }
    const kept: HttpRequest = { ...request, body: Uint8Array.from(request.body) };
    thread.schedule(() => api(kept, responder));
  };

  /** All threads have their turns, in any order, until none has anything to do. */
  endTurns(isOver: () => boolean): void {
    const threads = [...new Set([this.#engineThread, ...this.#threads])];
    for (;;) {
      const ready = threads.filter(({ isReady }) => isReady);
      if (ready.length === 0 || isOver()) return;
      const next = ready.length === 1 ? must(ready[0], 'one') : this.parts.rng.pick(ready);
      next.turn(isOver);
    }
  }

  touch(): void {
    if (this.#isPublishDue) return;
    this.#isPublishDue = true;
    this.parts.host.later(PUBLISH_EVERY_MS, () => {
      this.#isPublishDue = false;
      this.#near.pump();
    });
  }

  /** Only gateways with threads stop. */
  stopOne(forMs: number): void {
    if (this.parts.config.gateways > 0) this.parts.rng.pick(this.#threads).stop(forMs);
  }

  holdRequests(forMs: number): void {
    this.#engineThread.holdMessages(forMs);
  }

  /** A reply that finds no room is sent later. */
  #watch(gateway: GatewayEnd): void {
    if (this.#watched.has(gateway)) return;
    this.#watched.add(gateway);
    const reply = gateway.reply.bind(gateway);
    gateway.reply = (write) =>
      reply((ring) => {
        if (write(ring)) return true;
        this.parts.coverage.hit('fault', 'ring of replies full');
        this.touch();
        return false;
      });
  }
}

/** Compares one gateway's limits with a list of the requests of all of them, in the order in which they came. */
function watchLimits(limits: RateLimits, reference: RateLimitReference): void {
  const take = limits.take.bind(limits);
  limits.take = (asker, keyState, nowMs) => {
    const isCounted = take(asker, keyState, nowMs);
    const expected = reference.take(asker, keyState, nowMs);
    const { remaining, retryAfterSeconds } = limits;
    check(
      isCounted === expected.admitted &&
        remaining === expected.remaining &&
        retryAfterSeconds === expected.retryAfterSeconds,
      'rate limits',
      () =>
        `key ${asker.key} at ${asker.address} is ${isCounted ? 'counted' : 'refused'}, ${remaining} left, ${retryAfterSeconds} s; expected ${JSON.stringify(expected)}`,
      () => [`acc_${asker.account}`],
    );
    return isCounted;
  };
}
