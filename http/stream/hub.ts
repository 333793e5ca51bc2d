/**
 * All streams of one gateway. Each gateway has its own subscribers and its own end of the broadcast, and renders a
 * message once for all of them.
 *
 * `turn` is called every few milliseconds, and `wake` when there are new events. Heartbeats go by the clock of the rate
 * limits, so a manual clock moves them, and by the real one: clients give up a stream without them.
 */
import { scopesMask } from '../../engine/model/domain.js';
import type { StreamOwner, StreamSocket } from '../../engine/model/ports.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { ask } from '../api/ask.js';
import { refuseKey } from '../api/authentication.js';
import type { Call } from '../api/call.js';
import { NO_SCOPE } from '../api/refusals.js';
import type { PublicApiParts } from '../api/services.js';
import { DURABLE_SEQ } from '../board/markets.js';
import { type Client, presentClient, workFor } from '../kit/client-work.js';
import { invalid, Refused, UPGRADE_REQUIRED } from '../kit/refused.js';
import type { Asker } from '../link/orders.js';
import type { GatewayMeter } from '../metrics/gateway-meter.js';
import type { StreamDeadman, Subscribe } from '../wire/stream-requests.js';
import { heartbeatText, type Moment, pongText, unsubscribedText } from '../wire/stream-text.js';
import { type ChannelParts, Channels, SCOPE_OF } from './channels.js';
import { Connection, type ConnectionHost } from './connection.js';
import { Group } from './fan-out.js';
import { HEARTBEAT_MS, PING_MS, STREAMS_PER_KEY_MAX, type StreamCounts } from './limits.js';
import { type OrderHost, StreamCall } from './orders.js';
import { type ApiRequest, type Request, refuseSubscribe } from './requests.js';
import type { UsualOrder } from './usual-order.js';

const PROTOCOL = 'tote.v1';
const SWITCHING_PROTOCOLS = 101;
const GOING_AWAY = 1001;
const TOO_MANY = new Refused('too_many_streams', `a key has at most ${STREAMS_PER_KEY_MAX} open streams`, [
  'Retry-After',
  '1',
]);
const STOPPING = new Refused('shutting_down', 'the server is stopping');
const NO_QUERY = invalid('the stream has no query parameters; the key goes into the X-API-Key header');

type SharedParts = Pick<PublicApiParts, 'rights' | 'meter' | 'journalHead' | 'limitsNowMs'>;

export interface StreamParts extends ChannelParts, SharedParts {
  readonly counts: StreamCounts;
  readonly nowMs: () => number;
  readonly carryOut: (call: Call) => void;
  /** Runs what only streams can ask for, with the checks and limits of a cancellation. */
  readonly carryOutAs: (call: Call, run: () => void) => void;
  /** Reports a programming error in work for all streams together. */
  readonly onFault: (error: unknown) => void;
}

export class StreamHub implements ConnectionHost, OrderHost, Client {
  readonly #all = new Group();
  #channels: Channels;
  readonly #journalRow = new Float64Array(1);
  #heartbeats = 0;
  #heartbeatAtMs = Number.NEGATIVE_INFINITY;
  #heartbeatAtRealMs = Number.NEGATIVE_INFINITY;
  #pingedAtMs = Number.NEGATIVE_INFINITY;
  #rightsVersion = 0;
  #pendingOrders = 0;
  /** Answers that wait, all of one stream. */
  #answers: string[] = [];
  #answeredStream: Connection | null = null;
  #isSendDue = false;
  /** Had a countdown. The engine's thread does not know yet of their end. */
  readonly #ended: Asker[] = [];
  #onIdle: (() => void) | null = null;
  #isClosing = false;

  constructor(private readonly parts: StreamParts) {
    this.#channels = this.#newChannels();
  }

  /** Scheduled work goes on for the same stream, or else for all. */
  #newChannels(): Channels {
    const schedule = (run: () => void): void => {
      const client = presentClient() ?? this;
      this.parts.schedule(() => workFor(client, run));
    };
    return new Channels({ ...this.parts, schedule }, () => this.moment());
  }

  /** Work for all streams has failed: all end, and their clients begin anew. */
  fail(error: unknown): void {
    this.parts.onFault(error);
    this.#channels = this.#newChannels();
    for (const connection of [...this.#all.members.keys()])
      workFor(connection, () => connection.end('internal_error', 'an error of the server ends all streams'));
  }

  /** For GET /stream. */
  open(call: Call): void {
    const { upgrade, query, address } = call.request;
    const { key, account } = call;
    // A WebSocket does not tell its bot why it was refused: the bot asks again without an upgrade.
    if (upgrade === undefined) throw this.parts.counts.isFull(key) ? TOO_MANY : UPGRADE_REQUIRED;
    if (query !== '') throw NO_QUERY;
    if (this.#isClosing) throw STOPPING;
    if (!this.parts.counts.take(key)) throw TOO_MANY;
    const offered = upgrade.protocols.split(',').map((name) => name.trim());
    let isOpen = false;
    const opened = (socket: StreamSocket): StreamOwner => {
      isOpen = true;
      return new Connection(socket, { key, account, address }, this);
    };
    upgrade.accept(offered.includes(PROTOCOL) ? PROTOCOL : '', opened, call.head(SWITCHING_PROTOCOLS));
    if (!isOpen) this.parts.counts.giveBack(key);
  }

  onOpen(connection: Connection): void {
    this.parts.meter.streamOpened();
    this.#all.members.set(connection, this.#heartbeats);
    workFor(this, () => this.#channels.read());
    connection.toldHead = this.parts.journalHead();
    connection.send(this.#heartbeat(connection.toldHead));
  }

  moment(): Moment {
    this.parts.board.journal.read(0, this.#journalRow);
    return { seq: this.#journalRow[DURABLE_SEQ] as number, timeMs: this.parts.nowMs() };
  }

  monotonicMs(): number {
    return this.parts.monotonicMs();
  }

  onHeard({ subscriber }: Connection): void {
    this.parts.counts.hear(subscriber.key);
  }

  onRequest(connection: Connection, request: Request | UsualOrder, heardMs: number): void {
    switch (request.op) {
      case 'ping':
        connection.send(pongText(this.moment(), request.id));
        return;
      case 'subscribe':
        this.#subscribe(connection, request);
        return;
      case 'unsubscribe':
        this.#channels.by[request.channel].unsubscribe(connection);
        connection.send(unsubscribedText(this.moment(), request.id, request.channel));
        return;
      default:
        this.#order(connection, request, heardMs);
    }
  }

  onRoom(connection: Connection): void {
    this.#channels.onRoom(connection);
  }

  onClosed(connection: Connection): void {
    this.parts.meter.streamClosed(connection.endedBy);
    this.#all.members.delete(connection);
    this.parts.counts.giveBack(connection.subscriber.key);
    this.#ordersEnded(connection.pendingOrders);
    this.#channels.leave(connection);
    // A server that stops ends all streams: after its start the countdown begins anew.
    if (connection.hasDeadman && !this.#isClosing) this.#ended.push(connection.subscriber);
    this.#tellEnded();
  }

  turn(): void {
    this.#tellEnded();
    if (this.#all.members.size > 0) workFor(this, () => this.#sendDue());
  }

  wake(): void {
    if (this.#all.members.size === 0) return;
    workFor(this, () => {
      this.#channels.read();
      this.#channels.flush();
    });
  }

  #sendDue(): void {
    this.#checkKeys();
    this.#channels.read();
    const realMs = this.monotonicMs();
    const nowMs = this.parts.limitsNowMs(realMs);
    const sinceMs = Math.max(nowMs - this.#heartbeatAtMs, realMs - this.#heartbeatAtRealMs);
    if (sinceMs >= HEARTBEAT_MS) this.#beat(nowMs, realMs);
    this.#channels.flush();
    this.#pingAll();
  }

  /** Takes no more streams and requests; resolves once all orders are answered and all streams closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#pendingOrders > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    for (const connection of this.#all.members.keys()) connection.close(GOING_AWAY, 'shutting_down');
  }

  #subscribe(connection: Connection, request: Subscribe): void {
    const { channel, id } = request;
    const { rights } = this.parts;
    const hasScope = (rights.scopesMask(connection.subscriber.key) & scopesMask([SCOPE_OF[channel]])) !== 0;
    const refused = hasScope ? refuseSubscribe(request) : NO_SCOPE;
    if (refused !== null) {
      connection.refuse(id, refused);
      return;
    }
    // A failure in this work ends all streams, because it is not for this client alone.
    workFor(this, () => this.#channels.prepare(channel));
    if (!connection.isOpen) return;
    this.#channels.by[channel].subscribe(connection, request);
    workFor(this, () => this.#channels.read());
  }

  #order(connection: Connection, order: UsualOrder | ApiRequest, heardMs: number): void {
    if (this.#isClosing) {
      connection.refuse(order.id, STOPPING);
      return;
    }
    const { nowMs, limitsNowMs, carryOut, carryOutAs } = this.parts;
    const call = new StreamCall(connection, order, this, nowMs(), limitsNowMs(heardMs), heardMs);
    connection.pendingOrders += 1;
    this.#pendingOrders += 1;
    if (order.op === 'deadman') carryOutAs(call, () => this.#setDeadman(connection, order, call));
    else carryOut(call);
  }

  /**
   * The engine's thread counts the streams that have asked. A stream's request is on its way before the message of its
   * end.
   */
  #setDeadman(connection: Connection, { seconds }: StreamDeadman, call: Call): void {
    const isFirst = seconds > 0 && !connection.hasDeadman;
    ask(this.parts, call, { kind: 'deadman', seconds, isFirst }, () =>
      call.sendText(`{"seconds":${seconds}}`),
    );
    if (isFirst) connection.hasDeadman = true;
  }

  /** Tries again while the engine's thread is behind. */
  #tellEnded(): void {
    for (let asker = this.#ended[0]; asker !== undefined; asker = this.#ended[0]) {
      if (!this.parts.link.ask(asker, { kind: 'deadmanEnded' }, () => undefined)) return;
      this.#ended.shift();
    }
  }

  get meter(): GatewayMeter {
    return this.parts.meter;
  }

  /**
   * Replies to orders that a stream has sent at once come one behind the other. A stream without further ones gets its
   * answer at once, while the text is in the processor's cache.
   */
  sendAnswer(connection: Connection, text: string): void {
    const isLast = connection.pendingOrders === 1;
    if (connection !== this.#answeredStream) {
      if (isLast) {
        connection.send(text);
        return;
      }
      this.sendAnswers();
      this.#answeredStream = connection;
      if (!this.#isSendDue) process.nextTick(this.#sendLast);
      this.#isSendDue = true;
    }
    this.#answers.push(text);
    if (isLast) this.sendAnswers();
  }

  readonly #sendLast = (): void => {
    this.#isSendDue = false;
    this.sendAnswers();
  };

  sendAnswers(): void {
    const connection = this.#answeredStream;
    if (connection === null) return;
    const texts = this.#answers;
    this.#answers = [];
    this.#answeredStream = null;
    workFor(connection, () => connection.sendAll(texts));
  }

  onAnswered(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.pendingOrders -= 1;
    this.#ordersEnded(1);
  }

  #ordersEnded(count: number): void {
    this.#pendingOrders -= count;
    if (this.#pendingOrders === 0) this.#onIdle?.();
  }

  #heartbeat(head: SignedHead | null): Uint8Array {
    const timeMs = this.parts.nowMs();
    const { toldSeq: seq, by } = this.#channels;
    return Buffer.from(heartbeatText({ seq, timeMs }, by.prices.ages(timeMs), head), 'latin1');
  }

  #beat(nowMs: number, realMs: number): void {
    [this.#heartbeatAtMs, this.#heartbeatAtRealMs] = [nowMs, realMs];
    this.#heartbeats += 1;
    this.#endUnfit();
    const head = this.parts.journalHead();
    const [plain, withHead] = [this.#heartbeat(null), this.#heartbeat(head)];
    this.#channels.fanOut.tellEach(this.#all, this.#heartbeats, (connection) => {
      // A client that still gets old events would take it to have all of them.
      if (connection.catchUps > 0) return;
      connection.send(connection.toldHead === head ? plain : withHead);
      connection.toldHead = head;
    });
  }

  /** By the real clock: a manual one may leap over a minute before a client can answer. */
  #pingAll(): void {
    const nowMs = this.parts.monotonicMs();
    if (nowMs - this.#pingedAtMs < PING_MS) return;
    this.#pingedAtMs = nowMs;
    this.#inSlices((connection) => connection.ping());
  }

  #checkKeys(): void {
    const { version } = this.parts.rights;
    if (version === this.#rightsVersion) return;
    this.#rightsVersion = version;
    this.#endUnfit();
  }

  /** Ends the streams of keys that are disabled or expired. */
  #endUnfit(): void {
    const nowMs = this.parts.nowMs();
    this.#inSlices((connection) => {
      const refused = refuseKey(this.parts.rights, connection.subscriber.key, nowMs);
      if (refused !== null) connection.end(refused.code, refused.detail);
    });
  }

  /** Has all streams of now, in turn with messages to many. */
  #inSlices(work: (connection: Connection) => void): void {
    this.#channels.fanOut.tellEach(this.#all, this.#heartbeats + 1, (connection) =>
      workFor(connection, work, connection),
    );
  }
}
