/**
 * The client's address as rate limits count it: IPv4 as text, IPv4 mapped into IPv6 as that IPv4,
 * and IPv6 by its /64, since one subscriber owns a whole /64. Behind a trusted proxy it is the address that the proxy
 * reports.
 *
 * In `X-Forwarded-For` the right-most address that is not a trusted proxy counts: everything to its left came from
 * the client, which can write anything there. A port that a proxy adds is ignored. If the list is missing, malformed
 * before such an address is found, or names only trusted proxies, the proxy itself counts.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { parseAddressRange } from '../../config/hosts.js';
import { assert, must } from '../../engine/base/assert.js';

export const SUBNET = '::/64';

/** `::1` as `addressText` writes it. */
const LOOPBACK = '0:0:0:0:0:0:0:1';

export const UNKNOWN_ADDRESS = 'unknown';

/** One object stands for each remembered address. */
export interface Peer {
  /** As rate limits count it. */
  readonly counted: string;
  readonly isTrusted: boolean;
  /** False for a trusted proxy and for this machine. */
  readonly isBounded: boolean;
}

/** When there are more, all are forgotten at once. */
const REMEMBERED_MAX = 16_384;
/** Longer lists are parsed each time, so that nobody can fill the memory with them. */
const REMEMBERED_HEADER_CHARS = 64;

/** IPv6 needs brackets, without which its last group could be taken for a port. */
const WITH_PORT = /^(?:\[([0-9A-Fa-f:.]+)\](?::\d{1,5})?|([0-9.]+):\d{1,5})$/;

export class ClientAddresses {
  readonly #trusted = new BlockList();
  /** False: `X-Forwarded-For` is not read. */
  readonly hasProxies: boolean;
  /** By the address's bytes: IPv4 as a number, IPv6 as a string of 16 characters. */
  readonly #peers = new Map<number | string, Peer>();
  /** null if the proxy itself counts. */
  readonly #forwarded = new Map<string, string | null>();

  /** `trustedProxies` are addresses or ranges that `parseAddressRange` takes. */
  constructor(trustedProxies: readonly string[]) {
    this.hasProxies = trustedProxies.length > 0;
    for (const proxy of trustedProxies) {
      const range = parseAddressRange(proxy);
      assert(range !== null, `a trusted proxy is an address or a range: ${proxy}`);
      this.#trusted.addSubnet(range.address, range.prefixBits, range.family);
    }
  }

  /** `bytes` are 4 or 16. Any other length means that the connection is gone, and is one peer of its own. */
  peer(bytes: ArrayBuffer): Peer {
    const view = new DataView(bytes);
    const id = bytes.byteLength === 4 ? view.getUint32(0) : Buffer.from(bytes).toString('latin1');
    return this.#peers.get(id) ?? remember(this.#peers, id, this.#makePeer(view));
  }

  /** `forwardedFor` is '' if absent. */
  counted(peer: Peer, forwardedFor: string): string {
    if (!peer.isTrusted || forwardedFor === '') return peer.counted;
    const known = this.#forwarded.get(forwardedFor);
    if (known !== undefined) return known ?? peer.counted;
    const counted = this.#rightMost(forwardedFor);
    if (forwardedFor.length <= REMEMBERED_HEADER_CHARS) remember(this.#forwarded, forwardedFor, counted);
    return counted ?? peer.counted;
  }

  #makePeer(view: DataView): Peer {
    const address = addressText(view);
    const isTrusted = this.hasProxies && this.#isTrusted(address);
    const counted = countedText(address);
    const isBounded = !isTrusted && counted !== '127.0.0.1' && address !== LOOPBACK && isIP(address) !== 0;
    return { counted, isTrusted, isBounded };
  }

  #rightMost(forwardedFor: string): string | null {
    const list = forwardedFor.split(',');
    for (let index = list.length - 1; index >= 0; index--) {
      const address = withoutPort(must(list[index], 'an element of the list').trim());
      if (isIP(address) === 0 || address.includes('%')) return null;
      if (!this.#isTrusted(address)) return countedText(address);
    }
    return null;
  }

  /** `BlockList` compares mapped IPv4 as IPv4. */
  #isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

function remember<K, V>(memory: Map<K, V>, key: K, value: V): V {
  if (memory.size >= REMEMBERED_MAX) memory.clear();
  memory.set(key, value);
  return value;
}

function withoutPort(element: string): string {
  const [, bracketed, bare] = WITH_PORT.exec(element) ?? [];
  return bracketed ?? bare ?? element;
}

function addressText(view: DataView): string {
  const bytes = new Uint8Array(view.buffer);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return UNKNOWN_ADDRESS;
  return Array.from({ length: 8 }, (_, group) => view.getUint16(group * 2).toString(16)).join(':');
}

/** `address` is in any text form. */
function countedText(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = ipv6Groups(address);
  const [first, second, third, fourth, fifth, sixth, seventh = 0, eighth = 0] = groups;
  const isMapped = [first, second, third, fourth, fifth].every((group) => group === 0) && sixth === 0xffff;
  if (isMapped) return [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return network.join(':') + SUBNET;
}

function ipv6Groups(address: string): number[] {
  const [left = '', right] = address.split('::');
  const head = groupsOf(left);
  if (right === undefined) return head;
  const tail = groupsOf(right);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** `ffff:1.2.3.4` is three numbers: an IPv4 at the end stands for two. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
