/** Addresses and ranges of them, as `TOTE_TRUSTED_PROXIES` names them. */
import { isIP } from 'node:net';

interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefixBits: number;
}

/** For an IP address or a range in CIDR form (`10.0.0.0/8`); null where `text` is neither. */
export function parseAddressRange(text: string): AddressRange | null {
  const [, address = '', bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return null;
  const bitsMax = version === 4 ? 32 : 128;
  const prefixBits = bits === undefined ? bitsMax : Number(bits);
  return prefixBits > bitsMax ? null : { address, family: version === 4 ? 'ipv4' : 'ipv6', prefixBits };
}
