/**
 * A server under measurement: its process on its core, and its resource usage. Node servers carry the probe. Logs go
 * to a file, never to a pipe that a sleeping suite would have to drain.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { must } from '../../engine/base/assert.js';
import { onCore } from './cores.js';
import type { FromProbe, LoopDelay, Sample, ToProbe } from './probe.js';
import { type CpuTimes, type CpuUse, cpuTimes, cpuUse, residentBytes } from './usage.js';

const STOP_MS_MAX = 20_000;
const PROBE_MS_MAX = 5_000;
const LOG_TAIL_BYTES = 2_000;

/**
 * Node's flags in `npm start`: no full garbage collection before the old generation reaches this size. Otherwise a
 * server with a small heap has one every second under load (docs/performance.md). All Node servers get it, references
 * included.
 */
export const NODE_FLAGS: readonly string[] = ['--initial-old-space-size=256'];

/** Kills the servers however the suite ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ServerUse {
  readonly cpu: CpuUse | null;
  readonly loopDelay: LoopDelay | null;
  /** Several samples a second; none of a server without the probe. */
  readonly timeline: readonly Sample[];
  readonly residentBytes: number | null;
  /** Of the first thread's event loop, where the server's environment asks for it (`probe.ts`). */
  readonly longestTurnMs: number | null;
}

export interface ServerOptions {
  readonly core: number | null;
  /** Where stdout and stderr go. */
  readonly logFile: string;
  /** The suite's own where absent. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

export class ServerProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #probed: boolean;
  #before: CpuTimes | null = null;
  #exit: string | null = null;

  private constructor(command: readonly string[], options: ServerOptions, probed: boolean) {
    const [file, ...args] = onCore(options.core, command);
    const log = openSync(options.logFile, 'w');
    this.#child = spawn(must(file, 'command'), args, {
      stdio: probed ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      env: options.env ?? process.env,
      serialization: 'advanced',
    });
    closeSync(log);
    this.#logFile = options.logFile;
    this.#probed = probed;
    this.pid = must(this.#child.pid, 'process id');
    running.add(this.#child);
    this.#child.once('exit', (code, signal) => {
      running.delete(this.#child);
      this.#exit = signal ?? `code ${code}`;
    });
  }

  /** A Node program, with the probe. */
  static node(script: string, args: readonly string[], options: ServerOptions): ServerProcess {
    const probe = fileURLToPath(new URL('./probe.js', import.meta.url));
    const command = [process.execPath, ...NODE_FLAGS, '--import', probe, script, ...args];
    return new ServerProcess(command, options, true);
  }

  static other(command: readonly string[], options: ServerOptions): ServerProcess {
    return new ServerProcess(command, options, false);
  }

  send(message: object): void {
    this.#child.send(message);
  }

  /** The first message that `accept` accepts. Rejects if the process ends or `waitMsMax` passes. */
  receive<T>(accept: (message: unknown) => T | null, waitMsMax: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#child.off('message', onMessage);
        this.#child.off('exit', onExit);
        act();
      };
      const onMessage = (message: unknown): void => {
        const accepted = accept(message);
        if (accepted !== null) settle(() => resolve(accepted));
      };
      const onExit = (): void => settle(() => reject(this.failure('ended')));
      const timer = setTimeout(() => settle(() => reject(this.failure('did not answer'))), waitMsMax);
      this.#child.on('message', onMessage);
      this.#child.once('exit', onExit);
      if (this.ended) onExit();
    });
  }

  get ended(): boolean {
    return this.#exit !== null;
  }

  /** An error with the process's last output. */
  failure(what: string): Error {
    const tail = readFileSync(this.#logFile, 'utf8').slice(-LOG_TAIL_BYTES);
    return new Error(
      `the server ${what}${this.#exit === null ? '' : ` (${this.#exit})`}; it wrote:\n${tail}`,
    );
  }

  async beginUse(): Promise<void> {
    if (this.#probed) await this.#askProbe(true);
    this.#before = cpuTimes(this.pid);
  }

  async endUse(): Promise<ServerUse> {
    const cpu = cpuUse(this.#before, cpuTimes(this.pid));
    const probed = this.#probed ? await this.#askProbe(false) : null;
    const { delay: loopDelay = null, timeline = [], longestTurnMs = null } = probed ?? {};
    return { cpu, loopDelay, timeline, residentBytes: residentBytes(this.pid), longestTurnMs };
  }

  #askProbe(reset: boolean): Promise<FromProbe> {
    const answer = this.receive((message) => (isFromProbe(message) ? message : null), PROBE_MS_MAX);
    this.send({ type: 'probe', reset } satisfies ToProbe);
    return answer;
  }

  /** Ends the process and waits for its end; one that does not follow SIGTERM in time is killed. */
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

/** `work` adds the processes that it starts to `running`: they are killed at its end, whatever it is. */
export async function withServers<T>(work: (running: ServerProcess[]) => Promise<T>): Promise<T> {
  const running: ServerProcess[] = [];
  try {
    return await work(running);
  } finally {
    await Promise.all(running.map((server) => server.stop('SIGKILL')));
  }
}

function isFromProbe(message: unknown): message is FromProbe {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'loopDelay';
}
