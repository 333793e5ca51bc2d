/** The soak's client. It keeps connections open, and repeats an order under the same key if the answer was lost. */
import { Agent, request } from 'node:http';
import { must } from '../../engine/base/assert.js';

/** Below the server's idle limit of about 10 s, so that no request is sent on a connection that is closing. */
const IDLE_MS_MAX = 5_000;
const ANSWER_MS_MAX = 20_000;
const TRIES_MAX = 3;

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** URL with the base path. */
  readonly path: string;
  readonly apiKey: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

export class Api {
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_MS_MAX });
  /** Requests whose connection broke before the answer. */
  resent = 0;

  constructor(private readonly port: number) {}

  /** GETs and orders with a key can be repeated safely; nothing else is sent here. */
  async call(call: Call): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(call);
      } catch (error) {
        if (tries === TRIES_MAX) throw error;
        this.resent++;
      }
    }
  }

  /** The data of a GET, which must succeed. */
  async read(path: string, apiKey: string): Promise<unknown> {
    const { status, text } = await this.call({ method: 'GET', path: `/v1${path}`, apiKey });
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { data: unknown }).data;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send({ method, path, apiKey, body, idempotencyKey }: Call): Promise<Answer> {
    const headers = {
      'X-API-Key': apiKey,
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, method, path, headers, agent: this.#agent };
      const sent = request({ ...options, timeout: ANSWER_MS_MAX }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('error', reject);
        response.on('end', () => {
          const isReplay = response.headers['x-idempotent-replay'] === 'true';
          resolve({ status: must(response.statusCode, 'status'), text, isReplay });
        });
      });
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered`)));
      sent.end(body);
    });
  }
}
