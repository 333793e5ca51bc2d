/**
 * The two ports. They are taken before anything is written and served once the server is ready, so that a first start
 * that is refused because of a port leaves the data directory new. Requests that arrive in between are held.
 */
import { randomBytes } from 'node:crypto';
import { ConfigError } from '../../config/config.js';
import type { RunningConfig } from '../../config/setup.js';
import { tlsFilesOf } from '../../config/tls-files.js';
import { messageOf } from '../../engine/base/attempt.js';
import type { OperatorToken } from '../../engine/model/operators.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import { type ManualClock, systemClock } from '../../process/clock.js';
import type { Log } from '../../process/log/log.js';
import { routeNames } from '../api/endpoint.js';
import { ENDPOINTS } from '../api/endpoints.js';
import { sessionKeyOf } from '../console/sessions.js';
import { shareLimits } from '../limits/shared-limits.js';
import {
  CONNECTION_CELLS_BYTES,
  connectionLimits,
  descriptorsMax,
  limitsNote,
  tooFewDescriptors,
} from '../uws/connection-limits.js';
import { urlOf } from '../uws/listening.js';
import type { Front } from './front.js';
import { PortCertificates } from './port-certificates.js';

const CERTIFICATE_CHECK_EVERY_MS = 60 * 60 * 1_000;

/** Differ for each start of the server. */
const REQUEST_ID_BYTES = 6;

export type OpenPorts = Awaited<ReturnType<typeof openPorts>>;

interface PortParts {
  readonly front: Front;
  readonly masterSecret: Uint8Array;
  readonly operatorTokens: readonly OperatorToken[];
  readonly version: string;
  /** As commands of a shell take it. */
  readonly dataDir: string;
  readonly signing: SigningKeys;
  /** null for the system's clock. */
  readonly manualClock: ManualClock | null;
  readonly log: Log;
}

/**
 * Throws a `ConfigError` if so many gateways cannot open the files of their program. To be called before they are
 * started.
 */
export function requireDescriptors(gateways: number): void {
  const problem = tooFewDescriptors(descriptorsMax(), gateways);
  if (problem !== null) throw new ConfigError([problem]);
}

/** Throws a `ConfigError` that names the variable where an address cannot be listened on. */
export async function openPorts(config: RunningConfig, parts: PortParts) {
  const { host, port, operatorHost, operatorPort, trustedProxies, rateLimits, logLevel } = config;
  const { front, masterSecret, signing, operatorTokens, manualClock, log } = parts;
  const tls = tlsFilesOf(config);
  const descriptors = descriptorsMax();
  const { publicMax, operatorMax } = connectionLimits(descriptors);
  const openConnections = new SharedArrayBuffer(CONNECTION_CELLS_BYTES);
  const requestIdPrefix = randomBytes(REQUEST_ID_BYTES).toString('hex');
  const setup = {
    masterSecret,
    signing,
    manualClock: manualClock?.memory ?? null,
    requestIdPrefix,
    openConnections,
    connectionsMax: publicMax,
    trustedProxies,
    tls: tls.public,
    limits: shareLimits(rateLimits),
    logLevel,
  };
  const forOperators = {
    requestIdPrefix,
    host: operatorHost,
    port: operatorPort,
    tokens: operatorTokens,
    sessionKey: sessionKeyOf(masterSecret),
    connectionsMax: operatorMax,
    tls: tls.operator,
    routes: routeNames(ENDPOINTS),
    version: parts.version,
    dataDir: parts.dataDir,
    openConnections,
    logLevel,
  };
  const taking = [
    named('TOTE_PORT', front.listen(setup, host, port)),
    named('TOTE_OPERATOR_PORT', front.listenForOperators(forOperators)),
  ] as const;
  // Even if one is refused: a thread that has to end while it takes its port would abort the process.
  await Promise.allSettled(taking);
  const [taken, operatorTaken] = await Promise.all(taking);
  const certificates = new PortCertificates({
    files: tls,
    renew: (renewed) => front.gateways.renew(renewed),
    log,
    nowMs: systemClock.nowMs,
  });
  certificates.checkValidity();
  setInterval(() => certificates.checkValidity(), CERTIFICATE_CHECK_EVERY_MS).unref();
  const note = limitsNote(descriptors);
  if (note !== null) log.write('port_warning', {}, note);
  return {
    publicUrl: urlOf(host, taken, tls.public !== null),
    operatorUrl: urlOf(operatorHost, operatorTaken, tls.operator !== null),
    reloadCertificates: () => certificates.reload(),
    /** The first end of a port's certificate; null without TLS. */
    certificateEndsMs: () => certificates.endsMs,
  };
}

async function named<T>(variable: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    throw new ConfigError([`${variable}: ${messageOf(error)}`]);
  }
}
