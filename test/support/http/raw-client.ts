/** A client that sends arbitrary bytes, for tests of things that no well-behaved HTTP client does. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class RawClient {
  /** latin1, so that a character is a byte. */
  received = '';
  isClosed = false;
  readonly closed: Promise<void>;
  #waiting: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.received += text;
      this.#wake();
    });
    // A reset is one of the ways in which a connection ends.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.isClosed = true;
        this.#wake();
        resolve();
      });
    });
  }

  static async open(port: number, from = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    const client = new RawClient(socket);
    await Promise.race([once(socket, 'connect'), client.closed]);
    return client;
  }

  send(...lines: readonly string[]): void {
    this.socket.write(lines.join('\r\n'), 'latin1');
  }

  /** Resolves once the kernel has the bytes, or the connection is gone. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await new Promise((resolve) => this.socket.write(bytes, resolve));
  }

  /** Resolves with everything received once `pattern` is in it, or the connection is gone. */
  async sees(pattern: RegExp): Promise<string> {
    return this.until((received) => pattern.test(received));
  }

  /** Resolves with everything received once it `holds`, or the connection is gone. */
  async until(holds: (received: string) => boolean): Promise<string> {
    while (!holds(this.received) && !this.isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.received;
  }

  async toEnd(): Promise<string> {
    await this.closed;
    return this.received;
  }

  async close(): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
