/** The processes of `npm run simulate -- --workers`: they end with the one that started them, however that ends. */
import { deepEqual, equal } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { must } from '../../engine/base/assert.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
const ARGS = ['--workers', '2', '--hours', '1000', '--world-hours', '100', '--seed', '1'];
const WORKERS = 2;
const POLL_MS = 20;

const pidsBelow = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** A process that was forked and has not loaded its program yet still has the other's name. */
const isAtWork = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(MAIN);

async function workersOf(run: ChildProcess): Promise<number[]> {
  for (;;) {
    equal(run.exitCode, null);
    const pids = pidsBelow(must(run.pid, 'pid')).filter(isAtWork);
    if (pids.length === WORKERS) return pids;
    await setTimeout(POLL_MS);
  }
}

/** Gone, or waiting for a parent to ask how it ended. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
  test(`${signal} to the first process ends the others`, { timeout: 120_000 }, async (t) => {
    const run = spawn(process.execPath, [MAIN, ...ARGS], { stdio: 'ignore' });
    let workers: number[] = [];
    t.after(() => {
      run.kill('SIGKILL');
      for (const pid of workers.filter((one) => !hasEnded(one))) process.kill(pid, 'SIGKILL');
    });
    workers = await workersOf(run);
    const ended = once(run, 'exit');
    run.kill(signal);
    deepEqual(await ended, [null, signal]);
    while (!workers.every(hasEnded)) await setTimeout(POLL_MS, undefined, { signal: t.signal });
  });
}
