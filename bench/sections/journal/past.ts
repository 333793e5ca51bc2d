/**
 * Commands that read the past: the speed of `verify` compared with a start's replay, the time of `account`, `bet` and
 * `round`, and the memory of exports. Each runs as a process of its own on a directory of settled bets.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { marketId, roundId, timeFrameMs } from '../../../engine/model/domain.js';
import { START_MS } from '../../engine/scenario.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { suiteOnce, suiteRounds } from '../../suites/run.js';

const FULL_SCALE = 1_000_000;
const QUICK_SCALE = 100_000;
const TOTE = fileURLToPath(new URL('../../../persistence/cli/main.js', import.meta.url));
const POLL_EVERY_MS = 20;
const KIB_PER_MB = 1_000_000 / 1_024;

interface Timed {
  readonly seconds: number;
  readonly peakMb: number;
}

export async function pastSection(options: SuiteOptions): Promise<SectionResult> {
  const scale = options.quick ? QUICK_SCALE : FULL_SCALE;
  const dir = join(options.workDir, 'aged');
  options.progress(`writing a directory of ${figure(scale)} bets`);
  const written = await suiteOnce('writeAgedDir', { scale, dir }, options);
  const allCores = { ...options, cores: { server: null, client: null } };
  const replays = await suiteRounds('replayJournal', { scale, dir }, allCores);
  for (const { digest } of replays) {
    if (digest !== written.digest)
      throw new Error(`a replay came to ${digest}, the engine that wrote to ${written.digest}`);
  }
  const replayRate = median(replays.map(({ commandsPerSecond }) => commandsPerSecond));
  await run(['snapshot', dir]);
  const round = roundId(0, START_MS / timeFrameMs(0) + 1);
  const commands: readonly string[][] = [
    ['verify', dir],
    ['account', 'acc_7', dir],
    ['bet', `bet_${scale / 2}`, dir],
    ['round', round, dir],
    ['account', 'acc_7', dir, '--replay'],
    ['export', dir, '--what', 'bets'],
    ['export', dir, '--what', 'ledger'],
    ['export', dir, '--what', 'rounds'],
  ];
  const rows: string[][] = [];
  const data: Record<string, Timed> = {};
  for (const args of commands) {
    const name = args.filter((arg) => arg !== dir).join(' ');
    options.progress(`tote ${name}`);
    const timed = await run(args);
    data[name] = timed;
    rows.push([
      `tote ${name}`,
      figure(timed.seconds),
      figure(timed.peakMb),
      ratio(args, timed, written.commands, replayRate),
    ]);
  }
  return {
    name: 'past',
    tables: [
      {
        title: `Looking into the past: ${figure(scale)} bets of ${marketId(0)} and 27 other markets`,
        columns: ['command', 'seconds', 'peak MB', 'of the replay rate'],
        rows,
      },
    ],
    ratios: [],
    notes: [`A start replays this journal at ${figure(replayRate)} commands a second, on all cores.`],
    data: { written, replays, commands: data },
  };
}

/** For a command that reads the whole journal: its rate as a share of the replay's; else ''. */
function ratio([name]: readonly string[], { seconds }: Timed, commands: number, replayRate: number): string {
  return name === 'verify' || name === 'export' ? figure(commands / seconds / replayRate) : '';
}

/** Runs `tote`, which must succeed. The peak memory is the one reported by the kernel. */
async function run(args: readonly string[]): Promise<Timed> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [TOTE, ...args], { stdio: ['ignore', 'ignore', 'ignore'] });
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, peakMbOf(child.pid));
  }, POLL_EVERY_MS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`tote ${args.join(' ')} ended with ${code}`);
  return { seconds: (performance.now() - startedMs) / 1_000, peakMb };
}

function peakMbOf(pid: number | undefined): number {
  try {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kib ?? 0) / KIB_PER_MB;
  } catch {
    return 0; // it has ended
  }
}
