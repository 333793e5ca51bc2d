/** Many streams of bots, in the suite's own process. Only the beginning of a message is read. */
import { WebSocket } from 'ws';
import { must } from '../../engine/base/assert.js';

interface StreamGroup {
  /** Each key opens `each` streams. */
  readonly keys: readonly string[];
  readonly each: number;
  readonly messages: readonly string[];
  /** Placed by the group's streams in turn, the next when one is answered; none for listeners. */
  readonly orders: readonly string[];
  /** A stream places so many, and waits for all the answers. */
  readonly atOnce?: number;
  /** Orders that wait for an answer at any time. */
  readonly inFlight?: number;
}

export interface Counted {
  seconds: number;
  messages: number;
  bytes: number;
  /** The server's words on each order that it refused. */
  readonly refused: string[];
  /** From the time in messages of this type to their arrival: every 16th, all fills. */
  readonly delaysMs: { readonly markets: number[]; readonly fills: number[] };
  readonly orderUs: number[];
}

const OPENED_AT_ONCE = 64;
/** The time of one in so many messages of markets is looked at. */
const SAMPLED = 16;
const HEAD_BYTES = 96;
const TIME = /"time":"([^"]+)"/;

export class Streams {
  readonly #sockets: WebSocket[] = [];
  /** Each places orders on a stream that has none in flight; the longest idle first. */
  readonly #idle: (() => void)[] = [];
  #inFlight = 0;
  #counting: Counted | null = null;
  #failure: Error | null = null;
  #beganMs = 0;
  #placed = 0;

  static async open(port: number, groups: readonly StreamGroup[]): Promise<Streams> {
    const streams = new Streams();
    for (const group of groups) {
      const keys = group.keys.flatMap((key) => Array.from({ length: group.each }, () => key));
      for (let at = 0; at < keys.length; at += OPENED_AT_ONCE) {
        const some = keys.slice(at, at + OPENED_AT_ONCE);
        await Promise.all(some.map((key) => streams.#open(port, key, group)));
      }
    }
    return streams;
  }

  /** Orders that were answered, counted or not. */
  get placed(): number {
    return this.#placed;
  }

  beginCount(): void {
    this.#beganMs = performance.now();
    this.#counting = {
      ...{ seconds: 0, messages: 0, bytes: 0, refused: [] },
      ...{ delaysMs: { markets: [], fills: [] }, orderUs: [] },
    };
  }

  endCount(): Counted {
    const counted = must(this.#counting, 'a count');
    this.#counting = null;
    counted.seconds = (performance.now() - this.#beganMs) / 1000;
    if (this.#failure !== null) throw this.#failure;
    return counted;
  }

  close(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('close').terminate();
  }

  #open(
    port: number,
    key: string,
    { messages, orders, atOnce = 1, inFlight = 0 }: StreamGroup,
  ): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/stream`, {
      headers: { 'X-API-Key': key },
      ...{ perMessageDeflate: false, skipUTF8Validation: true },
    });
    this.#sockets.push(socket);
    let next = Math.floor(Math.random() * orders.length);
    let sentAtMs = 0;
    let awaited = 0;
    const order = (): void => {
      sentAtMs = performance.now();
      for (; awaited < atOnce; awaited++) socket.send(must(orders[next++ % orders.length], 'an order'));
    };
    socket.on('open', () => {
      for (const message of messages) socket.send(message);
      if (this.#inFlight < inFlight) {
        this.#inFlight += atOnce;
        order();
      } else if (inFlight > 0) this.#idle.push(order);
    });
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        this.#failure = error;
        reject(error);
      };
      socket.on('error', fail);
      socket.on('close', () => fail(new Error('the server closed a stream')));
      socket.on('message', (message: Buffer) => {
        const head = message.toString('latin1', 0, HEAD_BYTES);
        if (head.startsWith('{"type":"heartbeat"')) resolve();
        this.#count(head, message.length);
        const isError = head.startsWith('{"type":"error"');
        if (orders.length === 0 || !(isError || head.startsWith('{"type":"order"'))) return;
        this.#counting?.orderUs.push((performance.now() - sentAtMs) * 1000);
        if (!isError) this.#placed += 1;
        else this.#counting?.refused.push(message.toString());
        awaited -= 1;
        if (awaited > 0) return;
        this.#idle.push(order);
        this.#idle.shift()?.();
      });
    });
  }

  #count(head: string, bytes: number): void {
    const counting = this.#counting;
    if (counting === null) return;
    counting.messages += 1;
    counting.bytes += bytes;
    const delayMs = (): number => Date.now() - Date.parse(TIME.exec(head)?.[1] ?? '');
    if (head.startsWith('{"type":"fills"')) counting.delaysMs.fills.push(delayMs());
    else if (counting.messages % SAMPLED === 0 && head.startsWith('{"type":"markets"'))
      counting.delaysMs.markets.push(delayMs());
  }
}
