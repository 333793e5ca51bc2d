/** What the engine's thread and a gateway's thread say to each other besides the rings, and the memory they share. */
import type { Rules } from '../../engine/model/rules.js';
import type { BoardMemory } from '../board/markets.js';
import type { RightsMemory } from '../board/rights.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { LogLevel } from '../log/events.js';
import type { RingPair } from '../rings/link.js';
import type { UwsAppDescriptor } from '../uws/library.js';

/** The same for all gateways. */
export interface SharedSetup {
  readonly rights: RightsMemory;
  readonly board: BoardMemory;
  /** One double: the time of a manual clock in milliseconds; null for the system's. */
  readonly manualClock: SharedArrayBuffer | null;
  /** One 32-bit integer: open connections of all gateways. */
  readonly openConnections: SharedArrayBuffer;
  /** One 32-bit integer: gateways that have halted. */
  readonly halted: SharedArrayBuffer;
  readonly connectionsMax: number;
  readonly trustedProxies: readonly string[];
  readonly limits: SharedLimits;
  readonly masterSecret: Uint8Array;
  readonly logLevel: LogLevel;
  readonly requestIdPrefix: string;
}

export interface GatewaySetup extends SharedSetup {
  /** From 0. */
  readonly index: number;
  readonly rings: RingPair;
}

/** A message that only wakes: there is something in the ring. */
export const WAKE = 0;

export type ToGateway =
  | typeof WAKE
  | { readonly kind: 'open'; readonly setup: GatewaySetup }
  | {
      readonly kind: 'accept';
      readonly descriptors: readonly UwsAppDescriptor[];
      readonly host: string;
      readonly port: number;
    }
  | { readonly kind: 'serve' | 'rules'; readonly rules: Rules }
  | { readonly kind: 'close' | 'halt' };

export type FromGateway =
  | typeof WAKE
  | { readonly kind: 'joined'; readonly descriptor: UwsAppDescriptor; readonly seesHeads: boolean }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: Error };
