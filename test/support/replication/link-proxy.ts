/** A TCP link that a test can cut, in both directions or in one: then bytes vanish, as in a network that drops packets. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** From the client to the server, or back. */
export type Direction = 'up' | 'down' | 'both';

export class LinkProxy {
  readonly #sockets = new Set<Socket>();
  #cut: Direction | null = null;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** A link to `port` on this machine. */
  static async open(port: number): Promise<LinkProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a listening server has a port');
    const proxy = new LinkProxy(server, address.port);
    server.on('connection', (client) => proxy.#link(client, connect(port, '127.0.0.1')));
    return proxy;
  }

  cut(direction: Direction): void {
    this.#cut = direction;
  }

  /** The link carries bytes again; connections that have lost some are closed. */
  heal(): void {
    this.#cut = null;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #link(client: Socket, server: Socket): void {
    this.#carry(client, server, 'up');
    this.#carry(server, client, 'down');
  }

  #carry(from: Socket, to: Socket, direction: Direction): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      if (this.#cut !== 'both' && this.#cut !== direction) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
