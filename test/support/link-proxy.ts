/**
 * A TCP link that a test can break: cut, in both directions or in one, so that bytes vanish as in a network that
 * drops packets; with its connections closed; or with answers that get lost.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export type Direction = 'up' | 'down' | 'both';

/** In place of each lost answer the connection is closed, after `last` in that of the last one. */
export interface Losses {
  /** A connection has carried this to the server before one of its answers may get lost. */
  readonly after: string;
  readonly count: number;
  readonly last?: string;
}

export class LinkProxy {
  readonly lost: string[] = [];
  readonly #sockets = new Set<Socket>();
  #cut: Direction | null = null;

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly losses: Losses,
  ) {}

  static async open(port: number, losses: Losses = { after: '', count: 0 }): Promise<LinkProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a listening server has a port');
    const proxy = new LinkProxy(server, address.port, losses);
    server.on('connection', (client) => proxy.#link(client, connect(port, '127.0.0.1')));
    return proxy;
  }

  cut(direction: Direction): void {
    this.#cut = direction;
  }

  /** The link carries bytes again; connections that have lost some are closed. */
  heal(): void {
    this.#cut = null;
    this.closeConnections();
  }

  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.server.close();
    this.closeConnections();
  }

  #link(client: Socket, server: Socket): void {
    const { after, count, last = '' } = this.losses;
    let mayLose = false;
    this.#carry(client, server, 'up', (bytes) => {
      mayLose ||= bytes.includes(after);
      server.write(bytes);
    });
    this.#carry(server, client, 'down', (bytes) => {
      if (mayLose && this.lost.length < count) {
        const isLast = this.lost.push(bytes.toString()) === count;
        client.end(isLast ? last : '', () => client.destroy());
      } else client.write(bytes);
    });
  }

  #carry(from: Socket, to: Socket, direction: Direction, pass: (bytes: Buffer) => void): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      if (this.#cut !== 'both' && this.#cut !== direction) pass(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
