/** Names of hosts, and addresses and ranges of them, as variables have them. */
import { isIP } from 'node:net';

const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const NAME = new RegExp(`^${LABEL}(\\.${LABEL})*\\.?$`);
const LENGTH_MAX = 253;

/** Or an IPv4 address; not an IPv6 address. A name that can never be resolved would be tried for ever. */
export const isHostName = (text: string): boolean =>
  text.length <= LENGTH_MAX && NAME.test(text) && URL.canParse(`http://${text}`);

/** For an IP address or a range in CIDR form (`10.0.0.0/8`); null where `text` is neither. */
export function parseAddressRange(text: string) {
  const [, address = '', bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return null;
  const bitsMax = version === 4 ? 32 : 128;
  const prefixBits = bits === undefined ? bitsMax : Number(bits);
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return prefixBits > bitsMax ? null : ({ address, family, prefixBits } as const);
}
