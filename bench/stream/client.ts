/** The client process of the section `stream`: many streams, of whose messages it reads the beginning only. */
import { WebSocket } from 'ws';
import { assert, must } from '../../engine/base/assert.js';

/** Some streams that do the same. */
export interface StreamGroup {
  /** Each opens `each` streams. */
  readonly keys: readonly string[];
  readonly each: number;
  /** Sent when a stream is open. */
  readonly messages: readonly string[];
  /** Orders to place one after the other, each when the last one is answered; none for listeners. */
  readonly orders: readonly string[];
}

export interface StreamJob {
  readonly port: number;
  readonly groups: readonly StreamGroup[];
}

/** `begin`: counts from now on. `end`: tells what was counted. */
export type ToStreams =
  | { readonly type: 'job'; readonly job: StreamJob }
  | { readonly type: 'begin' | 'end' };

export interface Counted {
  readonly type: 'counted';
  readonly seconds: number;
  readonly messages: number;
  readonly bytes: number;
  /** Milliseconds from the time in messages of this type to their arrival: every 16th, all fills. */
  readonly delaysMs: { readonly markets: readonly number[]; readonly fills: readonly number[] };
  /** Microseconds from an order to its answer. */
  readonly orderUs: readonly number[];
  readonly refused: number;
}

export type FromStreams = { readonly type: 'ready' } | Counted;

/** Opened at once. */
const OPENED_AT_ONCE = 64;
/** Of messages of markets, the time of one in so many is looked at. */
const SAMPLED = 16;
/** Type, number and time of a message stand in so many bytes. */
const HEAD_BYTES = 96;
const TIME = /"time":"([^"]+)"/;

const nothing = () => ({
  messages: 0,
  bytes: 0,
  refused: 0,
  delaysMs: { markets: [] as number[], fills: [] as number[] },
  orderUs: [] as number[],
});
let counting: ReturnType<typeof nothing> | null = null;
let beganMs = 0;

function send(message: FromStreams): void {
  assert(process.send !== undefined, 'a parent process started this one');
  process.send(message);
}

function count(head: string, bytes: number): void {
  if (counting === null) return;
  counting.messages += 1;
  counting.bytes += bytes;
  const delayMs = (): number => Date.now() - Date.parse(TIME.exec(head)?.[1] ?? '');
  if (head.startsWith('{"type":"fills"')) counting.delaysMs.fills.push(delayMs());
  else if (counting.messages % SAMPLED === 0 && head.startsWith('{"type":"markets"'))
    counting.delaysMs.markets.push(delayMs());
}

/** Opens a stream; resolves when its first heartbeat has arrived. */
function open(port: number, key: string, { messages, orders }: StreamGroup): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/stream`, {
      headers: { 'X-API-Key': key },
      perMessageDeflate: false,
      skipUTF8Validation: true,
    });
    let next = Math.floor(Math.random() * orders.length);
    let sentAtMs = 0;
    const order = (): void => {
      sentAtMs = performance.now();
      socket.send(must(orders[next++ % orders.length], 'an order'));
    };
    socket.on('open', () => {
      for (const message of messages) socket.send(message);
      if (orders.length > 0) order();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a stream')));
    socket.on('message', (message: Buffer) => {
      const head = message.toString('latin1', 0, HEAD_BYTES);
      if (head.startsWith('{"type":"heartbeat"')) resolve();
      count(head, message.length);
      const isError = head.startsWith('{"type":"error"');
      if (orders.length === 0 || !(isError || head.startsWith('{"type":"order"'))) return;
      counting?.orderUs.push((performance.now() - sentAtMs) * 1000);
      if (counting !== null && isError) counting.refused += 1;
      order();
    });
  });
}

async function run({ port, groups }: StreamJob): Promise<void> {
  for (const group of groups) {
    const keys = group.keys.flatMap((key) => Array.from({ length: group.each }, () => key));
    for (let at = 0; at < keys.length; at += OPENED_AT_ONCE) {
      await Promise.all(keys.slice(at, at + OPENED_AT_ONCE).map((key) => open(port, key, group)));
    }
  }
  send({ type: 'ready' });
}

process.on('message', (message: ToStreams) => {
  if (message.type === 'job') {
    run(message.job).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      process.exit(1);
    });
  } else if (message.type === 'begin') {
    beganMs = performance.now();
    counting = nothing();
  } else {
    const seconds = (performance.now() - beganMs) / 1000;
    send({ type: 'counted', seconds, ...must(counting, 'what was counted') });
    counting = null;
  }
});
