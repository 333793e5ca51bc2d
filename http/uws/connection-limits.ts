/**
 * The connections that are open, and how many a port accepts, given the file descriptors that the process may open. A
 * flood of connections must never take the last ones: the journal needs them, and on Linux even reading the process's own
 * memory use.
 */
import { readFileSync } from 'node:fs';
import type { ClientAddresses, Peer } from './client-address.js';
import type { UwsResponse } from './library.js';

/** Open connections, WebSockets included; further ones are closed at once. */
export const CONNECTIONS_MAX = 10_000;

/** Operators are few. */
const OPERATOR_CONNECTIONS_MAX = 256;
/** Kept free for files, pipes and threads. */
const OWN_DESCRIPTORS = 256;

/**
 * What a start needs: every thread opens many of its modules at once. Measured, with a margin: without these the start
 * fails somewhere in the middle, with EMFILE.
 */
const START_DESCRIPTORS = 144;
const GATEWAY_START_DESCRIPTORS = 48;

export interface ConnectionLimits {
  readonly publicMax: number;
  readonly operatorMax: number;
}

/** The limits for a process with this many descriptors. If there are very few, half are kept for the process itself. */
export function connectionLimits(descriptors: number): ConnectionLimits {
  const operatorMax = Math.min(OPERATOR_CONNECTIONS_MAX, Math.floor(descriptors / 8));
  const left = Math.max(descriptors - OWN_DESCRIPTORS - operatorMax, Math.floor((descriptors * 3) / 8));
  return { publicMax: Math.min(CONNECTIONS_MAX, left), operatorMax };
}

/** Why a server with so many gateways cannot start with these descriptors, or null. */
export function tooFewDescriptors(descriptors: number, gateways: number): string | null {
  const needed = START_DESCRIPTORS + gateways * GATEWAY_START_DESCRIPTORS;
  if (descriptors >= needed) return null;
  return (
    `TOTE_GATEWAYS: ${gateways} need at least ${needed} files, and this process may open only ${descriptors}: ` +
    'raise `ulimit -n`, or start fewer'
  );
}

/** A warning for the operator if the descriptors allow fewer connections than usual, or null. */
export function limitsNote(descriptors: number): string | null {
  const { publicMax, operatorMax } = connectionLimits(descriptors);
  if (publicMax === CONNECTIONS_MAX) return null;
  const enough = CONNECTIONS_MAX + OPERATOR_CONNECTIONS_MAX + OWN_DESCRIPTORS;
  return (
    `this process may open only ${descriptors} files, which leaves ${publicMax} public connections ` +
    `(of ${CONNECTIONS_MAX}) and ${operatorMax} for operators (of ${OPERATOR_CONNECTIONS_MAX}): ` +
    `raise \`ulimit -n\` to ${enough} or more and start again`
  );
}

/**
 * Descriptors that this process may open: Node has already raised the soft limit to the hard one. Infinity if
 * unknown.
 */
export function descriptorsMax(): number {
  try {
    return descriptorsIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Infinity;
  }
}

/** Reads the limit from the text of `/proc/<pid>/limits`. */
export function descriptorsIn(limits: string): number {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? Infinity : Number(soft);
}

/** The open connections of one transport, and their peers. */
export class OpenConnections {
  count = 0;
  /** The peer of all open connections if they share one; else null. */
  #onlyPeer: Peer | null = null;

  /** `shared` counts those of all transports that share the bound: one 32-bit integer. */
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly connectionsMax: number,
    private readonly shared: Int32Array,
  ) {}

  /**
   * Counts a new connection. Returns false if it is one too many. Asking the library for an address costs as much as the
   * rest of starting a request. A sole peer, such as a proxy, is therefore looked up once a connection. The library does
   * not report whose connection closes.
   */
  opened(response: UwsResponse): boolean {
    this.count += 1;
    if (Atomics.add(this.shared, 0, 1) >= this.connectionsMax) return false;
    const peer = this.addresses.peer(response.getRemoteAddress());
    if (this.count === 1) this.#onlyPeer = peer;
    else if (this.#onlyPeer !== peer) this.#onlyPeer = null;
    return true;
  }

  closed(): void {
    this.count -= 1;
    Atomics.sub(this.shared, 0, 1);
  }

  /** The address to count for a request with this `X-Forwarded-For` ('' if absent). */
  countedAddress(response: UwsResponse, forwardedFor: string): string {
    const peer = this.#onlyPeer ?? this.addresses.peer(response.getRemoteAddress());
    return this.addresses.counted(peer, forwardedFor);
  }
}
