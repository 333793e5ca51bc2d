/** The story of a start: configuration, recovery, ports, the engine's host, first commands, and then requests. */
import { readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { ConfigError, readConfig, readRules } from '../config/config.js';
import { risksOf } from '../config/production.js';
import { resolveRules, resolveSetup } from '../config/setup.js';
import type { Config } from '../config/variables.js';
import { must } from '../engine/base/assert.js';
import type { OperatorToken, Refusals } from '../engine/model/operators.js';
import { Front } from '../http/gateway/front.js';
import { openPorts, requireDescriptors } from '../http/gateway/ports.js';
import { EngineMeter } from '../http/metrics/engine-meter.js';
import { fileSystemRisks } from '../persistence/data-dir/file-system.js';
import { writeFileDurably } from '../persistence/data-dir/files.js';
import { openOperatorTokens } from '../persistence/data-dir/operator-tokens.js';
import { masterSecretFingerprint } from '../persistence/data-dir/secrets.js';
import { shellWord } from '../persistence/errors.js';
import { startJournalThread } from '../persistence/journal/thread.js';
import type { Store } from '../persistence/recovery/open-store.js';
import { requireSqlite } from '../persistence/sqlite.js';
import { createLog, type Log, logNodeWarnings } from '../process/log/log.js';
import { Reloads, tokensReload } from '../process/reloads.js';
import { withServiceManager } from '../process/service-manager.js';
import { Shutdown } from '../process/shutdown.js';
import { tellDemo } from './demo.js';
import { submitFirstCommands } from './first-commands.js';
import { buildHost, openClock } from './host.js';
import { buildOperatorQueries, engineFaults, run, watchServer } from './service.js';
import * as startLines from './start-lines.js';
import { openStorage } from './storage.js';

const packageText = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(packageText) as { version: string };

async function start(given: Config, log: Log, operators: Worker): Promise<void> {
  const startedMs = performance.now();
  // If the reader of the banner has gone (`| head -1`), serving goes on.
  process.stdout.on('error', (err) => log.write('stdout_closed', { err }));
  startLines.logStarting(log, version, given.dataDir);
  const shutdown = new Shutdown(log);
  const reloads = new Reloads(log);
  reloads.watch();

  requireDescriptors(given.gateways);
  requireSqlite();
  // The threads load their code while the state is recovered.
  const journal = startJournalThread();
  const front = new Front(given.gateways, operators, (error) => shutdown.programmingError(error));
  const meter = new EngineMeter(front.figures.engine);
  const storage = await openStorage({
    ...{ given, shutdown, reloads, log, version, journal, betHashes: front.betHashes },
    onPublished: (tookMs) => meter.published(tookMs),
    onFollowed: front.prepare.bind(front),
  });
  const { store, start } = storage;
  const { dir, masterSecret, signing } = store;
  const hasFollowed = storage.replicatedLog() !== null && store.engine.seq > 0;
  const rules = hasFollowed ? await rulesNow(given, store, log) : given.rules;
  const setup = resolveSetup({ ...given, rules }, store.engine.setup);
  const { config } = setup;
  const places = config.isProduction ? fileSystemRisks(dir.root) : [];
  for (const risk of [...risksOf(config), ...places]) log.write('unsafe_setting', {}, risk);
  const manualClock = openClock(config, store, log);

  const tokens = { dir, token: config.operatorToken, file: config.operatorTokensFile };
  const secrets = { masterSecret, signing, operatorTokens: openOperatorTokens(tokens) };
  const facing = { version, dataDir: shellWord(dir.root) };
  const ports = await openPorts(config, { front, ...secrets, manualClock, log, ...facing });
  reloads.add('certificates', ports.reloadCertificates);
  const readTokens = (): readonly OperatorToken[] => openOperatorTokens(tokens, false);
  const reload = tokensReload(readTokens, (read) => front.gateways.setOperatorTokens(read));
  reloads.add('operator tokens', reload);

  const host = buildHost(config, manualClock, storage, shutdown, log, meter);
  const { sequencer, lifecycle, shadow, threads } = host;
  // Before the first command: what gateways see starts from a state that is durable.
  const faults = engineFaults(meter, shutdown, log);
  front.attach({ ...host, isClockManual: manualClock !== null, faults });
  const running = { config, host, storage, front, shutdown, log };
  const { answer } = buildOperatorQueries(running, faults, version);
  const watch = watchServer(running, ports);
  run(running, watch);
  const demoSecret = submitFirstCommands(setup, masterSecretFingerprint(masterSecret), sequencer, log);
  lifecycle.start(() => watch.logAwaitedPrices());

  const inForce = must(sequencer.engine.rules, 'rules in force');
  const onRefusals = (refusals: Refusals): void =>
    shadow.keepRefusals({ seq: sequencer.engine.seq, timeMs: sequencer.stampMs(), ...refusals });
  front.gateways.serve(inForce, { answer, onRefusals }, threads.connect);
  threads.takeHeads((head) => front.gateways.setHead(head));
  await new Promise<void>((resolve) => sequencer.whenDurable(sequencer.engine.seq, () => resolve()));
  // The first answer does not wait for it, and comes sooner without it.
  shadow.begin();

  const { publicUrl, operatorUrl } = ports;
  writeFileDurably(dir.operatorUrlFile, `${operatorUrl}\n`);
  const banner = {
    ...{ version, publicUrl, operatorUrl, signingKey: signing, dataDir: dir.root },
    ...{
      recoveredSeq: start.lastSeq,
      durability: config.durability,
      feed: host.feed.name,
      clock: config.clock,
      node: config.replication === null ? null : config.node,
    },
    tokenSource: config.operatorToken === null ? dir.operatorTokenFile : 'TOTE_OPERATOR_TOKEN',
  };
  startLines.logListening(log, banner, performance.now() - startedMs);
  if (demoSecret !== null) tellDemo(sequencer, publicUrl, demoSecret, dir.demoFile, log);
}

/** null where the file cannot be put in force: a machine leads all the same, by the rules that are. */
async function rulesNow(given: Config, { engine, masterSecret }: Store, log: Log): Promise<Config['rules']> {
  let rules: Config['rules'] = null;
  const read = async (): Promise<string | null> => {
    const found = readRules(process.env);
    const { config, setup } = resolveSetup({ ...given, rules: found }, engine.setup);
    resolveRules(config, setup, engine.rules, masterSecretFingerprint(masterSecret));
    rules = found;
    return rules && 'as the file has them now';
  };
  await new Reloads(log).add('rules', read).run();
  return rules;
}

const INSTEAD = 'variables configure it (docs/ops/configuration.md), and npx tote has the commands';

/** `operators` is the thread of the operators' port, which may still be loading. */
export async function serve(operators: Worker): Promise<void> {
  try {
    const [word] = process.argv.slice(2);
    if (word !== undefined) throw new ConfigError([`${word}: the server takes no arguments; ${INSTEAD}`]);
    const config = readConfig(process.env);
    const log = withServiceManager(createLog(config.logLevel), process.env);
    logNodeWarnings(log);
    await start(config, log, operators);
  } catch (error) {
    startLines.refuseToStart(error);
  }
}
