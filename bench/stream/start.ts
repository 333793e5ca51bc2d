/** Starts a client process with streams, and asks it for what it counts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { must } from '../../engine/base/assert.js';
import { onCore } from '../host/cores.js';
import type { Counted, FromStreams, StreamJob, ToStreams } from './client.js';

const MAIN = fileURLToPath(new URL('./client.js', import.meta.url));

export class Streams {
  readonly #child: ChildProcess;

  private constructor(core: number | null) {
    const [file, ...args] = onCore(core, [process.execPath, MAIN]);
    this.#child = spawn(must(file, 'command'), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** Resolves when all are open and subscribed. */
  static async open(job: StreamJob, core: number | null): Promise<Streams> {
    const streams = new Streams(core);
    streams.#send({ type: 'job', job });
    await streams.#receive('ready');
    return streams;
  }

  /** Counts while `run` runs. */
  async during<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly counted: Counted }> {
    this.#send({ type: 'begin' });
    const result = await run();
    this.#send({ type: 'end' });
    return { result, counted: await this.#receive('counted') };
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  #send(message: ToStreams): void {
    this.#child.send(message);
  }

  #receive<K extends FromStreams['type']>(type: K): Promise<Extract<FromStreams, { readonly type: K }>> {
    return new Promise((resolve, reject) => {
      this.#child.once('exit', () => reject(new Error('the client of the streams has ended')));
      this.#child.on('message', (message: FromStreams) => {
        if (message.type === type) resolve(message as Extract<FromStreams, { readonly type: K }>);
      });
    });
  }
}
