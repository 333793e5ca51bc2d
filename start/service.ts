/** Keeps a server running: operators' questions, its health, the turns that drive rounds, and the end. */
import type { RunningConfig } from '../config/setup.js';
import { PUBLISH_EVERY_MS } from '../http/board/markets.js';
import { Faults } from '../http/gateway/faults.js';
import type { Front } from '../http/gateway/front.js';
import type { OpenPorts } from '../http/gateway/ports.js';
import { ENGINE_PLACES, type EngineMeter } from '../http/metrics/engine-meter.js';
import { faultCounter } from '../http/metrics/thread-meter.js';
import { OperatorQueries } from '../http/operator/queries/operator-queries.js';
import { Watch } from '../http/operator/watch/watch.js';
import { systemClock } from '../process/clock.js';
import { isClockRight } from '../process/clock-sync.js';
import type { Log } from '../process/log/log.js';
import type { Shutdown } from '../process/shutdown.js';
import type { Host } from './host.js';
import type { Storage } from './keepers.js';
import { SecondClock } from './second-clock.js';
import { ClockSteps } from './start-clock.js';

/** The parts of a server that runs. */
interface Running {
  readonly config: RunningConfig;
  readonly host: Host;
  readonly storage: Storage;
  readonly front: Front;
  readonly shutdown: Shutdown;
  readonly log: Log;
}

export const engineFaults = (meter: EngineMeter, shutdown: Shutdown, log: Log): Faults =>
  new Faults({
    ...{ log, thread: 'engine' },
    onFatal: (error) => shutdown.programmingError(error),
    monotonicMs: systemClock.monotonicMs,
    count: faultCounter(meter.sheet, ENGINE_PLACES.thread),
  });

export function buildOperatorQueries(
  { config, host, storage, front, shutdown }: Running,
  faults: Faults,
  version: string,
): OperatorQueries {
  const { start, replicatedLog } = storage;
  const status = {
    ...host,
    ...{ start, replicatedLog },
    feedName: host.feed.name,
    durability: config.durability,
    shadow: () => host.shadow.status,
    version,
  };
  return new OperatorQueries({
    ...host,
    status,
    beforeTelling: () => front.publishFirst(),
    schedule: setImmediate,
    onFault: (error, kind) => faults.report(error, { method: 'ASK', path: kind, address: '' }),
    onFatal: (error) => shutdown.programmingError(error),
  });
}

/** Logs what operators should learn without asking. */
export const watchServer = (
  { config, host, storage, front, shutdown, log }: Running,
  ports: OpenPorts,
): Watch =>
  new Watch({
    ...host,
    ...front.figures,
    shadow: () => host.shadow.status,
    threads: { journal: storage.disk, shadow: host.shadow, reader: host.threads.reader },
    isStopping: () => shutdown.isStopping,
    replicatedLog: storage.replicatedLog,
    needsBackup: config.clock === 'system' && !config.feeds.includes('simulated'),
    certificateEndsMs: ports.certificateEndsMs,
    log,
  });

/** Until the server is told to end; then closes everything in order. */
export function run({ host, storage, front, shutdown, log }: Running, watch: Watch): void {
  const { sequencer, lifecycle, roots, threads, journal } = host;
  const secondClock = new SecondClock({ ...host, isSynchronised: isClockRight, log });
  const clockSteps = new ClockSteps({ ...host, dataDir: storage.store.dir.root, log });
  const pump = (): void => {
    sequencer.heartbeat();
    secondClock.look();
    clockSteps.look();
    lifecycle.pump();
    front.pump();
    watch.beat();
    roots.pump();
  };
  const timer = setInterval(pump, PUBLISH_EVERY_MS);
  let portsClosed = Promise.resolve();
  shutdown.watch({
    drain: () => {
      portsClosed = front.gateways.close();
      return sequencer.drain().then(storage.drained);
    },
    close: async () => {
      await portsClosed;
      clearInterval(timer);
      lifecycle.stop();
      watch.end();
      // The shadow reads the journal's files. The journal must be the last to close them, so that no WAL is left.
      await threads.close();
      await journal.close();
      storage.store.lock.release();
    },
  });
}
