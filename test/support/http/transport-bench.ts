/** A real transport on a real port, with its time and its requests in the test's hand. */
import assert from 'node:assert/strict';
import typia from 'typia';
import type { HttpHandler, HttpRequest, HttpResponder } from '../../../engine/model/ports.js';
import { UwsTransport } from '../../../http/uws/transport.js';
import { RawClient } from './raw-client.js';

type Facts = Omit<HttpRequest, 'body' | 'browser' | 'upgrade'>;
const factsOf = typia.misc.createClone<Facts>();

/** A copy: the body does not outlive the handler. */
interface Seen extends Facts {
  readonly body: string;
}

export class TransportBench {
  readonly seen: Seen[] = [];
  readonly faults: unknown[] = [];
  #arrived: (() => void)[] = [];
  #nowMs = 1_000;
  #runTimer: () => void = () => undefined;
  readonly transport: UwsTransport;
  readonly #clients: RawClient[] = [];
  port = 0;

  constructor(
    private readonly answer: HttpHandler,
    options: { trustedProxies?: string[]; connectionsMax?: number; perAddressMax?: number } = {},
  ) {
    this.transport = new UwsTransport({
      clock: { nowMs: () => this.#nowMs, monotonicMs: () => this.#nowMs },
      ...options,
      trustedProxies: options.trustedProxies ?? [],
      onFault: (error) => `fault-${this.faults.push(error)}`,
      connectionsMax: options.connectionsMax ?? 100,
      startTimer: (run) => {
        this.#runTimer = run;
        return () => {
          this.#runTimer = () => undefined;
        };
      },
    });
  }

  async start(port = 0): Promise<this> {
    this.port = await this.transport.listen('127.0.0.1', port, (request, responder) =>
      this.#handle(request, responder),
    );
    return this;
  }

  #handle(request: HttpRequest, responder: HttpResponder): void {
    const body = Buffer.from(request.body).toString('latin1');
    this.seen.push({ ...factsOf(request), body, traceparent: request.traceparent ?? '' });
    for (const resolve of this.#arrived.splice(0)) resolve();
    this.answer(request, responder);
  }

  async sees(requests: number): Promise<readonly Seen[]> {
    while (this.seen.length < requests) await new Promise<void>((resolve) => this.#arrived.push(resolve));
    return this.seen;
  }

  /** The transport looks at its slow clients, too. */
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#runTimer();
  }

  async client(from?: string): Promise<RawClient> {
    const client = await RawClient.open(this.port, from);
    this.#clients.push(client);
    return client;
  }

  /** From a client of its own. */
  async ask(...lines: readonly string[]): Promise<RawClient> {
    const client = await this.client();
    client.send(...lines);
    return client;
  }

  async askAndClose(...lines: readonly string[]): Promise<string> {
    return (await this.ask(...lines)).toEnd();
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.transport.close();
  }
}

/** Gives everything else in this process its turn in between. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

/** The bench must not have met a programming error. */
export async function withBench(
  handler: HttpHandler,
  run: (bench: TransportBench) => Promise<void>,
  options?: ConstructorParameters<typeof TransportBench>[1],
): Promise<void> {
  const bench = await new TransportBench(handler, options).start();
  try {
    await run(bench);
  } finally {
    await bench.stop();
  }
  assert.deepEqual(bench.faults, []);
}

export const HOST = 'Host: tote';
export const echo: HttpHandler = ({ fault }, responder) => {
  responder.send(fault === null ? 200 : 400, ['Content-Type', 'text/plain'], fault?.code ?? 'fine');
};
