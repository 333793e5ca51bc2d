/** The operators' gateway: their port and their API. Runs in a thread of its own (`worker.ts`), one for the process. */
import type { MessagePort } from 'node:worker_threads';
import { assert } from '../../engine/base/assert.js';
import { systemClock } from '../../process/clock.js';
import { createLog, type Log } from '../../process/log/log.js';
import { boardOf } from '../board/markets.js';
import { CONSOLE_STREAMS, Console } from '../console/console.js';
import { liveMessage } from '../console/live-message.js';
import { OPERATOR_API_PAGE } from '../console/page-files.js';
import { later, workFor } from '../kit/client-work.js';
import { logRequests } from '../kit/request-log.js';
import { RaisedAlarms } from '../metrics/alarms.js';
import { Gauges } from '../metrics/gauges.js';
import { OPERATOR_LAYOUT, OPERATOR_PLACES } from '../metrics/memory.js';
import { OrderTraces } from '../metrics/order-traces.js';
import { allFamilies } from '../metrics/prometheus/families.js';
import { Readings } from '../metrics/readings.js';
import { faultCounter, meterThread } from '../metrics/thread-meter.js';
import { SAMPLE_EVERY_MS } from '../metrics/vitals.js';
import { Denials } from '../operator/access/callers.js';
import { TokenGuard } from '../operator/access/token-guard.js';
import { createOperatorApi } from '../operator/api.js';
import { routeOf } from '../operator/endpoint.js';
import { ENDPOINTS as OPERATOR_ENDPOINTS } from '../operator/endpoints.js';
import { EarningsCache } from '../operator/figures/earnings.js';
import { NOTE_EVERY_MS, PriceHistory } from '../operator/figures/price-history.js';
import { Figures } from '../operator/figures/vitals.js';
import { healthOf, healthRoutes } from '../operator/health.js';
import { operatorDocument } from '../operator/openapi/document.js';
import { EngineQueries, type QueryMessage } from '../operator/queries/query.js';
import { metricsRoute } from '../operator/server.js';
import { apiPages } from '../pages/docs-page.js';
import { CONNECTION_CELLS_BYTES, OPERATOR_PER_ADDRESS_MAX } from '../uws/connection-limits.js';
import { HeldRequests } from '../uws/held-requests.js';
import { UwsTransport } from '../uws/transport.js';
import { ArchiveClient } from './archive-client.js';
import { Faults } from './faults.js';
import {
  type GatewaySetup,
  type OperatorSetup,
  type Post,
  type Serving,
  type ToServing,
  WAKE,
} from './messages.js';
import { orFail, renewFor, type ThreadEnd, tellFailed, tellRefused } from './thread-end.js';

const TICK_MS = 1_000;

export function open(setup: GatewaySetup | OperatorSetup, post: Post, end: ThreadEnd): Serving {
  assert(setup.role === 'operator', "a thread gets its own role's setup");
  return new OperatorGateway(setup, post, end);
}

class OperatorGateway implements Serving {
  readonly #transport: UwsTransport;
  readonly #connections = new Int32Array(new SharedArrayBuffer(CONNECTION_CELLS_BYTES));
  readonly #held = new HeldRequests();
  readonly #guard: TokenGuard;
  readonly #denials = new Denials(systemClock);
  readonly #log: Log;
  readonly #faults: Faults;
  #archive: ArchiveClient | null = null;
  readonly #queries = new Map<number, (message: QueryMessage) => void>();
  #lastId = 0;
  #console: Console | null = null;
  #ticks: NodeJS.Timeout | undefined;

  constructor(
    private readonly setup: OperatorSetup,
    private readonly post: Post,
    private readonly end: ThreadEnd,
  ) {
    this.#guard = new TokenGuard(setup.tokens, systemClock);
    this.#log = createLog(setup.logLevel);
    this.#faults = new Faults({
      log: this.#log,
      thread: 'operators',
      monotonicMs: systemClock.monotonicMs,
      count: faultCounter(OPERATOR_LAYOUT.sheet(setup.figures.operators), OPERATOR_PLACES.thread),
      onFatal: (error) => tellFailed(post, error),
    });
    this.#transport = new UwsTransport({
      clock: systemClock,
      trustedProxies: [],
      tls: setup.tls,
      connectionsMax: setup.connectionsMax,
      isKnown: this.#guard.hasProven,
      perAddressMax: OPERATOR_PER_ADDRESS_MAX,
      openConnections: this.#connections,
      streamPaths: CONSOLE_STREAMS,
      readsBrowserHeaders: true,
      onFault: this.#faults.report,
    });
    orFail(post, this.#listen());
  }

  /** A gateway that does not serve yet cannot begin to. */
  fail(error: unknown): void {
    if (this.#console === null) tellFailed(this.post, error);
    else this.#faults.fail(error);
  }

  take(message: ToServing): void {
    if (message === WAKE) return;
    if (message.kind === 'answered') this.#onAnswered(message.id, message.message);
    else if (message.kind === 'serve') this.#serve(message.archive);
    else if (message.kind === 'renew') renewFor(this.#transport, this.post);
    else if (message.kind === 'tokens') this.#guard.setTokens(message.tokens);
    else if (message.kind === 'close') orFail(this.post, this.#close());
    else if (message.kind === 'halt') orFail(this.post, this.#halt());
  }

  /** Requests are held until `#serve`. */
  async #listen(): Promise<void> {
    const { host, port } = this.setup;
    try {
      this.post({ kind: 'listening', port: await this.#transport.listen(host, port, this.#held.handler) });
    } catch (error) {
      tellRefused(this.post, error);
    }
  }

  #serve(archive: MessagePort): void {
    const { board, figures, sessionKey, version, routes } = this.setup;
    const client = new ArchiveClient(archive);
    this.#archive = client;
    const engine = new EngineQueries((query, onMessage) => {
      const id = ++this.#lastId;
      this.#queries.set(id, later(onMessage));
      this.post({ kind: 'asked', id, query });
    });
    const markets = boardOf(board);
    const prices = new PriceHistory(markets);
    setInterval(() => prices.note(), NOTE_EVERY_MS).unref();
    const seen = this.#measure();
    const console = new Console({
      tokens: this.#guard,
      sessionKey,
      clock: systemClock,
      message: async () => liveMessage(markets, await engine.ask('pulse', {}), seen.alarms),
      pages: apiPages(OPERATOR_API_PAGE),
    });
    this.#console = console;
    const families = () => allFamilies(seen.take(), routes, this.#guard.counted);
    const traces = new OrderTraces(this.setup, systemClock);
    let document: string | null = null;
    const services = {
      engine,
      archive: client.reads,
      earnings: new EarningsCache(),
      vitals: (since: number) => seen.since(since),
      prices: (asset: number) => prices.of(asset),
      document: () => {
        document ??= JSON.stringify(operatorDocument(OPERATOR_ENDPOINTS));
        return document;
      },
      trace: (id: string) => traces.find(id),
    };
    const api = createOperatorApi({
      routes: [
        ...OPERATOR_ENDPOINTS.map((endpoint) => routeOf(endpoint, services)),
        metricsRoute(version, families),
        ...healthRoutes(healthOf(new Gauges(figures.engineGauges), systemClock.monotonicMs)),
      ],
      callers: console,
      denials: this.#denials,
    });
    this.#held.serve(logRequests(console.wrap(api), 'operator', this.#log));
    const tick = (): void => {
      this.#reportRefusals();
      console.watchers.tick();
    };
    this.#ticks = setInterval(() => workFor(this.#faults, tick), TICK_MS);
  }

  #measure(): Figures {
    const { figures, openConnections, dataDir } = this.setup;
    meterThread(OPERATOR_LAYOUT.sheet(figures.operators), OPERATOR_PLACES.thread);
    const connections = [new Int32Array(openConnections), this.#connections];
    const readings = new Readings(figures, connections, () => this.#guard.counted);
    const kept = new Figures(readings, new RaisedAlarms(dataDir, this.#log), systemClock);
    setInterval(() => kept.sample(), SAMPLE_EVERY_MS).unref();
    return kept;
  }

  #onAnswered(id: number, message: QueryMessage): void {
    const onMessage = this.#queries.get(id);
    if (message.kind !== 'part') this.#queries.delete(id);
    workFor(this.#faults, () => onMessage?.(message));
  }

  #reportRefusals(): void {
    const guesses = this.#guard.takeGuesses();
    if (guesses !== null) this.#log.write('operator_tokens_refused', guesses);
    const denied = this.#denials.take();
    if (denied !== null) this.#log.write('operator_denied', denied);
    if (guesses === null && denied === null) return;
    this.post({ kind: 'refusals', refusals: { denials: denied?.denials ?? [], guesses } });
  }

  async #close(): Promise<void> {
    this.#console?.watchers.close();
    clearInterval(this.#ticks);
    await this.#transport.close();
    this.#archive?.close();
    this.post({ kind: 'closed' });
    this.end.letGo();
  }

  /** The process ends now: lets go of the network, without which the end of this thread would abort the process. */
  async #halt(): Promise<void> {
    clearInterval(this.#ticks);
    await this.#transport.halt();
    this.#archive?.close();
    this.end.letGo();
  }
}
