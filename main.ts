/**
 * The composition root: configuration -> lock and recovery -> ports -> journal and engine's host -> first
 * commands -> feed and lifecycle -> requests. Only this file knows all folders.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { applyRules, fundHouse } from './engine/host/bootstrap.js';
import { ClockGuard } from './engine/host/clock-guard.js';
import { Lifecycle, SETTLE_BETS_MAX, STALL_MS } from './engine/host/lifecycle.js';
import { ManualRun } from './engine/host/manual-run.js';
import { PriceTracker } from './engine/host/price-tracker.js';
import { Sequencer } from './engine/host/sequencer.js';
import { SEQUENCER_DEFAULTS } from './engine/host/sequencer-options.js';
import { ASSETS, assetClassOf, textAt } from './engine/model/domain.js';
import type { HttpHandler } from './engine/model/ports.js';
import { MARKET_AGE_MS_MAX } from './http/api/market-view.js';
import { createPublicApi } from './http/api/public-api.js';
import { RateLimits } from './http/limits/rate-limits.js';
import { createLog, type Log } from './http/log/log.js';
import { accountRoutes } from './http/operator/accounts.js';
import { createOperatorApi } from './http/operator/api.js';
import { controlRoutes } from './http/operator/control.js';
import { HealthLog } from './http/operator/health-log.js';
import { sandboxRoutes } from './http/operator/sandbox.js';
import { type StartView, statusRoutes } from './http/operator/status.js';
import { loadDocsPages } from './http/pages/docs-page.js';
import { chooseFeed } from './http/prices/choose-feed.js';
import { MarketHours } from './http/prices/market-hours.js';
import { bannerText } from './http/process/banner.js';
import { ManualClock, systemClock, wholeMonotonicMs } from './http/process/clock.js';
import { type Config, ConfigError, readConfig } from './http/process/config.js';
import { createDemoAccount, printCurlWhenOpen } from './http/process/demo.js';
import { openPorts } from './http/process/ports.js';
import { withOverrides } from './http/process/rules-file.js';
import { Shutdown } from './http/process/shutdown.js';
import { uwsVersion } from './http/uws/library.js';
import { masterSecretFingerprint, openOperatorToken } from './persistence/data-dir/secrets.js';
import { JournalError } from './persistence/errors.js';
import { JournalThread } from './persistence/journal/thread.js';
import { openStore, type Store } from './persistence/recovery/open-store.js';
import { recoveryPrinter } from './persistence/recovery/progress.js';
import { ShadowThread } from './persistence/shadow/thread.js';

const PUMP_EVERY_MS = 10;
const LOOK_EVERY_MS = 1_000;

const packageFile = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(packageFile) as { version: string };

async function start(config: Config, log: Log): Promise<void> {
  // Nobody reads the banner (`| head -1`): no reason to stop serving.
  process.stdout.on('error', (err) => log.warn({ err }, 'stdout cannot be written'));
  const startedMs = performance.now();
  const store = openStore(config.dataDir, systemClock, recoveryPrinter(systemClock));
  const startMs = performance.now() - startedMs;
  const { lastSeq, wasUnclean, notes } = store.recovered;
  if (wasUnclean)
    log.warn({ sequence: lastSeq }, 'the last server did not stop cleanly: its journal was recovered');
  for (const note of notes) log.warn({ sequence: lastSeq }, note);
  const operatorToken = config.operatorToken ?? openOperatorToken(store.dir);
  const ending = new Shutdown(log);
  const ports = await openPorts(config, systemClock, (error) => ending.programmingError(error));
  if (ports.note !== null) log.warn(ports.note);
  const host = buildHost(config, store, ending);
  const { sequencer, lifecycle, journal } = host;
  const shadow = startShadow(config, store, ending, log);
  // Made before the first command: readers start from a state that is durable.
  const publicApi = buildPublicApi(config, store, host);
  const start = { snapshotSeq: store.recovered.snapshotSeq, lastSeq, tookMs: startMs };
  const operatorApi = buildOperatorApi(config, host, { start, shadow }, operatorToken, ending);
  const { tracker, expectsTicks } = host;
  const watch = new HealthLog({ sequencer, tracker, log, expectsTicks, shadow: () => shadow.status });

  const timers = [
    setInterval(() => {
      sequencer.heartbeat();
      lifecycle.pump();
    }, PUMP_EVERY_MS),
    setInterval(() => watch.look(), LOOK_EVERY_MS),
  ];
  let portsClosed = Promise.resolve();
  ending.watch({
    drain: () => {
      portsClosed = ports.close();
      return sequencer.drain();
    },
    close: async () => {
      await portsClosed;
      for (const timer of timers) clearInterval(timer);
      lifecycle.stop();
      // It reads the journal's files: the last to close them must be the journal, which leaves no WAL.
      await shadow.close();
      await journal.close();
      store.lock.release();
    },
  });

  const demoSecret = submitFirstCommands(config, store, sequencer);
  lifecycle.start();
  ports.serve(publicApi, operatorApi);
  await new Promise<void>((resolve) => sequencer.whenDurable(sequencer.engine.seq, resolve));
  process.stdout.write(
    bannerText({
      version,
      publicUrl: ports.publicUrl,
      operatorUrl: ports.operatorUrl,
      tokenSource: config.operatorToken === null ? store.dir.operatorTokenFile : 'TOTE_OPERATOR_TOKEN',
      dataDir: store.dir.root,
      recoveredSeq: lastSeq,
      durability: config.durability,
      feed: host.feed.name,
      clock: config.clock,
    }),
  );
  if (demoSecret === null) return;
  printCurlWhenOpen(sequencer, ports.publicUrl, demoSecret, (line) =>
    process.stdout.write(
      `\nThis places a bet with the demo account's key, which is not shown again:\n${line}\n`,
    ),
  );
}

/** Rules where they differ; at the very first start the house's money and the demo account, whose key it returns. */
function submitFirstCommands(config: Config, store: Store, sequencer: Sequencer): string | null {
  applyRules(sequencer, withOverrides(masterSecretFingerprint(store.masterSecret), config.rulesOverrides));
  if (store.recovered.lastSeq > 0) return null;
  fundHouse(sequencer, config.houseCapitalCents);
  return config.demo ? createDemoAccount(sequencer) : null;
}

/** Snapshots and archive, on a thread of their own; only what is wrong with the state itself ends the server. */
function startShadow(config: Config, { dir }: Store, ending: Shutdown, log: Log): ShadowThread {
  const { snapshotCommands, snapshotEveryMs, snapshotsKept, retentionMs: segmentsKeptMs } = config;
  return new ShadowThread(
    { dir, snapshotCommands, snapshotEveryMs, snapshotsKept, segmentsKeptMs },
    {
      onDiverged: (error) => ending.fatal(error),
      onNote: (note) => log.warn(note),
      onNews: (news) => log.info(news),
    },
  );
}

type Host = ReturnType<typeof buildHost>;

/** The engine's host: journal, sequencer, clock, feed and what drives rounds. */
function buildHost(config: Config, store: Store, ending: Shutdown) {
  const { engine, recovered } = store;
  const manualClock = config.clock === 'manual' ? new ManualClock(recovered.lastTimeMs) : null;
  const clock = manualClock ?? systemClock;
  const journal = new JournalThread({
    dir: store.dir,
    durability: config.durability,
    segmentBytesMax: config.segmentBytesMax,
    lastSeq: recovered.lastSeq,
  });
  const sequencer = new Sequencer(engine, clock, journal, {
    ...SEQUENCER_DEFAULTS,
    schedule: setImmediate,
    onFatal: (error) => ending.fatal(error),
    onDiskFull: () => ending.diskFull(),
    clockGuard: manualClock === null ? new ClockGuard() : null,
  });
  const hours = new MarketHours();
  const fromMs = recovered.lastTimeMs > 0 ? recovered.lastTimeMs : clock.nowMs();
  const { feed, pushFeed } = chooseFeed(config, store.masterSecret, hours, fromMs);
  const tracker = new PriceTracker(engine);
  const lifecycle = new Lifecycle(sequencer, tracker, {
    feeds: [feed],
    calendar: hours.sessions.bind(hours),
    schedule: setImmediate,
    settleBetsMax: SETTLE_BETS_MAX,
    clock,
    stallMs: manualClock === null ? STALL_MS : Number.POSITIVE_INFINITY,
  });
  const manualRun =
    manualClock === null
      ? null
      : new ManualRun(sequencer, lifecycle, setImmediate, (nowMs) => manualClock.set(nowMs));
  const isLive = pushFeed === null && manualClock === null;
  const expectsTicks = (asset: number, nowMs: number): boolean =>
    isLive && hours.isOpen(assetClassOf(textAt(ASSETS, asset)), nowMs);
  return { clock, journal, sequencer, pushFeed, feed, tracker, lifecycle, manualRun, expectsTicks };
}

function buildPublicApi(
  config: Config,
  { masterSecret }: Store,
  { sequencer, clock, tracker }: Host,
): HttpHandler {
  return createPublicApi({
    sequencer,
    clock,
    limits: new RateLimits(config.rateLimits),
    limitsNowMs: config.clock === 'manual' ? () => clock.nowMs() : wholeMonotonicMs,
    masterSecret,
    latestTick: (asset) => tracker.latest(asset)?.price ?? null,
    marketAgeMsMax: config.clock === 'manual' ? 0 : MARKET_AGE_MS_MAX,
    pages: loadDocsPages(),
    requestIdPrefix: randomBytes(6).toString('hex'),
  });
}

function buildOperatorApi(
  config: Config,
  host: Host,
  { start, shadow }: { readonly start: StartView; readonly shadow: ShadowThread },
  token: string,
  ending: Shutdown,
): HttpHandler {
  const { sequencer, lifecycle, pushFeed, manualRun, clock, feed, tracker } = host;
  const status = {
    sequencer,
    clock,
    clockMode: config.clock,
    feedName: feed.name,
    latestTick: (asset: number) => tracker.latest(asset),
    durability: config.durability,
    shadow: () => shadow.status,
    start,
    version,
    uwsVersion,
  };
  return createOperatorApi({
    sequencer,
    lifecycle,
    routes: [
      ...accountRoutes(sequencer),
      ...controlRoutes(sequencer),
      ...sandboxRoutes({ sequencer, pushFeed, manualRun }),
      ...statusRoutes(status),
    ],
    token,
    isReady: () => !ending.isStopping,
    onFatal: (error) => ending.programmingError(error),
  });
}

/** A start that is refused says why, in one sentence where the reason is known, and leaves nothing running. */
function refuseToStart(error: unknown): never {
  const isKnown = error instanceof ConfigError || error instanceof JournalError;
  const reason = error instanceof Error ? (isKnown ? error.message : error.stack) : String(error);
  process.stderr.write(`tote cannot start: ${reason}\n`);
  process.exit(1);
}

try {
  const config = readConfig(process.env);
  await start(config, createLog(config.logLevel));
} catch (error) {
  refuseToStart(error);
}
