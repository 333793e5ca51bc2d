/**
 * The server under measurement: the real program with every feature on, in a process of its own, set up through its
 * operator API.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { must } from '../../engine/base/assert.js';
import { freePort } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';
import type { SuiteOptions } from '../report/section.js';

/** In the build folder. */
const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));
const OPERATOR_TOKEN = 'bench-operator-token';
/** The limiter counts every request, but refuses none. */
const GENEROUS_LIMITS = ['key_read', 'key_write', 'account', 'ip']
  .map((name) => `${name}=999999999`)
  .join(',');
const START_MS_MAX = 60_000;
const START_TRY_GAP_MS = 5;
const CALL_MS_MAX = 10_000;
const CLOCK_MS_MAX = 120_000;
const END_REPORTED_MS = 200;
const OPERATOR = { Authorization: `Bearer ${OPERATOR_TOKEN}` };

export interface ToteOptions {
  readonly dataDir: string;
  /** Directory for its log. */
  readonly workDir: string;
  readonly core: number | null;
  readonly durability: 'fsync' | 'os';
  /** `manual`: time moves only by `moveClock`. The system's if absent. */
  readonly clock?: 'manual';
  /** The program; that of this build if absent. */
  readonly main?: string;
  /** Added to the environment of a run. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a section's server runs: its data in a folder of the section's. */
export const placeOf = ({ workDir, cores, durability }: SuiteOptions): ToteOptions => ({
  dataDir: join(workDir, 'tote'),
  workDir,
  core: cores.server,
  durability,
});

export class ToteServer {
  readonly #startedMs = performance.now();
  #startMs = Number.NaN;

  private constructor(
    readonly process: ServerProcess,
    readonly port: number,
    readonly operatorPort: number,
  ) {}

  /** From the start of the process to its first answer; NaN until then. */
  get startMs(): number {
    return this.#startMs;
  }

  /** Resolves once it is ready. */
  static async start(options: ToteOptions): Promise<ToteServer> {
    const server = await ToteServer.launch(options);
    await server.ready();
    return server;
  }

  /** A process that has only begun to start. */
  static async launch(options: ToteOptions): Promise<ToteServer> {
    const { dataDir, workDir, core, durability, clock, main } = options;
    const [port, operatorPort] = [await freePort(), await freePort()];
    const foreign = Object.keys(process.env).filter((name) => name.startsWith('TOTE_'));
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ...Object.fromEntries(foreign.map((name) => [name, undefined])),
      TOTE_PORT: String(port),
      TOTE_OPERATOR_PORT: String(operatorPort),
      TOTE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TOTE_DATA_DIR: dataDir,
      TOTE_FEED: 'simulated',
      TOTE_CLOCK: clock ?? 'system',
      TOTE_DEMO: '0',
      TOTE_RATE_LIMITS: GENEROUS_LIMITS,
      TOTE_DURABILITY: durability,
      ...options.env,
    };
    const logFile = join(workDir, 'tote.log');
    const server = ServerProcess.node(main ?? MAIN, [], { core, env, logFile });
    return new ToteServer(server, port, operatorPort);
  }

  /** Resolves once it is ready. The process is ended if it takes too long. */
  async ready(): Promise<void> {
    const fromMs = performance.now();
    while (performance.now() - fromMs < START_MS_MAX && !this.process.ended) {
      const status = await call(this.operatorPort, 'GET', '/readyz', null).catch(() => null);
      if (status?.status === 200) {
        this.#startMs = performance.now() - this.#startedMs;
        return;
      }
      await pause(START_TRY_GAP_MS);
    }
    const failure = this.process.failure('did not become ready');
    await this.process.stop('SIGKILL');
    throw failure;
  }

  /** Calls the operator API and returns the data of its answer. */
  async operate(method: string, path: string, body: object | null = null): Promise<unknown> {
    const { status, text } = await this.#explained(
      call(this.operatorPort, method, `/operator/v1${path}`, body),
    );
    return dataOf(`${method} ${path}`, status, text);
  }

  /** What Prometheus would read. */
  async metrics(): Promise<string> {
    return (await this.#explained(call(this.operatorPort, 'GET', '/metrics', null))).text;
  }

  /** Moves a manual clock and returns the time reached, once all work due by then, settlements included, is durable. */
  async moveClock(advanceMs: number): Promise<number> {
    const answer = await this.#explained(
      call(this.operatorPort, 'POST', '/operator/v1/clock', { advanceMs }, OPERATOR, CLOCK_MS_MAX),
    );
    const { time } = dataOf('POST /clock', answer.status, answer.text) as { readonly time: string };
    return Date.parse(time);
  }

  /** A GET of the public API. */
  async read(path: string, apiKey: string): Promise<unknown> {
    const { status, text } = await this.#explained(
      call(this.port, 'GET', path, null, { 'X-API-Key': apiKey }),
    );
    return dataOf(`GET ${path}`, status, text);
  }

  /** If the server has ended, reports its last output instead of a broken connection. */
  async #explained(answer: Promise<CallAnswer>): Promise<CallAnswer> {
    try {
      return await answer;
    } catch (error) {
      // The end of a process is reported after that of its connections.
      await pause(END_REPORTED_MS);
      throw this.process.ended ? this.process.failure('ended') : error;
    }
  }
}

function dataOf(what: string, status: number, text: string): unknown {
  const envelope: unknown = JSON.parse(text);
  if (status >= 300 || typeof envelope !== 'object' || envelope === null) {
    throw new Error(`${what} answered ${status}: ${text.slice(0, 500)}`);
  }
  return Reflect.get(envelope, 'data');
}

interface CallAnswer {
  readonly status: number;
  readonly text: string;
}

/** One call on a new connection: the server closes idle ones, and a reused one could break during a POST. */
function call(
  port: number,
  method: string,
  path: string,
  body: object | null,
  headers: Readonly<Record<string, string>> = OPERATOR,
  timeout = CALL_MS_MAX,
): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const text = body === null ? '' : JSON.stringify(body);
    const content =
      body === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    const options = { host: '127.0.0.1', port, method, path, agent: false, timeout };
    const sent = request({ ...options, headers: { ...headers, ...content } }, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        answer += piece;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: must(response.statusCode, 'status'), text: answer }));
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered`)));
    sent.end(text);
  });
}
