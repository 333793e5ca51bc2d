/** Addresses and ranges of them, as `TOTE_TRUSTED_PROXIES` names them. */
import { isIP } from 'node:net';

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
