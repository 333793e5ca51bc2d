/** Runs one job in a client process beside the server under load, and records both sides' figures. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { must } from '../../engine/base/assert.js';
import { onCore } from '../host/cores.js';
import type { ServerProcess, ServerUse } from '../host/server-process.js';
import type { ClientJob, ClientResult, FromClient } from './job.js';

export interface Measurement {
  readonly client: ClientResult;
  readonly server: ServerUse;
}

const BESIDE_WINDOWS_MS_MAX = 60_000;
const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** Rejects if the run failed: no connection, a response that cannot be framed, requests left unanswered. */
export function measure(
  job: ClientJob,
  server: ServerProcess,
  core: number | null,
  onMeasuring: () => void = () => {},
): Promise<Measurement> {
  const [file, ...args] = onCore(core, [process.execPath, MAIN]);
  const child = spawn(must(file, 'command'), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let use: ServerUse | null = null;
    let hasResult = false;
    const msMax = job.warmupMs + job.measureMs + BESIDE_WINDOWS_MS_MAX;
    const timer = setTimeout(() => fail(new Error(`the client was not done after ${msMax} ms`)), msMax);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(error);
    };
    const follow = (message: FromClient): void => {
      switch (message.type) {
        case 'measuring':
          onMeasuring();
          server.beginUse();
          return;
        case 'measured':
          use = server.endUse();
          return;
        case 'failed':
          fail(server.ended ? server.failure(message.message) : new Error(message.message));
          return;
        case 'result':
          hasResult = true;
          clearTimeout(timer);
          resolve({ client: message.result, server: must(use, "the server's use") });
      }
    };
    child.on('message', follow);
    child.once('error', fail);
    child.once('exit', (code) => {
      if (!hasResult) fail(new Error(`the client ended with code ${code}`));
    });
    child.send(job);
  });
}
