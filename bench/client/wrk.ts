/**
 * `wrk`, if installed, as the client for static responses: a server that sends the same bytes repeatedly outruns any
 * client on Node, and a client at its limit makes every ratio 1. It sends the same requests as our own client, which
 * has checked the responses before.
 */
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onCore } from '../host/cores.js';
import type { ServerProcess } from '../host/server-process.js';
import { cpuTimes, cpuUse } from '../host/usage.js';
import { type RequestTemplate, SERIAL_DIGITS } from './job.js';

export function hasWrk(): boolean {
  // `wrk -v` prints its version and exits with 1.
  return spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined;
}

interface WrkRun {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly templates: readonly RequestTemplate[];
  readonly dir: string;
  readonly core: number | null;
}

const WARMUP_SECONDS = 1;
/** For one run of wrk; our own client's are lower. */
const SERIALS_PER_RUN = 100_000_000;
let nextSerial = 600_000_000_000;
const run = promisify(execFile);
const BESIDE_MS_MAX = 20_000;

/** Rejects on a response other than 2xx or a failed connection. */
export async function measureWithWrk(options: WrkRun, server: ServerProcess) {
  const script = join(options.dir, 'requests.lua');
  const command = (seconds: number): string[] => {
    writeFileSync(script, luaOf(options.templates, nextSerial));
    nextSerial += SERIALS_PER_RUN;
    return onCore(options.core, [
      ...['wrk', '--threads', '1', '--connections', String(options.connections)],
      ...['--duration', `${seconds}s`, '--latency', '--script', script],
      `http://127.0.0.1:${options.port}`,
    ]);
  };
  const warmUp = parseReport(await execute(command(WARMUP_SECONDS), WARMUP_SECONDS));
  const before = cpuTimes(server.pid);
  const report = await execute(command(options.seconds), options.seconds);
  const warmedUp = warmUp.answered;
  return { ...parseReport(report), warmedUp, cpu: cpuUse(before, cpuTimes(server.pid)) };
}

async function execute([file = '', ...args]: readonly string[], seconds: number): Promise<string> {
  const timeout = seconds * 1000 + BESIDE_MS_MAX;
  const { stdout } = await run(file, args, { timeout, killSignal: 'SIGKILL' });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk met errors:\n${stdout}`);
  return stdout;
}

function luaOf(templates: readonly RequestTemplate[], firstSerial: number): string {
  const pieces = templates.map(({ text, serialAt }) => {
    if (serialAt < 0) return `  { ${JSON.stringify(text)} },`;
    const rest = text.slice(serialAt + SERIAL_DIGITS);
    return `  { ${JSON.stringify(text.slice(0, serialAt))}, ${JSON.stringify(rest)} },`;
  });
  return [
    'local requests = {',
    ...pieces,
    '}',
    'local at = 0',
    `local serial = ${firstSerial}`,
    'request = function()',
    '  at = at % #requests + 1',
    '  local pieces = requests[at]',
    '  if pieces[2] == nil then return pieces[1] end',
    '  serial = serial + 1',
    `  return pieces[1] .. string.format("%0${SERIAL_DIGITS}.0f", serial) .. pieces[2]`,
    'end',
    '',
  ].join('\n');
}

function parseReport(report: string) {
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(report)?.[1];
  const answered = /^\s+(\d+) requests in /m.exec(report)?.[1];
  const percentileUs = (name: string): number => {
    const [, number, unit] = new RegExp(`^\\s+${name}%\\s+([\\d.]+)(us|ms|s)$`, 'm').exec(report) ?? [];
    return Number(number) * (unit === 's' ? 1e6 : unit === 'ms' ? 1e3 : 1);
  };
  if (rate === undefined || answered === undefined) throw new Error(`not a report of wrk:\n${report}`);
  return {
    ratePerSecond: Number(rate),
    answered: Number(answered),
    p50Us: percentileUs('50'),
    p90Us: percentileUs('90'),
    p99Us: percentileUs('99'),
  };
}
