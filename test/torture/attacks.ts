/**
 * Clients that mean harm: each takes much of what a server has little of, descriptors, buffers, time between two bytes.
 * They are paced, so that what is measured is the server and not how two programs share a core. slowhttptest's attacks
 * stand beside our own where it is installed.
 */
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { isAvailable } from '../support/programs.js';

export interface Attack {
  readonly name: string;
  /** Begins, and goes on until the function that it returns is called. */
  readonly begin: (port: number) => () => void;
}

const HEAD = 'GET /v1/markets HTTP/1.1\r\nHost: attack\r\n';
const POST = 'POST /v1/orders HTTP/1.1\r\nHost: attack\r\nContent-Type: application/json\r\n';
const DRIBBLE_EVERY_MS = 1_000;
/** Pause of a lane between two connections or requests. */
const LANE_PAUSE_MS = 50;
const SLOW_CONNECTIONS = 2_000;
const READERS = 500;
const FLOOD_CONNECTIONS = 12_000;
const FAST_LANES = 100;

export const ATTACKS: readonly Attack[] = [
  { name: 'slow headers', begin: (port) => dribble(port, HEAD, () => `X-${Math.random()}: a\r\n`) },
  { name: 'slow bodies', begin: (port) => dribble(port, `${POST}Content-Length: 60000\r\n\r\n`, () => ' ') },
  { name: 'slow readers', begin: slowReaders },
  { name: 'half-closed connections', begin: (port) => reconnecting(port, `${HEAD}\r\n`, true) },
  {
    name: 'half requests, then gone',
    begin: (port) => reconnecting(port, `${POST}Content-Length: 50\r\n\r\n{`, true),
  },
  { name: 'garbage', begin: (port) => reconnecting(port, '\x16\x03\x01\x02\x00\x01\x00', false) },
  { name: 'unknown keys', begin: unknownKeys },
  { name: 'a flood of connections', begin: (port) => flood(port) },
  ...slowHttpTest('slowhttptest, slow headers', ['-H', '-i', '1']),
  ...slowHttpTest('slowhttptest, slow bodies', ['-B', '-i', '1', '-s', '60000']),
  ...slowHttpTest('slowhttptest, slow reading', [
    '-X',
    '-w',
    '10',
    '-y',
    '20',
    '-n',
    '1',
    '-z',
    '32',
    '-k',
    '3',
  ]),
];

/** A socket whose end, of whichever kind, is nobody's concern. */
function open(port: number, onConnect: (socket: Socket) => void): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => onConnect(socket));
  socket.on('error', () => {});
  return socket;
}

/** Keeps `count` sockets open: one that the server closes is opened again. */
function keepOpen(count: number, make: () => Socket): { readonly sockets: Set<Socket>; stop(): void } {
  const sockets = new Set<Socket>();
  let isOver = false;
  const add = (): void => {
    const socket = make();
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(add, DRIBBLE_EVERY_MS);
    });
  };
  for (let n = 0; n < count; n++) add();
  return {
    sockets,
    stop: () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Begins a request and never ends it, a little more at a time. */
function dribble(port: number, beginning: string, more: () => string): () => void {
  const held = keepOpen(SLOW_CONNECTIONS, () =>
    open(port, (socket) => void socket.write(beginning)).resume(),
  );
  const timer = setInterval(() => {
    for (const socket of held.sockets) if (socket.writable) socket.write(more());
  }, DRIBBLE_EVERY_MS);
  return () => {
    clearInterval(timer);
    held.stop();
  };
}

/** Asks for the longest answer and does not read it. */
function slowReaders(port: number): () => void {
  const request = 'GET /v1/openapi.json HTTP/1.1\r\nHost: attack\r\n\r\n';
  const held = keepOpen(READERS, () => {
    const socket = open(port, () => void socket.write(request));
    return socket.pause();
  });
  return held.stop;
}

/** Connects, sends, and leaves, again and again. */
function reconnecting(port: number, bytes: string, isHalfClosed: boolean): () => void {
  let isOver = false;
  const lane = (): void => {
    if (isOver) return;
    const socket = open(port, () => {
      if (isHalfClosed) socket.end(bytes, 'latin1');
      else socket.write(bytes, 'latin1', () => socket.destroy());
    }).resume();
    socket.once('close', () => setTimeout(lane, LANE_PAUSE_MS));
  };
  for (let n = 0; n < FAST_LANES; n++) lane();
  return () => {
    isOver = true;
  };
}

/** Guesses keys. */
function unknownKeys(port: number): () => void {
  const request = `${HEAD}X-API-Key: tote_${'A'.repeat(43)}\r\n\r\n`;
  const held = keepOpen(FAST_LANES, () => {
    const socket = open(port, () => void socket.write(request));
    return socket.on('data', () => setTimeout(() => socket.write(request), LANE_PAUSE_MS));
  });
  return held.stop;
}

/** More connections than the server takes. */
const flood = (port: number): (() => void) => keepOpen(FLOOD_CONNECTIONS, () => open(port, () => {})).stop;

function slowHttpTest(name: string, args: readonly string[]): Attack[] {
  if (!isAvailable('slowhttptest')) return [];
  const begin = (port: number): (() => void) => {
    const url = `http://127.0.0.1:${port}/v1/openapi.json`;
    const child = spawn('slowhttptest', [...args, '-c', '1000', '-r', '500', '-l', '600', '-u', url], {
      stdio: 'ignore',
    });
    return () => void child.kill('SIGKILL');
  };
  return [{ name, begin }];
}
