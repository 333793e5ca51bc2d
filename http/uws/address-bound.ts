/**
 * Bounds how many connections one address has. The library does not report whose connection closes, so the kernel's table
 * of connections is counted: only for an address that may have too many, and at most once a second.
 */
import { readFileSync } from 'node:fs';
import { attempt } from '../../engine/base/attempt.js';
import type { ClientAddresses, Peer } from './client-address.js';

/** Connections of one address to the public port; loopback and trusted proxies may have all. */
export const PER_ADDRESS_MAX = 1_000;

const COUNT_EVERY_MS = 1_000;
/** Once so many addresses have opened connections since the last count, all are counted anew and these forgotten. */
const OPENED_MAX = 16_384;
/** Systemd's `ProcSubset=pid` hides `/proc/net`. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

export interface AddressBoundOptions {
  readonly addresses: ClientAddresses;
  readonly perAddressMax: number;
  /** 0 while it is unknown. */
  readonly port: () => number;
  readonly monotonicMs: () => number;
}

export class AddressBound {
  #counted: ReadonlyMap<string, number> = new Map();
  readonly #openedSince = new Map<string, number>();
  /** -Infinity where the last count is of no use. */
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: AddressBoundOptions) {}

  /** `share` is this thread's part of all connections. */
  allows({ counted, isBounded }: Peer, share: number): boolean {
    if (!isBounded) return true;
    const { perAddressMax, monotonicMs } = this.options;
    const opened = (this.#openedSince.get(counted) ?? 0) + 1;
    this.#openedSince.set(counted, opened);
    const isFew = (this.#counted.get(counted) ?? 0) + opened / share <= perAddressMax;
    const agoMs = monotonicMs() - this.#countedAtMs;
    if (agoMs < COUNT_EVERY_MS) return isFew;
    if (agoMs < Infinity && isFew && this.#openedSince.size < OPENED_MAX) return true;
    this.#countedAtMs = monotonicMs();
    this.#openedSince.clear();
    this.#counted = countConnections(TABLES.map(textOf).join(''), this.options);
    return (this.#counted.get(counted) ?? 0) <= perAddressMax;
  }

  /** All connections together are so few that no address has too many: they are not counted until that changes. */
  rest(): void {
    this.#countedAtMs = Number.NEGATIVE_INFINITY;
  }
}

/** `table` is the text of the kernel's tables. Only established connections count. */
export function countConnections(
  table: string,
  { addresses, port }: Pick<AddressBoundOptions, 'addresses' | 'port'>,
): Map<string, number> {
  const local = port().toString(16).toUpperCase().padStart(4, '0');
  const lines = table.matchAll(
    new RegExp(`: [0-9A-F]+:${local} ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} 01 `, 'g'),
  );
  const counts = new Map<string, number>();
  for (const [, remote = ''] of lines) {
    const { counted } = addresses.peer(bytesOf(remote));
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
  }
  return counts;
}

/** The table has addresses as 32-bit words in the machine's order of bytes. */
function bytesOf(hex: string): ArrayBuffer {
  const bytes = Buffer.from(hex, 'hex').swap32();
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

/** Without such a table no address is bounded. */
const textOf = (path: string): string => attempt(() => readFileSync(path, 'latin1'), '');
