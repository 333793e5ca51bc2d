/** The text forms of NATS servers and stream names, for the configuration and the command line. */
import { isHostName } from './hosts.js';

const PORT = 4222;
const PORT_MAX = 65_535;
const HOST_FORM = /^(?:([^:[\]]+)|(\[[0-9a-fA-F:]+\]))(:\d{1,5})?$/;

export const NATS_SERVERS_FORM =
  'nats://host1,host2,host3 with or without ports, each once, or with nats:// before each; tls:// in place of nats:// for TLS';

export const STREAM_NAME_FORM = 'letters, digits, - and _, 64 at the most';

/** `servers` are `host:port` each. */
export type NatsServers = Readonly<NonNullable<ReturnType<typeof parseNatsServers>>>;
export function parseNatsServers(text: string) {
  const [prefix = '', scheme] = /^(nats|tls):\/\//.exec(text) ?? [];
  const hosts = text.split(',').map((part, at) => {
    const host = part.trim();
    return at === 0 || host.startsWith(prefix) ? host.slice(prefix.length) : host;
  });
  if (scheme === undefined || !hosts.every(isHost)) return null;
  const servers = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:${PORT}`));
  if (!servers.every((server) => isPort(hostAndPortOf(server)[1]))) return null;
  return new Set(servers.map(identityOf)).size === servers.length
    ? { servers, isTls: scheme === 'tls' }
    : null;
}

/** `server` is one of `NatsServers`. An IPv6 address comes without its brackets. */
export function hostAndPortOf(server: string): readonly [host: string, port: number] {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(server) ?? [];
  return [host, Number(port)];
}

/** The same for all spellings of a server: counted twice, it would be a quorum with itself. */
function identityOf(server: string): string {
  const [, host = '', port] = /^(.*?)\.?:(\d+)$/.exec(server) ?? [];
  return `${new URL(`http://${host}`).hostname}:${Number(port)}`;
}

function isHost(host: string): boolean {
  const [, name, address = ''] = HOST_FORM.exec(host) ?? [];
  return name === undefined ? URL.canParse(`http://${address}`) : isHostName(name);
}

const isPort = (port: number): boolean => port >= 1 && port <= PORT_MAX;

export const isStreamName = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);
