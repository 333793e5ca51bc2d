/**
 * The operators' port of a server that follows, with its console. It is closed before the server that it becomes opens
 * both ports.
 */

import { ConfigError } from '../../config/config.js';
import { tlsFilesOf } from '../../config/tls-files.js';
import type { Config } from '../../config/variables.js';
import type { OperatorToken } from '../../engine/model/operators.js';
import { systemClock } from '../../process/clock.js';
import type { Log } from '../../process/log/log.js';
import { type Reloads, tokensReload } from '../../process/reloads.js';
import { CONSOLE_STREAMS, openStandbyConsole } from '../console/open-console.js';
import { Faults } from '../gateway/faults.js';
import { workFor } from '../kit/client-work.js';
import type { StandbyStatus } from '../metrics/replication.js';
import { TokenGuard } from '../operator/access/token-guard.js';
import { urlOf } from '../uws/listening.js';
import { UwsTransport } from '../uws/transport.js';
import { createStandbyApi } from './api.js';

/** Few ask a standby, and often. */
const CONNECTIONS_MAX = 64;
const TICK_MS = 1_000;

export interface StandbyPortOptions {
  readonly readTokens: () => readonly OperatorToken[];
  readonly reloads: Reloads;
  readonly facts: () => StandbyStatus;
  readonly sessionKey: Uint8Array;
  readonly version: string;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export interface StandbyPort {
  close(): Promise<void>;
}

/** Throws a `ConfigError` if the address cannot be listened on. */
export async function openStandbyPort(config: Config, options: StandbyPortOptions): Promise<StandbyPort> {
  const { operatorHost, operatorPort } = config;
  const { readTokens, reloads, facts, sessionKey, version, log, onFatal } = options;
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
  const guard = new TokenGuard(readTokens(), systemClock);
  const reload = tokensReload(readTokens, (tokens) => guard.setTokens(tokens));
  reloads.add('operator tokens', reload);
  const console = openStandbyConsole({ tokens: guard, sessionKey, clock: systemClock, replication: facts });
  const api = createStandbyApi({
    callers: console.callers,
    guesses: () => guard.counted,
    facts,
    version,
    clientFaults: () => clientFaults,
  });
  try {
    const port = await transport.listen(operatorHost, operatorPort, console.wrap(api));
    log.write('standby_listening', { operatorUrl: urlOf(operatorHost, port, tls !== null) });
    const tick = (): void => {
      const guesses = guard.takeGuesses();
      if (guesses !== null) log.write('operator_tokens_refused', guesses);
      console.tick();
    };
    const ticks = setInterval(() => workFor(faults, tick), TICK_MS);
    return {
      close: () => {
        clearInterval(ticks);
        console.close();
        return transport.close();
      },
    };
  } catch (error) {
    throw new ConfigError([`TOTE_OPERATOR_PORT: ${error instanceof Error ? error.message : error}`]);
  }
}
