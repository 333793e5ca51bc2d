/**
 * A server under measurement: its process on its core, and its use of resources. Logs go to a file, never to a pipe
 * that a sleeping suite would have to drain.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { must } from '../../engine/base/assert.js';
import { onCore } from './cores.js';
import { type CpuTimes, cpuTimes, cpuUse, residentBytes } from './usage.js';

const STOP_MS_MAX = 20_000;
const SAMPLE_EVERY_MS = 250;
const UP_LOOK_MS = 5;
const LOG_TAIL_BYTES = 2_000;

/** Killed however the suite ends. */
const running = new Set<ServerProcess>();
process.once('exit', () => void killServers());

/** To be called at the end of each section. */
export const killServers = (): Promise<unknown> =>
  Promise.all(Array.from(running, (server) => server.stop('SIGKILL')));

/** Cores are those used since the sample before. */
export interface Sample {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly cores: number;
}

export interface ServerUse {
  readonly cpu: ReturnType<typeof cpuUse>;
  readonly timeline: readonly Sample[];
  readonly residentBytes: number | null;
}

export interface ServerOptions {
  readonly core: number | null;
  readonly logFile: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

export class ServerProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  #before: CpuTimes | null = null;
  #timeline: Sample[] = [];
  #sampling: NodeJS.Timeout | undefined;
  #exit: string | null = null;

  constructor(command: readonly string[], options: ServerOptions) {
    const [file, ...args] = onCore(options.core, command);
    const log = openSync(options.logFile, 'w');
    const env = options.env ?? process.env;
    this.#child = spawn(must(file, 'command'), args, { stdio: ['ignore', log, log], env });
    closeSync(log);
    this.#logFile = options.logFile;
    this.pid = must(this.#child.pid, 'process id');
    running.add(this);
    this.#child.once('exit', (code, signal) => {
      running.delete(this);
      this.#exit = signal ?? `code ${code}`;
    });
  }

  static node(script: string, args: readonly string[], options: ServerOptions): ServerProcess {
    const names = fileURLToPath(new URL('./thread-names.js', import.meta.url));
    return new ServerProcess([process.execPath, '--import', names, script, ...args], options);
  }

  get ended(): boolean {
    return this.#exit !== null;
  }

  failure(what: string): Error {
    const tail = readFileSync(this.#logFile, 'utf8').slice(-LOG_TAIL_BYTES);
    return new Error(
      `the server ${what}${this.#exit === null ? '' : ` (${this.#exit})`}; it wrote:\n${tail}`,
    );
  }

  /** Rejects with the last output if the server does not become ready. */
  async up(isUp: () => Promise<boolean>, waitMsMax: number): Promise<void> {
    const fromMs = performance.now();
    while (performance.now() - fromMs < waitMsMax && !this.ended) {
      if (await isUp()) return;
      await pause(UP_LOOK_MS);
    }
    const failure = this.failure('did not become ready');
    await this.stop('SIGKILL');
    throw failure;
  }

  beginUse(): void {
    const began = cpuTimes(this.pid);
    this.#before = began;
    this.#timeline = [];
    let last = began;
    this.#sampling = setInterval(() => {
      const now = cpuTimes(this.pid);
      const cores = cpuUse(last, now)?.process ?? Number.NaN;
      const bytes = residentBytes(this.pid) ?? Number.NaN;
      const atMs = (now?.takenAtMs ?? 0) - (began?.takenAtMs ?? 0);
      this.#timeline.push({ atMs, residentBytes: bytes, cores });
      last = now;
    }, SAMPLE_EVERY_MS);
  }

  endUse(): ServerUse {
    clearInterval(this.#sampling);
    const cpu = cpuUse(this.#before, cpuTimes(this.pid));
    return { cpu, timeline: this.#timeline, residentBytes: residentBytes(this.pid) };
  }

  /** A process that does not follow SIGTERM in time is killed. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.ended) return;
    const exited = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
    });
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
  }
}
