/**
 * An owner of a window, as three words: an address as rate limits count it (`client-address.ts`), the site it lies in,
 * or a key's or an account's number. Different owners have different words.
 */
import { assert } from '../../engine/base/assert.js';
import { SUBNET, UNKNOWN_ADDRESS } from '../uws/client-address.js';

/**
 * 0 stands for no owner; from `keyReads` on, owners have numbers. `siteSize` counts how many addresses of a site have
 * windows.
 */
export const Kind = {
  ipv4: 1,
  ipv6: 2,
  ipv6Site: 3,
  unknown: 4,
  siteSize: 5,
  keyReads: 6,
  keyWrites: 7,
  keyCancels: 8,
  account: 9,
} as const;

const COLON = 0x3a;
const DOT = 0x2e;
const NINE = 0x39;
/** The last two of an IPv6 /64's four groups; the lower of them is not the site's. */
const SITE_MASK = 0xffff0000;

export class Owner {
  kind = 0;
  high = 0;
  low = 0;

  number(kind: number, number: number): this {
    this.kind = kind;
    this.high = 0;
    this.low = number;
    return this;
  }

  read(address: string): void {
    this.high = 0;
    this.low = 0;
    if (address.endsWith(SUBNET)) this.#readNetwork(address);
    else if (address === UNKNOWN_ADDRESS) this.kind = Kind.unknown;
    else this.#readIpv4(address);
  }

  copy({ kind, high, low }: Owner): void {
    this.kind = kind;
    this.high = high;
    this.low = low;
  }

  /** Becomes the /48 where the address lies, as this kind; false where it has none. */
  becomeSite(kind: typeof Kind.ipv6Site | typeof Kind.siteSize): boolean {
    if (this.kind !== Kind.ipv6) return false;
    this.kind = kind;
    this.low = (this.low & SITE_MASK) >>> 0;
    return true;
  }

  #readIpv4(address: string): void {
    let dots = 0;
    let group = 0;
    for (let index = 0; index < address.length; index++) {
      const code = address.charCodeAt(index);
      if (code === DOT) {
        this.low = (this.low << 8) | group;
        group = 0;
        dots += 1;
      } else {
        group = group * 10 + (code & 15);
      }
    }
    assert(dots === 3 && group < 256, 'an address is an IPv4 address, an IPv6 /64 or unknown');
    this.kind = Kind.ipv4;
    this.low = ((this.low << 8) | group) >>> 0;
  }

  #readNetwork(address: string): void {
    const end = address.length - SUBNET.length;
    let colons = 0;
    let group = 0;
    for (let index = 0; index < end; index++) {
      const code = address.charCodeAt(index);
      if (code === COLON) {
        this.#shift(group);
        group = 0;
        colons += 1;
      } else {
        group = group * 16 + (code <= NINE ? code & 15 : (code & 15) + 9);
      }
    }
    assert(colons === 3 && group < 0x10000, 'the network of an IPv6 address has four groups');
    this.kind = Kind.ipv6;
    this.#shift(group);
  }

  #shift(group: number): void {
    this.high = ((this.high << 16) | (this.low >>> 16)) >>> 0;
    this.low = ((this.low << 16) | group) >>> 0;
  }
}
