/**
 * The two ports. They are taken before anything is written and served once the server is ready, so that a first start
 * that is refused because of a port leaves the data directory new. Requests that arrive in between are held.
 */
import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { Rules } from '../../engine/model/rules.js';
import { shareLimits } from '../limits/shared-limits.js';
import { urlOf } from '../process/banner.js';
import type { ManualClock } from '../process/clock.js';
import { ConfigError } from '../process/config.js';
import type { RunningConfig } from '../process/setup.js';
import { connectionLimits, descriptorsMax, limitsNote, tooFewDescriptors } from '../uws/connection-limits.js';
import type { Front } from './front.js';
import type { ForOperators } from './gateways.js';

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
  serve(rules: Rules, forOperators: ForOperators, newArchivePort: () => MessagePort): void;
  /** Accepts no new connections; resolves once all pending requests are answered. */
  close(): Promise<void>;
}

export interface PortParts {
  readonly front: Front;
  readonly masterSecret: Uint8Array;
  readonly operatorToken: string;
  /** null for the system's clock. */
  readonly manualClock: ManualClock | null;
}

/** Throws a `ConfigError` if so many gateways cannot open the files of their program. Call before they are started. */
export function requireDescriptors(gateways: number): void {
  const problem = tooFewDescriptors(descriptorsMax(), gateways);
  if (problem !== null) throw new ConfigError([problem]);
}

/** Throws a `ConfigError` that names the variable where an address cannot be listened on. */
export async function openPorts(config: RunningConfig, parts: PortParts): Promise<OpenPorts> {
  const { host, port, operatorHost, operatorPort, trustedProxies, rateLimits, logLevel } = config;
  const { front, masterSecret, operatorToken, manualClock } = parts;
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
  const forOperators = {
    host: operatorHost,
    port: operatorPort,
    token: operatorToken,
    sandbox: { isFeedPush: config.feed === 'push', isClockManual: manualClock !== null },
    connectionsMax: operatorMax,
    logLevel,
  };
  const operatorTaken = await named('TOTE_OPERATOR_PORT', front.listenForOperators(forOperators));
  return {
    front,
    publicUrl: urlOf(host, taken.port),
    operatorUrl: urlOf(operatorHost, operatorTaken),
    notes: [limitsNote(descriptors), taken.seesHeads ? null : UNSEEN].filter((note) => note !== null),
    serve: (rules, connected, newArchivePort) => front.serve(rules, connected, newArchivePort),
    close: () => front.close(),
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
