/**
 * One gateway: its network, its public API, and its link to the engine. Runs in a thread of its own (`worker.ts`), or on
 * the engine's.
 */
import type { MessagePort } from 'node:worker_threads';
import { laterSignerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import type { Clock } from '../../engine/model/ports.js';
import type { Rules } from '../../engine/model/rules.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { clockIn, systemClock } from '../../process/clock.js';
import { createLog, type Log } from '../../process/log/log.js';
import { BASES } from '../api/endpoint.js';
import { MARKET_AGE_MS_MAX } from '../api/market-view.js';
import { PublicApi } from '../api/public-api.js';
import { boardOf, PUBLISH_EVERY_MS } from '../board/markets.js';
import { Rights } from '../board/rights.js';
import { Broadcast } from '../broadcast/records.js';
import { logRequests } from '../kit/request-log.js';
import { RateLimits } from '../limits/rate-limits.js';
import type { Link } from '../link/link.js';
import { GATEWAY_PLACES, GatewayMeter } from '../metrics/gateway-meter.js';
import { OrderTraces } from '../metrics/order-traces.js';
import { faultCounter, meterThread } from '../metrics/thread-meter.js';
import type { DocsFiles } from '../pages/docs-page.js';
import { StreamHub } from '../stream/hub.js';
import { FLUSH_MS, StreamCounts } from '../stream/limits.js';
import { PER_ADDRESS_MAX } from '../uws/address-bound.js';
import { HeldRequests } from '../uws/held-requests.js';
import { type Acceptor, acceptFor } from '../uws/listening.js';
import { UwsTransport } from '../uws/transport.js';
import { ArchiveClient } from './archive-client.js';
import { Faults } from './faults.js';
import { type GatewaySetup, type Post, type Serving, type ToServing, WAKE } from './messages.js';
import { orFail, renewFor, type ThreadEnd, tellFailed, tellRefused } from './thread-end.js';

/** Beside the age of the board from which a gateway makes its bytes. */
const BYTES_AGE_MS_MAX = MARKET_AGE_MS_MAX - PUBLISH_EVERY_MS;

const TURN_MS = 10;

export class Gateway implements Serving {
  readonly #transport: UwsTransport;
  readonly #clock: Clock;
  readonly #held = new HeldRequests();
  readonly #meter: GatewayMeter;
  readonly #log: Log;
  readonly #faults: Faults;
  #acceptor: Acceptor | null = null;
  #rules: Rules | null = null;
  #head: SignedHead | null = null;
  #hub: StreamHub | null = null;
  #turns: NodeJS.Timeout | undefined;
  #archive: ArchiveClient | null = null;

  constructor(
    private readonly setup: GatewaySetup,
    private readonly docs: DocsFiles,
    private readonly link: Link,
    private readonly post: Post,
    private readonly end: ThreadEnd,
  ) {
    const { trustedProxies, tls, connectionsMax, openConnections } = setup;
    this.#clock = clockIn(setup.manualClock);
    this.#log = createLog(setup.logLevel);
    this.#meter = new GatewayMeter(setup.figures);
    this.#faults = new Faults({
      log: this.#log,
      thread: `gateway${setup.index}`,
      monotonicMs: systemClock.monotonicMs,
      count: faultCounter(this.#meter.sheet, GATEWAY_PLACES.thread),
      onFatal: (error) => tellFailed(post, error),
    });
    this.#transport = new UwsTransport({
      clock: systemClock,
      trustedProxies,
      tls,
      connectionsMax,
      perAddressMax: PER_ADDRESS_MAX,
      openConnections: new Int32Array(openConnections),
      streamPaths: BASES.map((base) => `${base}/stream`),
      onFault: this.#faults.report,
    });
    this.#join();
  }

  /** A gateway that does not serve yet cannot begin to. */
  fail(error: unknown): void {
    if (this.#hub === null) tellFailed(this.post, error);
    else this.#faults.fail(error);
  }

  take(message: ToServing): void {
    if (message === WAKE) this.#hub?.wake();
    else if (message.kind === 'accept')
      orFail(this.post, this.#accept(message.descriptors, message.host, message.port));
    else if (message.kind === 'renew') renewFor(this.#transport, this.post);
    else if (message.kind === 'swapApps') this.#acceptor?.swap(message.before, message.after);
    else if (message.kind === 'serve') this.#serve(message.rules, message.archive);
    else if (message.kind === 'rules') this.#rules = message.rules;
    else if (message.kind === 'head') this.#head = message.head;
    else if (message.kind === 'stopAccepting') this.#stopAccepting();
    else if (message.kind === 'close') orFail(this.post, this.#close());
    else if (message.kind === 'halt') orFail(this.post, this.#halt());
  }

  /** Requests are held until `#serve`. */
  #join(): void {
    try {
      const descriptor = this.#transport.join(this.#held.handler);
      this.post({ kind: 'joined', descriptor });
    } catch (error) {
      tellRefused(this.post, error);
    }
  }

  async #accept(descriptors: readonly number[], host: string, port: number): Promise<void> {
    try {
      this.#acceptor = await acceptFor(descriptors, host, port, this.setup.tls !== null);
      this.#transport.acceptedAt(this.#acceptor.port);
      this.post({ kind: 'listening', port: this.#acceptor.port });
    } catch (error) {
      tellRefused(this.post, error);
    }
  }

  #serve(rules: Rules, archive: MessagePort): void {
    const { setup } = this;
    this.#rules = rules;
    const isManual = setup.manualClock !== null;
    const rights = new Rights(setup.rights);
    const board = boardOf(setup.board);
    const limitsNowMs = isManual ? () => this.#clock.nowMs() : Math.floor;
    const meter = this.#meter;
    if (setup.rings !== null) meterThread(meter.sheet, GATEWAY_PLACES.thread);
    const journalHead = (): SignedHead | null => this.#head;
    const client = new ArchiveClient(archive);
    this.#archive = client;
    const traces = new OrderTraces(setup, systemClock, setup.index, (slow) =>
      this.#log.write('order_slow', slow),
    );
    const hub = new StreamHub({
      link: this.link,
      rights,
      board,
      broadcast: new Broadcast(setup.broadcast, setup.index),
      run: setup.requestIdPrefix,
      journalHead,
      counts: new StreamCounts(setup.streams),
      meter,
      nowMs: () => this.#clock.nowMs(),
      limitsNowMs,
      monotonicMs: () => systemClock.monotonicMs(),
      flushMs: isManual ? 0 : FLUSH_MS,
      schedule: setImmediate,
      carryOut: (call) => api.carryOut(call),
      carryOutAs: (call, run) => api.carryOutAs(call, run),
      onFault: (error) => this.#faults.fail(error),
    });
    const api = new PublicApi({
      link: this.link,
      rights,
      board,
      openStream: (call) => hub.open(call),
      rules: () => must(this.#rules, 'rules in force'),
      clock: this.#clock,
      limits: new RateLimits(setup.limits),
      limitsNowMs,
      meter,
      traces,
      masterSecret: setup.masterSecret,
      betHashes: setup.betHashes,
      signing: setup.signing,
      signLater: laterSignerOf(setup.signing),
      journalHead,
      marketAgeMsMax: isManual ? 0 : BYTES_AGE_MS_MAX,
      archive: client.reads,
      docs: this.docs,
      requestIdPrefix: `${setup.requestIdPrefix}${setup.index.toString(36)}`,
    });
    this.#hub = hub;
    this.#turns = setInterval(() => hub.turn(), TURN_MS);
    this.#held.serve(logRequests(api.handler, 'public', this.#log));
  }

  #stopAccepting(): void {
    this.#acceptor?.close();
    this.#acceptor = null;
    this.end.stoppedAccepting();
    this.post({ kind: 'stoppedAccepting' });
  }

  async #close(): Promise<void> {
    await this.#hub?.close();
    await this.#transport.close();
    clearInterval(this.#turns);
    this.#archive?.close();
    this.post({ kind: 'closed' });
    this.end.letGo();
  }

  /**
   * The process ends now: lets go of the network, without which the end of a worker's thread would abort the process.
   * The engine's thread has no other turn; where the disk hangs, the end waits for it, and clients would as long.
   */
  async #halt(): Promise<void> {
    if (this.setup.rings === null) this.#transport.cut();
    else await this.#transport.halt();
    this.#archive?.close();
    this.end.letGo();
  }
}
