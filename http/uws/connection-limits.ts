/**
 * How many connections a port accepts, given the file descriptors that the process may open. A flood of connections
 * must never take the last ones: the journal needs them, and on Linux even reading the process's own memory use.
 */
import { readFileSync } from 'node:fs';
import { attempt } from '../../engine/base/attempt.js';
import { AddressBound, type AddressBoundOptions } from './address-bound.js';
import type { Peer } from './client-address.js';
import type { UwsResponse } from './library.js';

/** WebSockets included. Further connections are closed at once. */
export const CONNECTIONS_MAX = 10_000;

const OPERATOR_CONNECTIONS_MAX = 256;
/**
 * Strangers cannot take this part of an operator port's connections: it is for this machine, and for addresses that
 * have sent a right token.
 */
const KEPT_PART = 0.25;
/**
 * This machine alone may take this part: strangers may share another address, and have no token right after a start.
 */
const OWN_PART = 0.125;
export const OPERATOR_PER_ADDRESS_MAX = 64;
/** Kept free for files, pipes and threads. */
const OWN_DESCRIPTORS = 256;

/**
 * Every thread opens many of its modules at once. Measured, with a margin: with fewer, the start fails somewhere in the
 * middle, with EMFILE.
 */
const START_DESCRIPTORS = 144;
const GATEWAY_START_DESCRIPTORS = 48;

/** If there are very few descriptors, half are kept for the process itself. */
export function connectionLimits(descriptors: number) {
  const operatorMax = Math.min(OPERATOR_CONNECTIONS_MAX, Math.floor(descriptors / 8));
  const left = Math.max(descriptors - OWN_DESCRIPTORS - operatorMax, Math.floor((descriptors * 3) / 8));
  return { publicMax: Math.min(CONNECTIONS_MAX, left), operatorMax };
}

export function tooFewDescriptors(descriptors: number, gateways: number): string | null {
  const needed = START_DESCRIPTORS + gateways * GATEWAY_START_DESCRIPTORS;
  if (descriptors >= needed) return null;
  return (
    `TOTE_GATEWAYS=${gateways}: such a start opens ${needed} files, and this process may open only ${descriptors}: ` +
    `raise \`ulimit -n\`${gateways === 0 ? '' : ', or start fewer gateways'}`
  );
}

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

export const descriptorsMax = (): number =>
  attempt(() => descriptorsIn(readFileSync('/proc/self/limits', 'utf8')), Infinity);

export function descriptorsIn(limits: string): number {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? Infinity : Number(soft);
}

/** Threads share these cells of a port. `max` is how many connections it accepts from anybody. */
export const CONNECTION_CELLS = { open: 0, port: 1, max: 2 } as const;
export const CONNECTION_CELLS_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT;

interface OpenConnectionsOptions extends Omit<AddressBoundOptions, 'port'> {
  readonly connectionsMax: number;
  /** Strangers cannot take a part of the connections, which is kept for known addresses. Null to keep none. */
  readonly isKnown: ((address: string) => boolean) | null;
  /** Shared by all transports under the same bound. */
  readonly shared: Int32Array;
}

export class OpenConnections {
  count = 0;
  /** null if open connections have several peers. */
  #onlyPeer: Peer | null = null;

  readonly #byAddress: AddressBound;
  readonly #strangersMax: number;
  readonly #knownMax: number;

  constructor(private readonly options: OpenConnectionsOptions) {
    const { shared, connectionsMax, isKnown } = options;
    this.#strangersMax = Math.floor(connectionsMax * (isKnown === null ? 1 : 1 - KEPT_PART));
    this.#knownMax = Math.floor(connectionsMax * (1 - OWN_PART));
    Atomics.store(shared, CONNECTION_CELLS.max, this.#strangersMax);
    this.#byAddress = new AddressBound({
      ...options,
      port: () => Atomics.load(shared, CONNECTION_CELLS.port),
    });
  }

  /**
   * Returns false if the connection is one too many. Asking the library for an address costs as much as the rest of
   * starting a request, so a sole peer, such as a proxy, is looked up once a connection. The library does not report
   * whose connection closes.
   */
  opened(response: UwsResponse): boolean {
    this.count += 1;
    const { addresses, connectionsMax, perAddressMax, shared } = this.options;
    const before = Atomics.add(shared, CONNECTION_CELLS.open, 1);
    if (before >= connectionsMax) return false;
    const peer = addresses.peer(response.getRemoteAddress());
    if (this.count === 1) this.#onlyPeer = peer;
    else if (this.#onlyPeer !== peer) this.#onlyPeer = null;
    if (before >= this.#maxFor(peer)) return false;
    if (before >= perAddressMax) return this.#byAddress.allows(peer, this.count / (before + 1));
    this.#byAddress.rest();
    return true;
  }

  #maxFor({ counted, isBounded }: Peer): number {
    const { connectionsMax, isKnown } = this.options;
    if (isKnown === null || !isBounded) return connectionsMax;
    return isKnown(counted) ? this.#knownMax : this.#strangersMax;
  }

  closed(): void {
    this.count -= 1;
    Atomics.sub(this.options.shared, CONNECTION_CELLS.open, 1);
  }

  countedAddress(response: UwsResponse, forwardedFor: string): string {
    const { addresses } = this.options;
    const peer = this.#onlyPeer ?? addresses.peer(response.getRemoteAddress());
    return addresses.counted(peer, forwardedFor);
  }
}
