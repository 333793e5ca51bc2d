/**
 * Runs the real server on the simulated feed and the system clock, under concurrent bettors on all ONE_MINUTE and
 * FIVE_MINUTES markets, for a given time. Every answer is compared with the soak's own ledger. In the end the
 * balances of all accounts must match it, before and after a restart. The exit code is 1 if anything was wrong.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ASSETS } from '../../engine/model/domain.js';
import { environment } from '../host/environment.js';
import { BALANCE, type Bettor, makeBettors } from '../tote/bettors.js';
import { ToteServer } from '../tote/server.js';
import { Api } from './api.js';
import { Load } from './bettors.js';
import { Health, type Sample, slopeMbPerMinute } from './health.js';
import { cents, Ledger } from './ledger.js';
import { RoundWatch } from './rounds.js';
import { Violations } from './violations.js';

const USAGE = `node dist/bench/soak/main.js [options]

  --minutes M   how long bets are placed, 1 to 1440 (default 30); their rounds are then seen to their end
  --bettors N   accounts that bet side by side, 1 to 500 (default 40)
  --rate R      orders a second of all bettors together, 1 to 5000 (default 100)
  --dir DIR     where the data directory is made (default the system's folder for temporary files)
  --out FILE    the figures as JSON (default bench-results/soak.json)
`;

const TIME_FRAMES = ['ONE_MINUTE', 'FIVE_MINUTES'];
const LOOK_MS = 1_000;
const HEALTH_MS = 5_000;
const PROGRESS_MS = 15_000;
/** The last rounds end within 5 minutes of the last bet. */
const DRAIN_MS_MAX = 330_000;
/** Idempotency keys are remembered for 10 minutes: before that, memory grows by design. */
const WARM_UP_MINUTES = 11;
/** Growth of the resident set, in MB a minute once warm, that counts as a leak. */
const RSS_SLOPE_MAX = 1;

interface Options {
  readonly minutes: number;
  readonly bettors: number;
  readonly rate: number;
  readonly dir: string;
  readonly out: string;
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { minutes: text, bettors: text, rate: text, dir: text, out: text, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const whole = (name: string, given: string | undefined, fallback: number, max: number): number => {
    const value = given === undefined ? fallback : Number(given);
    if (!Number.isInteger(value) || value < 1 || value > max)
      throw new Error(`--${name}: "${given}" is not a whole number from 1 to ${max}\n\n${USAGE}`);
    return value;
  };
  return {
    minutes: whole('minutes', values.minutes, 30, 1_440),
    bettors: whole('bettors', values.bettors, 40, 500),
    rate: whole('rate', values.rate, 100, 5_000),
    dir: values.dir ?? tmpdir(),
    out: values.out ?? 'bench-results/soak.json',
  };
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Calls `work` repeatedly until `stop`. An exception is a violation, and the work goes on. */
function repeatedly(everyMs: number, violations: Violations, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const startedMs = performance.now();
      await work().catch((error: unknown) => violations.report('look failed', String(error)));
      await pause(Math.max(0, everyMs - (performance.now() - startedMs)));
    }
  })();
  return () => {
    isStopped = true;
    return running;
  };
}

class Soak {
  readonly violations = new Violations(print);
  readonly ledger = new Ledger();
  readonly api: Api;
  readonly rounds: RoundWatch;
  readonly health: Health;
  readonly load: Load;
  readonly #startedMs = performance.now();

  constructor(
    readonly options: Options,
    readonly server: ToteServer,
    readonly bettors: readonly Bettor[],
    logFile: string,
  ) {
    const { ledger, violations } = this;
    this.api = new Api(server.port);
    this.rounds = new RoundWatch(this.api, bettors[0]?.apiKey ?? '', ledger, violations, TIME_FRAMES);
    this.health = new Health(server, logFile, violations);
    this.load = new Load({
      api: this.api,
      bettors,
      ledger,
      rounds: this.rounds,
      violations,
      ordersPerSecond: options.rate,
    });
    ledger.open(bettors.length, cents(BALANCE));
  }

  get minute(): number {
    return (performance.now() - this.#startedMs) / 60_000;
  }

  /** Bets for the given time, then waits for the last rounds. */
  async run(): Promise<void> {
    const { violations, rounds, health, load, ledger } = this;
    await rounds.look();
    const stops = [
      repeatedly(LOOK_MS, violations, () => rounds.look()),
      repeatedly(HEALTH_MS, violations, () => health.look(this.minute)),
      repeatedly(PROGRESS_MS, violations, async () => print(this.progress())),
    ];
    const loading = load.run();
    await pause(this.options.minutes * 60_000);
    load.stop();
    await loading;
    print('no more bets; waiting for the rounds of the last ones');
    const drainFromMs = performance.now();
    while (ledger.waiting.length > 0 && performance.now() - drainFromMs < DRAIN_MS_MAX) await pause(LOOK_MS);
    for (const id of ledger.waiting) violations.report('never settled', id);
    for (const stop of stops) await stop();
  }

  progress(): string {
    const { ledger, rounds, violations, health } = this;
    const last = health.samples.at(-1);
    return (
      `minute ${this.minute.toFixed(1)}: ${ledger.bets} bets, ${rounds.settled} rounds settled, ` +
      `${rounds.unsettled.length} open, RSS ${mb(last?.rssBytes)} MB, heap ${mb(last?.heapUsedBytes)} MB, ` +
      `violations ${violations.total}`
    );
  }

  /** Every balance matches the ledger. */
  async audit(server: ToteServer, when: string): Promise<void> {
    for (const [index, { accountId }] of this.bettors.entries()) {
      const { balance } = (await server.operate('GET', `/accounts/${accountId}`)) as { balance: number };
      const expected = this.ledger.balanceCents(index);
      if (cents(balance) === expected) continue;
      this.violations.report(
        'balance',
        `${accountId} has ${cents(balance)} cents ${when}, expected ${expected}`,
      );
    }
  }
}

const mb = (bytes: number | undefined): string => ((bytes ?? 0) / 1e6).toFixed(1);

const MEMORY: readonly (readonly [name: string, value: (sample: Sample) => number])[] = [
  ['rss', (sample) => sample.rssBytes],
  ['heap', (sample) => sample.heapUsedBytes],
  ['arrayBuffers', (sample) => sample.arrayBuffersBytes],
];

/** First, greatest and last value, and the slope once warm, if the run is long enough for one. */
function memoryReport(soak: Soak): Record<string, unknown> {
  // Only samples under load: while waiting for the last rounds, memory can only shrink.
  const samples = soak.health.samples.filter(({ minute }) => minute <= soak.options.minutes);
  const fromMinute = soak.options.minutes > WARM_UP_MINUTES + 3 ? WARM_UP_MINUTES : 0;
  const report = Object.fromEntries(
    MEMORY.map(([name, value]) => {
      const values = samples.map(value);
      const slope = slopeMbPerMinute(samples, value, fromMinute);
      const [first, most, last] = [values[0], Math.max(...values), values.at(-1)];
      return [name, { firstMb: mb(first), mostMb: mb(most), lastMb: mb(last), slopeMbPerMinute: slope }];
    }),
  );
  if (fromMinute > 0) {
    const slope = slopeMbPerMinute(samples, (sample) => sample.rssBytes, fromMinute) ?? 0;
    if (slope > RSS_SLOPE_MAX)
      soak.violations.report('memory', `RSS grows by ${slope.toFixed(2)} MB a minute`);
  }
  return { fromMinute, isJudged: fromMinute > 0, ...report };
}

function marketReport(soak: Soak): { seen: number; without: string[] } {
  const all = ASSETS.flatMap((asset) => TIME_FRAMES.map((frame) => `${asset}_${frame}`));
  const seen = soak.rounds.marketsSeen;
  return { seen: seen.length, without: all.filter((id) => !seen.includes(id)) };
}

function report(soak: Soak, dataDir: string): Record<string, unknown> {
  const { options, ledger, rounds, load, api, health, violations } = soak;
  const { encoded: _, ...latencyUs } = load.latencies.summary();
  const memory = memoryReport(soak);
  return {
    environment: environment(dataDir, 'fsync', { server: null, client: null }),
    options,
    orders: {
      accepted: ledger.bets,
      refused: Object.fromEntries(load.refusals),
      replays: load.replays,
      resent: api.resent,
    },
    latencyUs,
    positionsLookedAt: load.looks,
    rounds: { settled: rounds.settled, results: rounds.results, slowestSettlementMs: rounds.slowestMs },
    markets: marketReport(soak),
    memory,
    eventLoopDelayMs: health.loopDelayMs,
    violations: {
      total: violations.total,
      byKind: Object.fromEntries(violations.counts),
      examples: violations.examples,
    },
    samples: health.samples,
  };
}

async function main(options: Options): Promise<number> {
  const workDir = mkdtempSync(join(options.dir, 'tote-soak-'));
  const dataDir = join(workDir, 'data');
  const start = (logDir: string): Promise<ToteServer> => {
    mkdirSync(join(workDir, logDir));
    return ToteServer.start({ dataDir, workDir: join(workDir, logDir), core: null, durability: 'fsync' });
  };
  let server = await start('first');
  try {
    const bettors = await makeBettors(server, options.bettors);
    const soak = new Soak(options, server, bettors, join(workDir, 'first', 'tote.log'));
    print(
      `soak: ${options.minutes} minutes, ${options.bettors} bettors, ${options.rate} orders/s, ${dataDir}`,
    );
    await soak.run();
    await soak.audit(server, 'at the end');
    soak.api.close();
    await server.process.stop();
    soak.health.lookAtLog();
    server = await start('second');
    await soak.audit(server, 'after a restart');
    const { samples, environment: taken, ...summary } = report(soak, dataDir);
    print(JSON.stringify(summary, null, 2));
    const { without } = marketReport(soak);
    if (without.length > 0) print(`no rounds in ${without.join(', ')} (FX and metals have market hours)`);
    mkdirSync(join(options.out, '..'), { recursive: true });
    writeFileSync(options.out, `${JSON.stringify({ environment: taken, ...summary, samples }, null, 2)}\n`);
    print(
      soak.violations.total === 0 ? 'soak: nothing was wrong' : `soak: ${soak.violations.total} violations`,
    );
    return soak.violations.total === 0 ? 0 : 1;
  } finally {
    await server.process.stop();
    rmSync(workDir, { recursive: true, force: true });
  }
}

process.exitCode = await main(readOptions());
