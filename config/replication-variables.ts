/** The variables of the replicated log (docs/ops/two-machines.md), and which of them belong together. */
import { hostname } from 'node:os';
import { Expected, oneOf, optional, type Parser, path, textOf, variable, whole } from './config-values.js';
import {
  isStreamName,
  NATS_SERVERS_FORM,
  type NatsServers,
  parseNatsServers,
  STREAM_NAME_FORM,
} from './nats-servers.js';

const LEASE_SECONDS_MAX = 60;

const natsServers: Parser<NatsServers | null> = (text) => {
  if (text === 'off') return null;
  const parsed = parseNatsServers(text);
  if (parsed === null) throw new Expected(`"off", or ${NATS_SERVERS_FORM}`);
  return parsed;
};

const streamName = textOf(STREAM_NAME_FORM, isStreamName);
const nodeName = textOf('letters, digits and . : - _, 64 at the most', (text) =>
  /^[\w.:-]{1,64}$/.test(text),
);

/** By field of the configuration, in the order of docs/ops/configuration.md. */
export const REPLICATION_VARIABLES = {
  /** null: the journal is on this machine alone. */
  replication: variable(
    'TOTE_REPLICATION',
    'off',
    natsServers,
    '`nats://host1,host2,host3` or `tls://…`: the NATS servers that [replicate the journal](two-machines.md); fewer than three, to try it out',
  ),
  role: variable(
    'TOTE_ROLE',
    'leader',
    oneOf('leader', 'standby', 'auto'),
    'with `TOTE_REPLICATION`: `leader`, `standby` or `auto` ([what each does](two-machines.md#start))',
  ),
  node: optional(
    'TOTE_NODE',
    [hostname(), "the machine's host name"],
    nodeName,
    'the name of this machine for messages about who leads',
  ),
  leaseMs: variable(
    'TOTE_LEASE_SECONDS',
    '3',
    (text) => whole(1, LEASE_SECONDS_MAX)(text) * 1_000,
    'a standby takes over when the leader has not renewed its lease for so long',
  ),
  replicationStream: variable(
    'TOTE_REPLICATION_STREAM',
    'tote',
    streamName,
    'name of the stream, one for each exchange; made if it is missing',
  ),
  replicationCredentials: optional(
    'TOTE_REPLICATION_CREDENTIALS',
    [null, 'none'],
    path,
    'credentials for the NATS servers: a file as `nsc` writes it, or with one line `user:password`',
  ),
  replicationCa: optional(
    'TOTE_REPLICATION_CA',
    [null, "the system's"],
    path,
    "with `tls://`: certificate of the authority that signed the servers'",
  ),
} as const;

/** Variables that are set in vain, one sentence each. */
export function mistakesOfReplication(
  env: Readonly<Record<string, string | undefined>>,
  servers: NatsServers | null,
): string[] {
  const { replication, replicationCa, ...others } = REPLICATION_VARIABLES;
  const isSet = ({ name }: { readonly name: string }): boolean => env[name] !== undefined;
  if (servers !== null) {
    const isVain = isSet(replicationCa) && !servers.isTls;
    return isVain ? [`${replicationCa.name}: is of use only with tls:// in ${replication.name}`] : [];
  }
  return [...Object.values(others), replicationCa]
    .filter(isSet)
    .map(({ name }) => `${name}: is of use only with ${replication.name}, which is not set`);
}
