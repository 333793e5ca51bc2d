/**
 * The operators' port of a server that follows, with its console: `/healthz` and `/readyz` for load balancers,
 * `/metrics`, and a status that can only be read. The leader answers everything else. It is closed before the server
 * that it becomes opens both ports.
 */
import { ConfigError } from '../../config/config.js';
import { tlsFilesOf } from '../../config/tls-files.js';
import type { Config } from '../../config/variables.js';
import { messageOf } from '../../engine/base/attempt.js';
import type { OperatorToken } from '../../engine/model/operators.js';
import type { HttpHandler } from '../../engine/model/ports.js';
import { systemClock } from '../../process/clock.js';
import type { Log } from '../../process/log/log.js';
import { type Reloads, tokensReload } from '../../process/reloads.js';
import { CONSOLE_STREAMS, Console } from '../console/console.js';
import { Faults } from '../gateway/faults.js';
import { PortCertificates } from '../gateway/port-certificates.js';
import { workFor } from '../kit/client-work.js';
import { Refused } from '../kit/refused.js';
import { GAUGES, inUnit, type LogGaugeName } from '../metrics/gauges.js';
import { accessFamily, clientFaultsFamily, logFamilies } from '../metrics/prometheus/families.js';
import { gauge } from '../metrics/prometheus/family.js';
import type { StandbyStatus } from '../metrics/replication.js';
import type { Callers } from '../operator/access/callers.js';
import { TokenGuard } from '../operator/access/token-guard.js';
import { createOperatorApi } from '../operator/api.js';
import { answer, type OperatorRoute, PREFIX, sendResult } from '../operator/endpoint.js';
import { healthRoutes } from '../operator/health.js';
import { metricsRoute } from '../operator/server.js';
import { urlOf } from '../uws/listening.js';
import { UwsTransport } from '../uws/transport.js';

/** Few ask a standby, and often. */
const CONNECTIONS_MAX = 64;
const TICK_MS = 1_000;

interface StandbyPortOptions {
  /** Only a start makes a missing token (`mayCreate`). */
  readonly readTokens: (mayCreate: boolean) => readonly OperatorToken[];
  readonly reloads: Reloads;
  readonly status: () => StandbyStatus;
  readonly sessionKey: Uint8Array;
  readonly version: string;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

/** Throws a `ConfigError` if the address cannot be listened on. */
export async function openStandbyPort(config: Config, options: StandbyPortOptions) {
  const { operatorHost, operatorPort } = config;
  const { readTokens, reloads, status, sessionKey, version, log, onFatal } = options;
  const tls = tlsFilesOf(config).operator;
  let clientFaults = 0;
  const count = (): void => {
    clientFaults += 1;
  };
  const { monotonicMs } = systemClock;
  const faults = new Faults({ log, thread: 'standby', monotonicMs, count, onFatal });
  const transport = new UwsTransport({
    clock: systemClock,
    trustedProxies: [],
    tls,
    connectionsMax: CONNECTIONS_MAX,
    streamPaths: CONSOLE_STREAMS,
    readsBrowserHeaders: true,
    onFault: faults.report,
  });
  const guard = new TokenGuard(readTokens(true), systemClock);
  const reload = tokensReload(
    () => readTokens(false),
    (tokens) => guard.setTokens(tokens),
  );
  // A standby may follow for longer than a certificate is good.
  const certificates = new PortCertificates({
    files: { operator: tls },
    renew: async () => {
      if (!transport.isClosing) transport.renew();
    },
    log,
    nowMs: systemClock.nowMs,
  });
  reloads.add('operator tokens', reload).add('certificates', () => certificates.reload());
  const console = new Console({
    tokens: guard,
    sessionKey,
    clock: systemClock,
    message: async () => ({ timeMs: systemClock.nowMs(), replication: status() }),
    pages: new Map(),
  });
  const metrics = metricsRoute(version, () => [
    ...standbyFamilies(status()),
    gauge(...GAUGES.certificateEndsMs, inUnit('certificateEndsMs', certificates.endsMs ?? Number.NaN)),
    accessFamily(guard.counted),
    clientFaultsFamily([[{ thread: 'standby' }, clientFaults]]),
  ]);
  try {
    const api = standbyApi(console, status, metrics);
    const port = await transport.listen(operatorHost, operatorPort, console.wrap(api));
    log.write('standby_listening', { operatorUrl: urlOf(operatorHost, port, tls !== null) });
    const tick = (): void => {
      const guesses = guard.takeGuesses();
      if (guesses !== null) log.write('operator_tokens_refused', guesses);
      console.watchers.tick();
      certificates.checkValidity();
    };
    const ticks = setInterval(() => workFor(faults, tick), TICK_MS);
    return {
      close: () => {
        clearInterval(ticks);
        console.watchers.close();
        // Its answers are sent at once. Who is still sending a request must not delay a takeover.
        return transport.halt();
      },
    };
  } catch (error) {
    throw new ConfigError([`TOTE_OPERATOR_PORT: ${messageOf(error)}`]);
  }
}

function standbyApi(callers: Callers, status: () => StandbyStatus, metrics: OperatorRoute): HttpHandler {
  const path = `${PREFIX}/status`;
  const statusRoute: OperatorRoute = {
    method: 'GET',
    path,
    role: 'read',
    handle: () => answer(200, status()),
  };
  const reason = (): string => {
    const { leader, lease } = status();
    if (leader === null) return 'this server waits for a leader';
    if (lease !== 'held') return `this server is a standby, and ${leader} led when last heard of`;
    return `this server follows ${leader}: ask there`;
  };
  const health = healthRoutes({
    turnAgeMs: () => 0,
    notReady: () => [{ check: 'process', code: 'standby', reason: reason() }],
  });
  const api = createOperatorApi({ routes: [statusRoute, metrics, ...health], callers, denials: null });
  return (request, responder) => {
    if (request.path.startsWith(`${PREFIX}/`) && request.path !== path)
      sendResult(responder, new Refused('standby', reason()));
    else api(request, responder);
  };
}

function standbyFamilies({ epoch, streamSequence, awayMs, messagesBehind, behindMs }: StandbyStatus) {
  const figures: Readonly<Partial<Record<LogGaugeName, number | null>>> = {
    epoch,
    logSequence: streamSequence,
    logAwayMs: awayMs,
    standbyMessagesBehind: messagesBehind,
    standbyBehindMs: behindMs,
  };
  return logFamilies('standby', (name) => figures[name]);
}
