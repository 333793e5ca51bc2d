/**
 * The two ports. They are taken before anything is written and served once the server is ready, so that a first start
 * that is refused because of a port leaves the data directory new. Requests that arrive in between are held.
 */
import { randomBytes } from 'node:crypto';
import type { HttpHandler } from '../../engine/model/ports.js';
import type { Rules } from '../../engine/model/rules.js';
import { shareLimits } from '../limits/shared-limits.js';
import { urlOf } from '../process/banner.js';
import { type ManualClock, systemClock } from '../process/clock.js';
import { type Config, ConfigError } from '../process/config.js';
import { connectionLimits, descriptorsMax, limitsNote } from '../uws/connection-limits.js';
import { HeldRequests } from '../uws/held-requests.js';
import { UwsTransport } from '../uws/transport.js';
import type { Front } from './front.js';

const UNSEEN =
  'the HTTP library does not show what it receives: bytes outside ASCII at the ends of header values are dropped, not refused';

/** Of the part of a request's id that differs for each start of the server. */
const REQUEST_ID_BYTES = 6;

export interface OpenPorts {
  readonly front: Front;
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** Warnings for the operator. */
  readonly notes: readonly string[];
  /** Passes on the held requests, and all that follow. */
  serve(rules: Rules, operatorApi: HttpHandler): void;
  /** Accepts no new connections; resolves once all pending requests are answered. */
  close(): Promise<void>;
}

export interface PortParts {
  readonly front: Front;
  readonly masterSecret: Uint8Array;
  /** null for the system's clock. */
  readonly manualClock: ManualClock | null;
  readonly onFatal: (error: unknown) => void;
}

/** Throws a `ConfigError` that names the variable where an address cannot be listened on. */
export async function openPorts(config: Config, parts: PortParts): Promise<OpenPorts> {
  const { host, port, operatorHost, operatorPort, trustedProxies, rateLimits, logLevel } = config;
  const { front, masterSecret, manualClock, onFatal } = parts;
  const descriptors = descriptorsMax();
  const { publicMax, operatorMax } = connectionLimits(descriptors);
  const openConnections = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const setup = {
    masterSecret,
    manualClock: manualClock?.memory ?? null,
    requestIdPrefix: randomBytes(REQUEST_ID_BYTES).toString('hex'),
    openConnections,
    connectionsMax: publicMax,
    trustedProxies,
    limits: shareLimits(rateLimits),
    logLevel,
  };
  const taken = await named('TOTE_PORT', front.listen(setup, host, port));
  const held = new HeldRequests();
  const forOperators = new UwsTransport({
    clock: systemClock,
    trustedProxies: [],
    onFatal,
    connectionsMax: operatorMax,
  });
  const operatorListens = forOperators.listen(operatorHost, operatorPort, held.handler);
  const operatorTaken = await named('TOTE_OPERATOR_PORT', operatorListens);
  return {
    front,
    publicUrl: urlOf(host, taken.port),
    operatorUrl: urlOf(operatorHost, operatorTaken),
    notes: [limitsNote(descriptors), taken.seesHeads ? null : UNSEEN].filter((note) => note !== null),
    serve(rules, operatorApi) {
      front.serve(rules);
      held.serve(operatorApi);
    },
    async close() {
      await Promise.all([front.close(), forOperators.close()]);
    },
  };
}

/** An address that cannot be listened on is a mistake in the configuration. */
async function named<T>(variable: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    throw new ConfigError([`${variable}: ${error instanceof Error ? error.message : error}`]);
  }
}
