/** The client process of the section `stream`: many streams over plain sockets, which read heads of messages only. */
import { connect } from 'node:net';
import { assert, must } from '../../engine/base/assert.js';
import { FrameReader, frameOf } from './frames.js';
import type { Counted, FromStreams, StreamGroup, StreamJob, ToStreams } from './job.js';

/** Opened at once. */
const OPENED_AT_ONCE = 64;
/** Of messages of markets, the time of one in so many is looked at. */
const SAMPLED = 16;
const TIME = /"time":"([^"]+)"/;
const UPGRADE_END = '\r\n\r\n';

let isCounting = false;
let messages = 0;
let bytes = 0;
let refused = 0;
const marketDelaysMs: number[] = [];
const fillDelaysMs: number[] = [];
const orderUs: number[] = [];

function send(message: FromStreams): void {
  assert(process.send !== undefined, 'a parent process started this one');
  process.send(message);
}

const delayMs = (head: string): number => Date.now() - Date.parse(TIME.exec(head)?.[1] ?? '');

/** Opens a stream; resolves when its first message has arrived. */
function open(port: number, key: string, group: StreamGroup): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const orders = group.orders.map(frameOf);
    let next = Math.floor(Math.random() * orders.length);
    let sentAtMs = 0;
    let isOpen = false;
    const order = (): void => {
      sentAtMs = performance.now();
      socket.write(must(orders[next++ % orders.length], 'an order'));
    };
    const reader = new FrameReader((head) => {
      if (head.startsWith('{"type":"heartbeat"')) resolve();
      if (orders.length > 0 && (head.startsWith('{"type":"order"') || head.startsWith('{"type":"error"'))) {
        if (isCounting) orderUs.push((performance.now() - sentAtMs) * 1000);
        if (head.startsWith('{"type":"error"')) refused += 1;
        order();
      }
      if (!isCounting) return;
      messages += 1;
      if (head.startsWith('{"type":"fills"')) fillDelaysMs.push(delayMs(head));
      else if (messages % SAMPLED === 0 && head.startsWith('{"type":"markets"'))
        marketDelaysMs.push(delayMs(head));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a stream')));
    socket.on('data', (chunk: Buffer) => {
      if (isCounting) bytes += chunk.length;
      if (isOpen) {
        reader.feed(chunk);
        return;
      }
      const end = chunk.indexOf(UPGRADE_END);
      if (!chunk.toString('latin1', 0, 12).startsWith('HTTP/1.1 101') || end < 0) {
        reject(new Error(`no upgrade: ${chunk.toString('latin1', 0, 200)}`));
        return;
      }
      isOpen = true;
      for (const message of group.messages) socket.write(frameOf(message));
      if (orders.length > 0) order();
      reader.feed(chunk.subarray(end + UPGRADE_END.length));
    });
    socket.write(
      `GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nX-API-Key: ${key}\r\n\r\n`,
    );
  });
}

async function run({ port, groups }: StreamJob): Promise<void> {
  let streams = 0;
  for (const group of groups) {
    const keys = group.keys.flatMap((key) => Array.from({ length: group.each }, () => key));
    for (let at = 0; at < keys.length; at += OPENED_AT_ONCE) {
      await Promise.all(keys.slice(at, at + OPENED_AT_ONCE).map((key) => open(port, key, group)));
    }
    streams += keys.length;
  }
  send({ type: 'ready', streams });
}

function counted(): Counted {
  isCounting = false;
  const delaysMs = { markets: marketDelaysMs.splice(0), fills: fillDelaysMs.splice(0) };
  const result = { type: 'counted' as const, messages, bytes, delaysMs, orderUs: orderUs.splice(0), refused };
  messages = 0;
  bytes = 0;
  refused = 0;
  return result;
}

process.on('message', (message: ToStreams) => {
  if (message.type === 'job') {
    run(message.job).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      process.exit(1);
    });
  } else if (message.type === 'begin') {
    isCounting = true;
  } else {
    send(counted());
  }
});
