/**
 * Attackers: each uses up something scarce, such as descriptors, buffers, or time between two bytes. Their sockets
 * act evenly over a period, like those of many machines; acting in one instant would measure how long a core needs
 * for the burst.
 */
import { connect, type Socket } from 'node:net';

export interface Deeds {
  opened: number;
  sent: number;
  /** Connections that it did not get, by the reason: it was weaker than it should be. */
  readonly failed: Record<string, number>;
}

interface RunningAttack {
  readonly deeds: Deeds;
  stop(): void;
}

export interface Attack {
  readonly name: string;
  readonly sockets: number;
  readonly begin: (port: number) => RunningAttack;
}

interface Habit {
  readonly sockets: number;
  /** Each socket has one turn in this time, and is opened again if it was closed. */
  readonly periodMs: number;
  /** All sockets are opened at once, as fast as it goes, and only after that in turns. */
  readonly isSudden?: boolean;
  readonly onConnect?: (socket: Socket) => void;
  readonly onTurn?: (socket: Socket) => boolean;
  readonly isDeaf?: boolean;
}

const HEAD = 'GET /v1/markets HTTP/1.1\r\nHost: attack\r\n';
const POST = 'POST /v1/orders HTTP/1.1\r\nHost: attack\r\nContent-Type: application/json\r\n';
const SLOW_MS = 1_000;
const FAST_MS = 50;
const SLOW_CONNECTIONS = 2_000;
const READERS = 500;
const FLOOD_CONNECTIONS = 12_000;
const FAST_LANES = 100;
const LOOK_EVERY_MS = 1;
/** Loopback addresses that Linux has by default, so that attackers and polite clients differ in theirs. */
const SOURCES =
  process.platform === 'linux' ? Array.from({ length: 8 }, (_, index) => `127.0.1.${index + 1}`) : [];

export const ATTACKS: readonly Attack[] = [
  dribbling('slow headers', HEAD, () => `X-${Math.random()}: a\r\n`),
  dribbling('slow bodies', `${POST}Content-Length: 4096\r\n\r\n`, () => ' '),
  dribbling('slow bodies, too long', `${POST}Content-Length: 60000\r\n\r\n`, () => ' '),
  attack('slow readers', {
    sockets: READERS,
    periodMs: SLOW_MS,
    onConnect: (socket) => socket.write('GET /v1/openapi.json HTTP/1.1\r\nHost: attack\r\n\r\n'),
    isDeaf: true,
  }),
  reconnecting('half-closed connections', (socket) => socket.end(`${HEAD}\r\n`)),
  reconnecting('half requests, then gone', (socket) => socket.end(`${POST}Content-Length: 50\r\n\r\n{`)),
  reconnecting('garbage', (socket) =>
    socket.write('\x16\x03\x01\x02\x00\x01\x00', 'latin1', () => socket.destroy()),
  ),
  guessing('unknown keys'),
  attack('a flood of connections', { sockets: FLOOD_CONNECTIONS, periodMs: SLOW_MS, isSudden: true }),
];

function attack(name: string, habit: Habit): Attack {
  return { name, sockets: habit.sockets, begin: (port) => new Mob(port, habit) };
}

function dribbling(name: string, beginning: string, more: () => string): Attack {
  return attack(name, {
    sockets: SLOW_CONNECTIONS,
    periodMs: SLOW_MS,
    onConnect: (socket) => socket.write(beginning),
    onTurn: (socket) => {
      socket.write(more());
      return true;
    },
  });
}

function reconnecting(name: string, onConnect: (socket: Socket) => void): Attack {
  return attack(name, { sockets: FAST_LANES, periodMs: FAST_MS, onConnect });
}

/** Each guess follows the answer to the one before. */
function guessing(name: string): Attack {
  const request = `${HEAD}X-API-Key: tote_${'A'.repeat(43)}\r\n\r\n`;
  const waiting = new WeakSet<Socket>();
  return attack(name, {
    sockets: FAST_LANES,
    periodMs: FAST_MS,
    onConnect: (socket) => socket.on('data', () => waiting.delete(socket)),
    onTurn: (socket) => {
      if (waiting.has(socket)) return false;
      waiting.add(socket);
      return socket.write(request);
    },
  });
}

class Mob implements RunningAttack {
  readonly deeds: Deeds = { opened: 0, sent: 0, failed: {} };
  readonly #sockets: (Socket | null)[];
  readonly #startMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #turns = 0;

  constructor(
    private readonly port: number,
    private readonly habit: Habit,
  ) {
    this.#sockets = Array.from({ length: habit.sockets }, () => null);
    if (habit.isSudden === true) for (let slot = 0; slot < habit.sockets; slot++) this.#open(slot);
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket?.destroy();
  }

  /** Turns that came late are all taken. */
  #look(): void {
    const { sockets, periodMs } = this.habit;
    const dueTurns = ((performance.now() - this.#startMs) / periodMs) * sockets;
    while (this.#turns < dueTurns) this.#turn(this.#turns++ % sockets);
  }

  #turn(slot: number): void {
    const socket = this.#sockets[slot];
    if (socket == null) this.#open(slot);
    else if (!socket.connecting && socket.writable && this.habit.onTurn?.(socket) === true) this.deeds.sent++;
  }

  #open(slot: number): void {
    const localAddress = SOURCES[slot % Math.max(SOURCES.length, 1)];
    const from = localAddress === undefined ? {} : { localAddress };
    let isConnected = false;
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true, ...from }, () => {
      isConnected = true;
      this.deeds.opened++;
      this.habit.onConnect?.(socket);
    });
    this.#sockets[slot] = socket;
    if (this.habit.isDeaf === true) socket.pause();
    else socket.resume();
    // The server may end connections as it likes.
    socket.on('error', ({ message }) => {
      if (!isConnected) this.#noteFailure(/\bE[A-Z]+\b/.exec(message)?.[0] ?? message);
    });
    socket.once('close', () => {
      this.#sockets[slot] = null;
    });
  }

  #noteFailure(reason: string): void {
    this.deeds.failed[reason] = (this.deeds.failed[reason] ?? 0) + 1;
  }
}
