/**
 * Bounds how many connections one address has. The library does not report whose connection closes, so the kernel's table
 * of connections is counted: only for an address that may have too many, and at most once a second. The table also has
 * connections that ended a minute ago, which a stranger can make by the ten thousand. So it is read beside all other
 * work, and until it is read an address may open as many more.
 */
import { createReadStream } from 'node:fs';
import type { ClientAddresses, Peer } from './client-address.js';

/** Connections of one address to the public port; loopback and trusted proxies may have all. */
export const PER_ADDRESS_MAX = 1_000;

const COUNT_EVERY_MS = 1_000;
/** Counting takes at most one part in so many of the time. */
const COUNT_SHARE = 10;
/** Once so many addresses have opened connections since the last count, these are forgotten, and all counted anew. */
const OPENED_MAX = 16_384;
/** Systemd's `ProcSubset=pid` hides `/proc/net`. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
/** The kernel gives a page at a time. */
const PART_BYTES = 8 * 1024;

export interface AddressBoundOptions {
  readonly addresses: ClientAddresses;
  readonly perAddressMax: number;
  /** 0 while it is unknown. */
  readonly port: () => number;
  readonly monotonicMs: () => number;
}

export class AddressBound {
  #counted = new Map<string, number>();
  /** Since the last count began. */
  readonly #openedSince = new Map<string, number>();
  #isCounting = false;
  /** -Infinity where there is no count of use. */
  #nextCountMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: AddressBoundOptions) {}

  /** `share` is this thread's part of all connections. */
  allows({ counted, isBounded }: Peer, share: number): boolean {
    if (!isBounded) return true;
    const { perAddressMax, monotonicMs } = this.options;
    const opened = (this.#openedSince.get(counted) ?? 0) + 1;
    const isFew = (this.#counted.get(counted) ?? 0) + opened / share <= perAddressMax;
    if (isFew) this.#openedSince.set(counted, opened);
    const areMany = this.#openedSince.size >= OPENED_MAX;
    const isOfUse = !isFew || areMany || this.#nextCountMs === Number.NEGATIVE_INFINITY;
    if (isOfUse && !this.#isCounting && monotonicMs() >= this.#nextCountMs) void this.#count(share);
    else if (areMany) this.#openedSince.clear();
    return isFew;
  }

  /** All connections together are so few that no address has too many: they are not counted until that changes. */
  rest(): void {
    if (this.#nextCountMs === Number.NEGATIVE_INFINITY) return;
    this.#nextCountMs = Number.NEGATIVE_INFINITY;
    this.#counted.clear();
    this.#openedSince.clear();
  }

  async #count(share: number): Promise<void> {
    const { monotonicMs } = this.options;
    const beganMs = monotonicMs();
    this.#isCounting = true;
    for (const [address, opened] of this.#openedSince)
      this.#counted.set(address, (this.#counted.get(address) ?? 0) + opened / share);
    this.#openedSince.clear();
    this.#counted = await countConnections(tableParts(), this.options);
    this.#isCounting = false;
    const nowMs = monotonicMs();
    this.#nextCountMs = nowMs + Math.max(COUNT_EVERY_MS, (nowMs - beganMs) * COUNT_SHARE);
  }
}

/** `parts` are the text of the kernel's tables. Only established connections count. */
export async function countConnections(
  parts: AsyncIterable<string> | Iterable<string>,
  { addresses, port }: Pick<AddressBoundOptions, 'addresses' | 'port'>,
): Promise<Map<string, number>> {
  const local = port().toString(16).toUpperCase().padStart(4, '0');
  const ofPort = new RegExp(`: [0-9A-F]+:${local} ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} 01 `, 'g');
  const counts = new Map<string, number>();
  let text = '';
  for await (const part of parts) {
    text += part;
    const end = text.lastIndexOf('\n') + 1;
    for (const [, remote = ''] of text.slice(0, end).matchAll(ofPort)) {
      const { counted } = addresses.peer(bytesOf(remote));
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    }
    text = text.slice(end);
  }
  return counts;
}

/** Without such a table no address is bounded. */
async function* tableParts(): AsyncGenerator<string, void, undefined> {
  for (const path of TABLES) {
    try {
      const stream: AsyncIterable<string> = createReadStream(path, {
        encoding: 'latin1',
        highWaterMark: PART_BYTES,
      });
      yield* stream;
    } catch {
      // The machine has no IPv6, or no such table at all.
    }
  }
}

/** The table has addresses as 32-bit words in the machine's order of bytes. */
function bytesOf(hex: string): ArrayBuffer {
  const bytes = Buffer.from(hex, 'hex').swap32();
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}
