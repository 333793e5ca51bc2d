/**
 * The composition root: configuration -> lock and recovery -> ports -> journal and engine's host -> first
 * commands -> feed and lifecycle -> requests. Only this file knows all folders.
 */
import { readFileSync } from 'node:fs';
import { type Config, ConfigError, readConfig } from './config/config.js';
import { type RunningConfig, settleSetup } from './config/setup.js';
import { must } from './engine/base/assert.js';
import { ClockGuard } from './engine/host/clock-guard.js';
import { Lifecycle, SETTLE_BETS_MAX, STALL_MS } from './engine/host/lifecycle.js';
import { ManualRun } from './engine/host/manual-run.js';
import { OrderTimes } from './engine/host/order-times.js';
import { RootDesk } from './engine/host/roots/root-desk.js';
import { Sequencer } from './engine/host/sequencer.js';
import { SEQUENCER_DEFAULTS, type SequencerMeter } from './engine/host/sequencer-options.js';
import type { Refusals } from './engine/model/operators.js';
import type { EngineReads } from './engine/model/views.js';
import { openPriceDesk } from './feeds/price-desk.js';
import { PUBLISH_EVERY_MS } from './http/board/markets.js';
import { Faults } from './http/gateway/faults.js';
import { Front } from './http/gateway/front.js';
import { type OpenPorts, openPorts, requireDescriptors } from './http/gateway/ports.js';
import { ENGINE_PLACES, EngineMeter } from './http/metrics/engine-meter.js';
import { faultCounter } from './http/metrics/thread-meter.js';
import { OperatorDesk } from './http/operator/desk/desk.js';
import type { StatusSources } from './http/operator/desk/status.js';
import { Watch } from './http/operator/watch/watch.js';
import { uwsVersion } from './http/uws/library.js';
import { isClockRight } from './persistence/cli/doctor/clock-facts.js';
import { openOperatorTokens } from './persistence/data-dir/operator-tokens.js';
import { masterSecretFingerprint } from './persistence/data-dir/secrets.js';
import { freeBytesOf } from './persistence/data-dir/space.js';
import { JournalError } from './persistence/errors.js';
import type { Store } from './persistence/recovery/open-store.js';
import { ManualClock, systemClock, wholeMonotonicMs } from './process/clock.js';
import { createLog, type Log, logNodeWarnings } from './process/log/log.js';
import { rootRefusedLogger } from './process/log/store-lines.js';
import { Reloads } from './process/reloads.js';
import { withServiceManager } from './process/service-manager.js';
import { type DiskSpace, Shutdown } from './process/shutdown.js';
import { printCurlWhenOpen } from './start/demo.js';
import { submitFirstCommands } from './start/first-commands.js';
import { SecondClock } from './start/second-clock.js';
import { hasStakes, tellGap } from './start/start-clock.js';
import * as startLines from './start/start-lines.js';
import { openStorage, type Storage } from './storage.js';

const packageText = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(packageText) as { version: string };

async function start(given: Config, log: Log): Promise<void> {
  // If the reader of the banner has gone (`| head -1`), serving goes on.
  process.stdout.on('error', (err) => log.write('stdout_closed', { err }));
  startLines.logStarting(log, version, given.dataDir);
  const startedMs = performance.now();
  const reloads = new Reloads(log);
  reloads.watch();
  const shutdown = new Shutdown(log);
  const onFatal = (error: unknown): void => shutdown.programmingError(error);
  requireDescriptors(given.gateways);
  // The gateways' threads load their code while the state is recovered.
  const front = new Front(given.gateways, onFatal);
  const meter = new EngineMeter(front.figures.engine);
  const onPublished = (tookMs: number): void => meter.published(tookMs);
  const onFollowed = front.prepare.bind(front);
  const storage = await openStorage({
    ...{ given, shutdown, reloads, log, version },
    onPublished,
    onFollowed,
  });
  const { store, start, replicatedLog } = storage;
  const settled = settleSetup(given, store.engine.setup);
  const { config } = settled;
  // A standby has followed since it recovered its journal.
  const { timeMs: lastTimeMs } = store.engine;
  if (config.clock === 'system') {
    const isSimulated = config.feeds.includes('simulated');
    const nowMs = systemClock.nowMs();
    const { engine, dir } = store;
    tellGap({ nowMs, lastTimeMs, hasStakes: hasStakes(engine), isSimulated, dataDir: dir.root }, log);
  }
  const tokens = { dir: store.dir, token: config.operatorToken, file: config.operatorTokensFile };
  const operatorTokens = openOperatorTokens(tokens);
  const manualClock = config.clock === 'manual' ? new ManualClock(lastTimeMs, config.clockStartMs) : null;
  const { masterSecret, signing } = store;
  const secrets = { masterSecret, signing, operatorTokens };
  const ports = await openPorts(config, { front, ...secrets, manualClock, log, version });
  const reloadTokens = front.operatorTokensReload(() => openOperatorTokens(tokens));
  reloads.add('certificates', ports.reloadCertificates).add('operator tokens', reloadTokens);
  const host = buildHost(config, manualClock, storage, shutdown, log, meter);
  const { sequencer } = host;
  // Before the first command: what gateways see starts from a state that is durable.
  const faults = new Faults({
    ...{ log, onFatal, thread: 'engine' },
    monotonicMs: systemClock.monotonicMs,
    count: faultCounter(meter.sheet, ENGINE_PLACES.thread),
  });
  front.attach({ ...host, isClockManual: manualClock !== null, faults });
  const { answer } = buildOperatorDesk(config, host, { start, replicatedLog }, front, faults, shutdown);
  const { logMinutes } = config;
  const watch = new Watch({
    ...host,
    ...front.figures,
    ...seenOf(host, storage, shutdown),
    replicatedLog,
    log,
    logMinutes,
  });
  const secondClock = new SecondClock({ ...host, isSynchronised: isClockRight, log });
  run(host, secondClock, watch, ports, storage, shutdown);
  const fingerprint = masterSecretFingerprint(store.masterSecret);
  const demoSecret = submitFirstCommands(settled, fingerprint, sequencer, log);
  host.lifecycle.start(() => watch.logAwaitedPrices());
  const rules = must(sequencer.engine.rules, 'rules in force');
  const onRefusals = (refusals: Refusals): void =>
    host.shadow.keepRefusals({ seq: sequencer.engine.seq, timeMs: sequencer.stampMs(), ...refusals });
  ports.serve(rules, { answer, onRefusals }, () => host.past.connect());
  await new Promise<void>((resolve) => sequencer.whenDurable(sequencer.engine.seq, () => resolve()));
  const facts = {
    version,
    publicUrl: ports.publicUrl,
    operatorUrl: ports.operatorUrl,
    tokenSource: config.operatorToken === null ? store.dir.operatorTokenFile : 'TOTE_OPERATOR_TOKEN',
    dataDir: store.dir.root,
    signingKey: signing,
    recoveredSeq: start.lastSeq,
    durability: config.durability,
    feed: host.feed.name,
    clock: config.clock,
  };
  startLines.logListening(log, facts, performance.now() - startedMs);
  if (demoSecret === null) return;
  printCurlWhenOpen(sequencer, ports.publicUrl, demoSecret, (text) => process.stdout.write(text));
}

/** Drives the rounds and checks the server's health until it is told to end; then closes everything in order. */
function run(
  host: Host,
  secondClock: SecondClock,
  watch: Watch,
  ports: OpenPorts,
  storage: Storage,
  shutdown: Shutdown,
): void {
  const { sequencer, lifecycle, roots, threads, journal } = host;
  const pump = (): void => {
    sequencer.heartbeat();
    secondClock.look();
    lifecycle.pump();
    ports.front.pump();
    watch.beat();
    roots.lookAgain();
  };
  const timer = setInterval(pump, PUBLISH_EVERY_MS);
  let portsClosed = Promise.resolve();
  shutdown.watch({
    drain: () => {
      portsClosed = ports.close();
      return sequencer.drain().then(storage.drained);
    },
    close: async () => {
      await portsClosed;
      clearInterval(timer);
      lifecycle.stop();
      // The shadow reads the journal's files. The journal must be the last to close them, so that no WAL is left.
      await threads.close();
      await journal.close();
      storage.store.lock.release();
    },
  });
}

type Host = ReturnType<typeof buildHost>;
/** The engine's host: journal, sequencer, clock, feed, what drives rounds, and the shadow. */
function buildHost(
  config: RunningConfig,
  manualClock: ManualClock | null,
  { store, journal, archive }: Storage,
  shutdown: Shutdown,
  log: Log,
  meter: SequencerMeter,
) {
  const { engine } = store;
  const clock = manualClock ?? systemClock;
  const orderTimes = new OrderTimes();
  const sequencer = new Sequencer(engine, clock, journal, {
    ...SEQUENCER_DEFAULTS,
    schedule: setImmediate,
    onFatal: (error) => shutdown.fatal(error),
    onDiskFull: () => shutdown.diskFull(diskOf(store)),
    onJournalLost: (loss) => shutdown.journalLost(loss),
    onOrdersAnswered: (orders, tookMs) => orderTimes.add(orders, tookMs),
    meter,
    clockGuard: manualClock === null ? clockGuardOf(config, engine) : null,
  });
  const fromMs = engine.timeMs > 0 ? engine.timeMs : clock.nowMs();
  const { masterSecret } = store;
  const prices = openPriceDesk(config, engine, { masterSecret, fromMs, clock, log });
  const lifecycle = new Lifecycle(sequencer, prices.tracker, {
    feeds: [prices.feed],
    calendar: prices.hours.sessions.bind(prices.hours),
    fairShare: (market, nowMs) => prices.quoter.fairShareE6(market, nowMs),
    schedule: setImmediate,
    settleBetsMax: SETTLE_BETS_MAX,
    clock,
    stallMs: manualClock === null ? STALL_MS : Number.POSITIVE_INFINITY,
  });
  const runClock = manualClock?.set.bind(manualClock) ?? null;
  const threads = archive();
  const roots = new RootDesk(sequencer, { ...threads.roots, onRefused: rootRefusedLogger(log) });
  threads.roots.takeBy(roots);
  const parts = { sequencer, lifecycle, roots, schedule: setImmediate };
  const manualRun = runClock === null ? null : new ManualRun(parts, runClock);
  const steadyNowMs = manualClock === null ? wholeMonotonicMs : () => manualClock.nowMs();
  const common = { clock, steadyNowMs, journal, sequencer, orderTimes, lifecycle, manualRun };
  const { shadow, past } = threads;
  return { ...common, ...prices, threads, shadow, past, roots };
}

/** Simulated prices are nobody's money. */
const clockGuardOf = ({ feeds }: RunningConfig, engine: EngineReads): ClockGuard =>
  new ClockGuard(() => !feeds.includes('simulated') && hasStakes(engine));

function buildOperatorDesk(
  config: RunningConfig,
  host: Host,
  kept: Pick<StatusSources, 'start' | 'replicatedLog'>,
  front: Front,
  faults: Faults,
  shutdown: Shutdown,
): OperatorDesk {
  const status = {
    ...host,
    ...kept,
    clockMode: config.clock,
    feedName: host.feed.name,
    durability: config.durability,
    shadow: () => host.shadow.status,
    version,
    uwsVersion,
  };
  return new OperatorDesk({
    ...host,
    status,
    beforeTelling: () => front.publishFirst(),
    schedule: setImmediate,
    onFault: (error, kind) => faults.report(error, { method: 'ASK', path: kind, address: '' }),
    onFatal: (error) => shutdown.programmingError(error),
  });
}

/** What operators are told of, besides the engine. */
const seenOf = ({ shadow, past }: Host, { store, disk }: Storage, shutdown: Shutdown) => ({
  shadow: () => shadow.status,
  disk: () => diskOf(store),
  threads: { journal: disk, shadow, reader: past },
  isStopping: () => shutdown.isStopping,
});

const diskOf = ({ dir }: Store): DiskSpace => ({ directory: dir.root, freeBytes: freeBytesOf(dir.journal) });

try {
  const config = readConfig(process.env);
  const log = withServiceManager(createLog(config.logLevel), process.env);
  logNodeWarnings(log);
  await start(config, log);
} catch (error) {
  startLines.refuseToStart(error, error instanceof ConfigError || error instanceof JournalError);
}
