/** How the NATS servers are reached. */
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { hostAndPortOf } from '../../../config/nats-servers.js';
import { readNamedFile } from '../../data-dir/files.js';
import { JournalError } from '../../errors.js';
import { answerOf } from './server-watch.js';

export interface NatsSettings {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  readonly stream: string;
  /** A file as `nsc` writes it, or with one line `user:password`; null for neither. */
  readonly credentialsFile: string | null;
  /** null without TLS. `caFile` is the authority that signed the servers' certificates; null: the system's. */
  readonly tls: { readonly caFile: string | null } | null;
}

/** A slower server is not waited for. */
export const ANSWER_MS_MAX = 1_000;
const PING_EVERY_MS = 1_000;
const RECONNECT_EVERY_MS = 200;
const CREDENTIALS_OF_NSC = 'BEGIN NATS USER JWT';

/** Throws if no server answers. */
export async function connectTo(settings: NatsSettings): Promise<NatsConnection> {
  await requireAnswer(settings.servers);
  return connect(connectionOptions(settings));
}

/**
 * The library keeps a socket for good whose server took the connection and is silent: a command would not end, and a
 * start that tries again would run out of descriptors.
 */
async function requireAnswer(servers: readonly string[]): Promise<void> {
  const asked = servers.map((server) => answerOf(server, ANSWER_MS_MAX));
  const isSafe = await new Promise<boolean>((resolve) => {
    for (const answer of asked) void answer.then((given) => given === 'answers' && resolve(true));
    void Promise.all(asked).then((given) => resolve(!given.includes('is silent')));
  });
  if (!isSafe) throw new Error('timeout');
}

export function connectionOptions({ servers, credentialsFile, tls }: NatsSettings): ConnectionOptions {
  return {
    servers: [...servers],
    name: 'tote',
    timeout: ANSWER_MS_MAX,
    pingInterval: PING_EVERY_MS,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    // A second refusal would close the connection for good, even if the user is let in again later.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_EVERY_MS,
    ...(credentialsFile === null ? {} : { authenticator: authenticatorOf(credentialsFile) }),
    ...(tls === null ? {} : { tls: tlsOptions(servers, tls.caFile) }),
  };
}

/** The library hands all that it does not know on to Node. */
const tlsOptions = (servers: readonly string[], caFile: string | null) => ({
  checkServerIdentity: identityCheck(servers),
  ...(caFile !== null && { ca: readNamedFile(caFile) }),
});

/** The name that Node looks for where the library tells it none: a server that is known by its address. */
const UNNAMED = 'localhost';

/** A server without a name must name one of the list's addresses: these servers are one cluster, and trusted alike. */
function identityCheck(servers: readonly string[]): typeof checkServerIdentity {
  const hosts = servers.map((server) => hostAndPortOf(server)[0]);
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return (name, certificate) => {
    const isNamed = hosts.includes(name) || addresses.length === 0;
    const expected = [...(isNamed ? [name] : []), ...(name === UNNAMED || !isNamed ? addresses : [])];
    const refusals = expected.map((host) => checkServerIdentity(host, certificate));
    return refusals.includes(undefined) ? undefined : refusals[0];
  };
}

function authenticatorOf(file: string): Authenticator {
  const text = readNamedFile(file);
  if (text.includes(CREDENTIALS_OF_NSC)) return credsAuthenticator(new TextEncoder().encode(text));
  const [, user, password] = /^([^:\s]+):(\S+)\s*$/.exec(text) ?? [];
  if (user === undefined || password === undefined)
    throw new JournalError(
      'file_unreadable',
      `${file} has no credentials for the NATS servers: it is a file as nsc writes it, or has one line user:password.`,
    );
  return usernamePasswordAuthenticator(user, password);
}
