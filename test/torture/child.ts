/** The processes beside the server: a Node program on a core, which answers one message at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onCore } from '../../bench/host/cores.js';
import { must } from '../../engine/base/assert.js';

/** What a program that could not do what it was asked answers. */
export interface Failure {
  readonly failed: string;
}

export class Child<To extends object, From extends object> {
  readonly #child: ChildProcess;

  constructor(main: URL, core: number | null) {
    const [file, ...args] = onCore(core, [process.execPath, fileURLToPath(main)]);
    this.#child = spawn(must(file, 'command'), args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // `process.binding` is what the load client's short way to the kernel needs.
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
  }

  /** Sends a message and resolves with the answer. Rejects where it says that it failed, or ends before. */
  ask(message: To): Promise<From> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`a client ended with code ${code}`));
      this.#child.once('exit', onExit);
      this.#child.once('message', (answer: From | Failure) => {
        this.#child.off('exit', onExit);
        if ('failed' in answer) reject(new Error(answer.failed));
        else resolve(answer);
      });
      this.#child.send(message);
    });
  }

  /** Lets it end, and resolves once it has gone. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.connected) this.#child.disconnect();
    await gone;
  }
}
