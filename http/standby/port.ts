/** The operators' port of a server that follows. It is closed before the server that it becomes opens both ports. */
import type { OperatorToken } from '../../engine/model/operators.js';
import type { Log } from '../log/log.js';
import { TokenGuard } from '../operator/access/token-guard.js';
import { urlOf } from '../process/banner.js';
import { systemClock } from '../process/clock.js';
import { type Config, ConfigError } from '../process/config.js';
import { tlsFilesOf } from '../tls/files.js';
import { UwsTransport } from '../uws/transport.js';
import { createStandbyApi, type StandbyFacts } from './api.js';

/** Few ask a standby, and often. */
const CONNECTIONS_MAX = 64;

export interface StandbyPortOptions {
  readonly tokens: readonly OperatorToken[];
  readonly facts: () => StandbyFacts;
  /** Of this server. */
  readonly version: string;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

/** Throws a `ConfigError` if the address cannot be listened on. */
export async function openStandbyPort(config: Config, options: StandbyPortOptions): Promise<UwsTransport> {
  const { operatorHost, operatorPort } = config;
  const { tokens, facts, version, log, onFatal } = options;
  const tls = tlsFilesOf(config).operator;
  const transport = new UwsTransport({
    clock: systemClock,
    trustedProxies: [],
    tls,
    connectionsMax: CONNECTIONS_MAX,
    onFatal,
  });
  const callers = new TokenGuard(tokens, systemClock);
  const build = { version, node: process.version };
  const api = createStandbyApi({ callers, facts, build, onFatal });
  try {
    const port = await transport.listen(operatorHost, operatorPort, api);
    log.write('standby_listening', { operatorUrl: urlOf(operatorHost, port, tls !== null) });
    return transport;
  } catch (error) {
    throw new ConfigError([`TOTE_OPERATOR_PORT: ${error instanceof Error ? error.message : error}`]);
  }
}
