/** Polite clients: few requests at planned times, on lines of one gateway, while little else is asked of their process. */
import { Arrivals, Backlog } from '../arrivals.js';
import type { LatencySummary } from '../job.js';
import { Latencies } from '../latencies.js';
import type { Line } from './line.js';

export interface PoliteRun {
  readonly lines: readonly Line[];
  readonly request: string;
  /** The status that every answer must have. */
  readonly status: number;
  readonly ratePerSecond: number;
  readonly seed: number;
  readonly measureMs: number;
}

const WAITING_MAX = 10_000;
const LOOK_EVERY_MS = 1;

/**
 * Latencies from the sending; from the planned time for a request that had to wait for a free line. So they contain what
 * the server keeps its clients waiting for, and not the sleep of this process.
 */
export function askPolitely(run: PoliteRun): Promise<LatencySummary> {
  return new Promise((resolve, reject) => {
    const { lines, request, status, ratePerSecond, seed, measureMs } = run;
    const startMs = performance.now();
    const arrivals = new Arrivals(ratePerSecond, seed, startMs);
    const waiting = new Backlog(WAITING_MAX);
    const latencies = new Latencies();
    const free = [...lines];
    const send = (line: Line, fromMs: number): void =>
      line.ask(request, (answer) => {
        latencies.record(performance.now() - fromMs);
        if (answer.status !== status) fail(new Error(`a polite request was answered ${answer.status}`));
        else if (waiting.length > 0) send(line, waiting.shift());
        else free.push(line);
      });
    const look = (): void => {
      const nowMs = performance.now();
      for (; arrivals.nextMs <= nowMs && nowMs - startMs < measureMs; arrivals.take()) {
        const line = free.shift();
        if (line === undefined) waiting.push(arrivals.nextMs);
        else send(line, performance.now());
      }
      if (nowMs - startMs < measureMs || free.length < lines.length) return;
      clearInterval(timer);
      resolve(latencies.summary());
    };
    const fail = (error: Error): void => {
      clearInterval(timer);
      reject(error);
    };
    const timer = setInterval(() => {
      try {
        look();
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    }, LOOK_EVERY_MS);
  });
}
