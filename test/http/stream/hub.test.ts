/** Streams at one gateway: conflation, clients that are too slow, and resuming, over sockets that the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StreamOwner, StreamSocket } from '../../../engine/model/ports.js';
import type { SignedHead } from '../../../engine/proofs/statements.js';
import { Call } from '../../../http/api/call.js';
import { LogWriter } from '../../../http/broadcast/log.js';
import { BETS_FORM } from '../../../http/broadcast/records.js';
import { GatewayMeter } from '../../../http/metrics/gateway-meter.js';
import { Connection } from '../../../http/stream/connection.js';
import { StreamHub } from '../../../http/stream/hub.js';
import { StreamCounts, streamsMemory } from '../../../http/stream/limits.js';
import { HeadTexts } from '../../../http/wire/head-texts.js';
import type { ServerMessage } from '../../../http/wire/stream-types.js';
import { Harness, requestOf } from '../api/harness.js';

const FLUSH_MS = 50;
const RUN = { run: 'one' };

class FakeSocket implements StreamSocket {
  readonly sent: ServerMessage[] = [];
  owner: StreamOwner | null = null;
  closedWith: string | null = null;
  waitingBytes = 0;
  isRead = true;
  pings = 0;
  answersPings = true;
  onSend = (): void => undefined;
  /** Texts that went out together. */
  readonly writes: number[] = [];

  fail(error: unknown): never {
    throw error;
  }
  send(text: string | Uint8Array): boolean {
    assert.equal(this.closedWith, null, 'nothing is sent after the end');
    this.onSend();
    this.sent.push(JSON.parse(Buffer.from(text).toString()) as ServerMessage);
    if (!this.isRead) this.waitingBytes += text.length;
    return this.isRead;
  }
  sendAll(texts: readonly string[]): boolean {
    this.writes.push(texts.length);
    return texts.map((text) => this.send(text)).at(-1) ?? true;
  }
  ping(): void {
    this.pings += 1;
    if (this.answersPings) this.owner?.onPong();
  }
  close(code: number, reason: string): void {
    this.closedWith = `${code} ${reason}`;
    this.owner?.onClosed();
  }
  drain(): void {
    this.waitingBytes = 0;
    this.isRead = true;
    this.owner?.onRoom();
  }
  take<T extends ServerMessage['type']>(type: T): Extract<ServerMessage, { readonly type: T }>[] {
    const taken = this.sent.filter((message) => message.type === type) as ReturnType<typeof this.take<T>>;
    for (const message of taken) this.sent.splice(this.sent.indexOf(message), 1);
    return taken;
  }
}

const headOf = (seq: number): SignedHead => ({ seq, chain: 'c', time: 't', keyId: 'k', signature: 's' });
const errorsOf = (socket: FakeSocket) => socket.take('error').map(({ code, id }) => [code, id]);
const toldHeads = (socket: FakeSocket) => socket.take('heartbeat').map(({ head = null }) => head);

class HubBench {
  readonly api = new Harness();
  readonly bettor = this.api.bettor();
  readonly hub: StreamHub;
  readonly near: ReturnType<Harness['gateway']>;
  journalHead: SignedHead | null = null;
  /** Answers of the engine's thread, which come when the test wants. */
  readonly told: (() => void)[] = [];
  readonly asked: string[] = [];
  isFull = false;
  #bets = 0;
  readonly #later: (() => void)[] = [];
  nowMs = 0;
  /** A manual clock that nobody moves has stood for so long. */
  stoodMs: number | null = null;

  constructor() {
    this.api.open(0, 100);
    this.near = this.api.gateway();
    this.hub = new StreamHub({
      ...this.near.gateway,
      link: {
        pending: 0,
        place: () => assert.fail('no orders here'),
        ask: (asker, question, onTold) => {
          if (this.isFull) return false;
          this.asked.push('isFirst' in question ? `first: ${question.isFirst}` : question.kind);
          return this.near.gateway.link.ask(asker, question, (told) => this.told.push(() => onTold(told)));
        },
      },
      ...{ counts: new StreamCounts(streamsMemory()), journalHead: () => this.journalHead },
      ...{ nowMs: () => this.api.clock.wallMs, monotonicMs: () => this.nowMs, flushMs: FLUSH_MS },
      limitsNowMs: () => this.stoodMs ?? this.nowMs,
      schedule: (run) => this.#later.push(run),
      carryOut: () => assert.fail('no orders here'),
      carryOutAs: (call, run) => {
        call.account = this.bettor.account;
        run();
      },
      onFault: (error) => {
        throw error;
      },
    });
  }
  open(isAccepted = true): FakeSocket {
    const { key, account, secret } = this.bettor;
    const socket = new FakeSocket();
    const upgrade = {
      protocols: '',
      accept: (_protocol: string, opened: (socket: StreamSocket) => StreamOwner) => {
        if (!isAccepted) return;
        socket.owner = opened(socket);
        socket.owner.onOpen();
      },
    };
    const request = { ...requestOf('GET', '/v1/stream', { key: secret }), upgrade };
    const responder = { send: () => assert.fail('refused') };
    const call = new Call(request, responder, new HeadTexts('', []), new GatewayMeter(), 0, 0, 0, 0);
    call.key = key;
    call.account = account;
    this.hub.open(call);
    return socket;
  }

  bet(count = 1, msAfterEach: number | null = null): void {
    for (let placed = 0; placed < count; placed++) {
      this.#bets += 1;
      const prediction = this.#bets % 2 === 0 ? 'UP' : 'DOWN';
      const reply = this.api.order(this.bettor.secret, { marketId: 'BTC_ONE_DAY', prediction, amount: 1 });
      assert.equal(reply.status, 201, reply.text);
      if (msAfterEach !== null) this.after(msAfterEach);
    }
  }

  ask(socket: FakeSocket, message: object): void {
    socket.owner?.onMessage(Buffer.from(JSON.stringify({ id: 1, ...message })), false);
    this.run();
  }

  after(ms: number): void {
    this.nowMs += ms;
    this.near.pump();
    this.hub.turn();
    this.run();
  }
  /** Returns how many turns of the event loop it took. */
  run(): number {
    let turns = 0;
    for (let next = this.#later.shift(); next !== undefined; next = this.#later.shift(), turns++) next();
    return turns;
  }
}

test('the first change of a market is sent at once, and those within the next flush as one, the newest', () => {
  const bench = new HubBench();
  const socket = bench.open();
  bench.ask(socket, { op: 'subscribe', channel: 'markets', markets: ['BTC_ONE_DAY'] });
  const betsTold = () => socket.take('markets').map(({ data }) => data[0]?.totalBets);
  assert.deepEqual(betsTold(), [0]);
  bench.after(FLUSH_MS);
  bench.bet(5, FLUSH_MS / 10);
  assert.deepEqual(betsTold(), [1]);
  bench.after((FLUSH_MS * 6) / 10 - 1);
  assert.deepEqual(betsTold(), []);
  bench.after(1);
  assert.deepEqual(betsTold(), [5]);
  bench.after(FLUSH_MS);
  assert.deepEqual(betsTold(), [], 'nothing has changed since');
  const { board } = bench.near.gateway;
  const writes = [0, 1, 1].map((bets) => {
    const before = board.markets.version;
    bench.bet(bets);
    return board.markets.version - before;
  });
  assert.deepEqual(writes, [0, 1, 0], 'more bets of a market wait for the next publication');
  bench.hub.turn();
  assert.deepEqual(betsTold(), [6]);
  bench.api.configure((rules) => ({ ...rules, markets: rules.markets.slice(0, 1) }));
  bench.after(FLUSH_MS);
  const accepting = socket.take('markets').map(({ data }) => data[0]?.acceptsOrders);
  assert.deepEqual(accepting, [false], 'the market has left the rules, and its orders get 404');
});

test('the first change of a price is sent at once, whatever others do; the next is held back', () => {
  const bench = new HubBench();
  const socket = bench.open();
  bench.ask(socket, { op: 'subscribe', channel: 'prices' });
  socket.take('prices');
  const sentAfter = (ms: number): (readonly [string, number | null])[] => {
    bench.after(ms);
    return socket.take('prices').flatMap(({ data }) => data.map(({ crypto, price }) => [crypto, price]));
  };
  bench.api.ticks[0] = 101;
  assert.deepEqual(sentAfter(1), [['BTC', 101]]);
  [bench.api.ticks[0], bench.api.ticks[1]] = [102, 7];
  assert.deepEqual(sentAfter(1), [['ETH', 7]]);
  bench.api.ticks[0] = 103;
  assert.deepEqual([sentAfter(FLUSH_MS - 2), sentAfter(1), sentAfter(FLUSH_MS)], [[], [['BTC', 103]], []]);
});

test('a message for many is rendered once, and a client that does not read is cut off alone', () => {
  const bench = new HubBench();
  const [slow, quick] = [bench.open(), bench.open()];
  for (const socket of [slow, quick]) bench.ask(socket, { op: 'subscribe', channel: 'markets' });
  slow.isRead = false;
  for (let step = 0; slow.closedWith === null && step < 10_000; step++) {
    bench.bet();
    bench.after(FLUSH_MS);
  }
  assert.equal(slow.closedWith, '4408 slow_consumer');
  const last = slow.sent.at(-1);
  assert.ok(last?.type === 'error' && last.code === 'slow_consumer' && last.id === null);
  assert.ok(slow.waitingBytes > 1024 * 1024 && slow.waitingBytes < 1.1 * 1024 * 1024);
  assert.equal(quick.closedWith, null);
  quick.take('markets');
  const another = bench.open();
  quick.onSend = () => {
    bench.nowMs += FLUSH_MS;
  };
  for (let times = 0; times < 5; times++) {
    bench.bet();
    bench.near.pump();
    bench.ask(another, { op: 'subscribe', channel: 'markets' });
  }
  assert.equal(quick.take('markets').length, 1, 'its share of the time, whoever subscribes meanwhile');
});

test('pings and heartbeats go out in slices that take a turn each', () => {
  const bench = new HubBench();
  for (let opened = 0; opened < 20; opened++) bench.open().onSend = () => void bench.nowMs++;
  bench.hub.turn();
  assert.equal(bench.run(), 2);
});

test('a client that gives no sign of life to two pings is told so, and no other', () => {
  const bench = new HubBench();
  const [stopped, answering, sending, reading] = [bench.open(), bench.open(), bench.open(), bench.open()];
  for (const socket of [stopped, sending, reading]) socket.answersPings = false;
  const pings: number[] = [];
  for (let round = 0; round < 4; round++) {
    assert.equal(stopped.closedWith, round < 3 ? null : '4408 slow_consumer');
    bench.after(14_999);
    bench.after(1);
    pings.push(stopped.pings);
    if (round === 1) bench.ask(sending, { op: 'ping' });
    if (round === 1) reading.drain();
  }
  assert.equal(reading.closedWith, null, 'what waited for it was read');
  assert.deepEqual(pings, [1, 2, 2, 2]);
  assert.deepEqual([stopped.sent.at(-1)?.type, answering.closedWith ?? sending.closedWith], ['error', null]);
  answering.waitingBytes = 1024 * 1024 + 1;
  answering.owner?.onPing();
  assert.equal(answering.closedWith, '4408 slow_consumer', 'answers to its own pings wait unread');
});

test('the first fifty messages of a second are answered, and further ones refused', () => {
  const bench = new HubBench();
  const socket = bench.open();
  const answered = (pings: number, afterMs: number): number => {
    bench.after(afterMs);
    for (let sent = 0; sent < pings; sent++) bench.ask(socket, { op: 'ping' });
    const pongs = socket.take('pong').length;
    const refused = socket.take('error').filter(({ retryAfterSeconds }) => retryAfterSeconds === 1);
    assert.equal(refused.length, pings - pongs);
    return pongs;
  };
  assert.deepEqual([answered(52, 0), answered(1, 999), answered(51, 1)], [50, 0, 50]);
  for (let second = 0; second < 10; second++) assert.equal(answered(50, 1_000), 50);
});

test('ten messages in a row that are not understood end a stream, and not ten in all', () => {
  const bench = new HubBench();
  const socket = bench.open();
  for (let sent = 1; sent < 20; sent++) bench.ask(socket, { op: sent === 10 ? 'ping' : 'dance' });
  assert.equal(socket.closedWith, null);
  bench.ask(socket, { op: 'dance' });
  assert.equal(socket.closedWith, '4400 invalid_request');
});

test('an upgrade that comes about no more takes none of the streams of its key', () => {
  const bench = new HubBench();
  for (let failed = 0; failed < 20; failed++) bench.open(false);
  assert.equal(bench.open().take('heartbeat').length, 1);
});

test('answers of a stream that come one behind the other go out together, and nothing overtakes them', async () => {
  const bench = new HubBench();
  const sockets = [bench.open(), bench.open()] as const;
  const answer = (of: 0 | 1, id: number, pendingOrders = 2): void => {
    const { owner } = sockets[of];
    assert.ok(owner instanceof Connection);
    owner.pendingOrders = pendingOrders;
    bench.hub.sendAnswer(owner, JSON.stringify({ type: 'order', id }));
  };
  const got = (of: 0 | 1) =>
    sockets[of].sent.splice(0).map((message) => ('id' in message ? message.id : message.type));
  for (const of of [0, 1] as const) assert.deepEqual(got(of), ['heartbeat']);
  for (const id of [1, 2]) answer(0, id);
  assert.deepEqual(got(0), []);
  answer(1, 3);
  assert.deepEqual([got(0), sockets[0].writes], [[1, 2], [2]]);
  bench.ask(sockets[1], { op: 'ping', id: 4 });
  assert.deepEqual(got(1), [3, 4]);
  answer(1, 5);
  await nextTurn();
  assert.deepEqual(got(1), [5], 'by the end of the turn');
  answer(1, 6);
  answer(1, 7, 1);
  answer(0, 8, 1);
  assert.deepEqual([got(1), got(0)], [[6, 7], [8]], 'no more can come');
  answer(1, 9);
  answer(0, 10);
  await bench.hub.close();
  assert.deepEqual([got(1), got(0), sockets[0].closedWith], [[9], [10], '1001 shutting_down']);
});

test('a server that stops answers what waits, and does not take that for the end of bots with a countdown', async () => {
  const bench = new HubBench();
  const [gone, staying, other] = [bench.open(), bench.open(), bench.open()];
  for (const socket of [gone, staying, gone]) bench.ask(socket, { op: 'deadman', seconds: 5 });
  bench.ask(other, { op: 'deadman', seconds: 0 });
  for (const socket of [gone, other]) socket.close(1006, 'gone');
  const asked = ['first: true', 'first: true', 'first: false', 'first: false', 'deadmanEnded'];
  assert.deepEqual(bench.asked, asked);
  bench.api.settle();
  const [, late, awaited, , later] = bench.told;
  for (const tell of [late, later]) tell?.();
  const closed = bench.hub.close();
  assert.throws(() => bench.open(), { code: 'shutting_down' });
  assert.equal(staying.closedWith, null);
  awaited?.();
  await closed;
  assert.deepEqual([staying.take('deadman').length, staying.closedWith], [1, '1001 shutting_down']);
  assert.deepEqual(bench.asked, asked);
});

test('old events are sent as fast as the client reads, and none twice', () => {
  const bench = new HubBench();
  const socket = bench.open();
  const since = bench.hub.moment().seq;
  bench.bet(2_000);
  socket.isRead = false;
  bench.ask(socket, { op: 'subscribe', channel: 'fills', since, ...RUN });
  const first = socket.take('fills').length;
  assert.ok(first > 0 && first < 1_900 && socket.waitingBytes < 300 * 1024);
  bench.journalHead = headOf(7);
  bench.after(2_000);
  assert.equal(socket.take('heartbeat').length, 1, 'only the first: a later one would say that all is sent');
  bench.bet(10);
  socket.drain();
  bench.after(1);
  assert.equal(first + socket.take('fills').length, 2_010);
  bench.after(2_000);
  assert.deepEqual(toldHeads(socket), [bench.journalHead]);
});

test('who resumes again and again is sent old events once, and new ones until it leaves', () => {
  const bench = new HubBench();
  const socket = bench.open();
  socket.onSend = () => {
    bench.nowMs += 100;
  };
  const since = bench.hub.moment().seq;
  bench.bet(3);
  const again = Buffer.from(JSON.stringify({ op: 'subscribe', id: 1, channel: 'fills', since, ...RUN }));
  for (let times = 0; times < 40; times++) socket.owner?.onMessage(again, false);
  assert.deepEqual([bench.run(), socket.take('subscribed').length, socket.take('fills').length], [4, 40, 3]);
  bench.bet(2);
  bench.hub.turn();
  assert.deepEqual([bench.run(), socket.take('fills').length, socket.take('heartbeat').length], [1, 2, 2]);
  // Refused, so the subscription before goes on.
  bench.ask(socket, { op: 'subscribe', channel: 'fills', since: since + 1_000_000, ...RUN });
  const [other, ...others] = [bench.open(), ...Array.from({ length: 17 }, () => bench.open())];
  for (const one of others) bench.ask(one, { op: 'subscribe', channel: 'fills' });
  bench.bet(3);
  // Some have their turn, and the rest of the messages waits while one catches up.
  bench.hub.turn();
  bench.ask(other, { op: 'subscribe', channel: 'fills', since, ...RUN });
  const told = [socket, other, ...others].map((of) => of.take('fills').length);
  assert.deepEqual(told, [3, 8, ...others.map(() => 3)]);
  for (const one of [other, ...others]) one.close(1006, 'gone');
  bench.ask(socket, { op: 'unsubscribe', channel: 'fills' });
  bench.bet();
  bench.after(1_000);
  assert.deepEqual([socket.take('fills').length, socket.take('heartbeat').length], [0, 1]);
  for (const told of [0, 1])
    for (const channel of ['fills', 'markets', 'prices'] as const) {
      const leaving = bench.open();
      leaving.onSend = () => leaving.sent.length <= told || leaving.close(1006, 'while it is told');
      bench.ask(leaving, { op: 'subscribe', channel, ...(channel === 'fills' && { since, ...RUN }) });
      assert.equal(leaving.take(channel).length, told);
    }
  bench.near.gateway.broadcast.sleep = () => assert.fail('nobody listens');
  bench.after(1);
});

test('a head of the journal is in the first heartbeat of each stream, and once in those of all when it is new', () => {
  const bench = new HubBench();
  const first = bench.open();
  const heads: SignedHead[] = [];
  for (const seq of [7, 8]) {
    bench.journalHead = headOf(seq);
    heads.push(bench.journalHead);
    bench.after(1_000);
    bench.after(1_000);
  }
  assert.deepEqual(toldHeads(first), [null, heads[0], null, heads[1], null]);
  const second = bench.open();
  bench.after(1_000);
  assert.deepEqual([toldHeads(first), toldHeads(second)], [[null], [heads[1], null]]);
  for (const passedMs of [0, 1_000]) {
    bench.stoodMs = bench.nowMs + passedMs;
    bench.after(1_000 - passedMs);
    assert.equal(first.take('heartbeat').length, 1, 'without it clients would give the stream up');
  }
});

test('the first balance is the newest, each later one is told once, and a new key stands for none', () => {
  const bench = new HubBench();
  const [socket, second] = [bench.open(), bench.open()];
  const balancesOf = (of: FakeSocket) => of.take('account').map(({ data }) => data.balance);
  for (bench.isFull of [false, true]) bench.ask(socket, { op: 'subscribe', channel: 'account' });
  bench.isFull = false;
  bench.api.addKey(bench.bettor.account);
  bench.after(FLUSH_MS);
  bench.told.shift()?.();
  assert.deepEqual([errorsOf(socket), balancesOf(socket)], [[['overloaded', 1]], [10_000]]);
  const ops = ['subscribe', 'subscribe', 'unsubscribe', 'subscribe'];
  for (const [id, op] of ops.entries()) bench.ask(second, { op, channel: 'account', id });
  bench.near.pump();
  bench.bet();
  for (const tell of bench.told) tell();
  const answers = second.sent.flatMap((sent) => ('id' in sent ? [`${sent.id} ${sent.type}`] : []));
  assert.deepEqual([answers, balancesOf(second)], [ops.map((op, id) => `${id} ${op}d`), [9_999]]);
  bench.after(FLUSH_MS);
  bench.bet(2, FLUSH_MS);
  assert.deepEqual(balancesOf(socket), [9_999, 9_998, 9_997]);
  assert.deepEqual(balancesOf(second), [9_998, 9_997]);
  const writer = new LogWriter(bench.near.memory.broadcast.bets, BETS_FORM);
  for (let lap = 0; lap < 2; lap++, writer.publish(), bench.hub.wake())
    for (let record = 0; record < 100_000; record++) writer.begin();
  bench.after(FLUSH_MS);
  assert.equal(socket.closedWith, null, 'a channel that waits for its flush reads on');
});

test('what was overwritten is not resumed, whether it waited or was asked for', () => {
  const bench = new HubBench();
  const socket = bench.open();
  const since = bench.hub.moment().seq;
  bench.ask(socket, { op: 'subscribe', channel: 'fills' });
  const [lagging, early, late] = [bench.open(), bench.open(), bench.open()];
  lagging.waitingBytes = 256 * 1024;
  bench.ask(lagging, { op: 'subscribe', channel: 'fills', since, ...RUN });
  for (const opened of [early, late]) bench.ask(opened, { op: 'subscribe', channel: 'account' });
  bench.near.pump();
  bench.told.shift()?.();
  // More than the log holds, before the gateway has its turn.
  const writer = new LogWriter(bench.near.memory.broadcast.bets, BETS_FORM);
  const last = since + BETS_FORM.records + 1_000;
  for (let seq = since + 1; seq <= last; seq++) writer.cells[writer.begin()] = seq;
  writer.publish();
  bench.told.shift()?.();
  for (const { closedWith } of [early, late]) assert.equal(closedWith, '4409 resync_required');
  lagging.drain();
  bench.after(1);
  bench.after(1_000);
  assert.deepEqual([errorsOf(lagging), lagging.take('heartbeat').length], [[['resync_required', 1]], 2]);
  assert.match(socket.take('error')[0]?.message ?? '', /^the channel fills is far behind: open another/);
  assert.equal(socket.closedWith, '4409 resync_required');
  const next = bench.open();
  for (const unknown of [since, last + 1]) {
    bench.ask(next, { op: 'subscribe', channel: 'fills', since: unknown, ...RUN });
    assert.deepEqual(errorsOf(next), [['resync_required', 1]]);
  }
  for (const run of [undefined, 'two']) {
    bench.ask(next, { op: 'subscribe', channel: 'fills', since: last, run });
    assert.deepEqual(errorsOf(next), [['resync_required', 1]], 'of another run');
  }
  bench.ask(next, { op: 'subscribe', channel: 'fills', since: last, ...RUN });
  assert.equal(next.take('subscribed').length, 1, 'the newest event, whose number is not told yet');
});
