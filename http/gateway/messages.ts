/**
 * Messages between the engine's thread and the threads that serve a port, besides the rings, and the memory that they
 * share.
 */
import type { MessagePort } from 'node:worker_threads';
import type { TlsFiles } from '../../config/certificate.js';
import type { OperatorToken, Refusals } from '../../engine/model/operators.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { Rules } from '../../engine/model/rules.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { LogLevel } from '../../process/log/events.js';
import type { BoardMemory } from '../board/markets.js';
import type { SharedMemory } from '../desk/connect.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { RouteName } from '../metrics/gateway-meter.js';
import type { FiguresMemory } from '../metrics/memory.js';
import type { TracesSetup } from '../metrics/order-traces.js';
import type { OperatorQuery, QueryMessage } from '../operator/queries/query.js';
import type { RingPair } from '../rings/link.js';
import type { StreamsMemory } from '../stream/limits.js';
import type { UwsAppDescriptor } from '../uws/library.js';

interface PortSetup {
  readonly ended: SharedArrayBuffer;
  readonly connectionsMax: number;
  /** null for plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly logLevel: LogLevel;
}

export interface SharedSetup extends PortSetup, TracesSetup, SharedMemory {
  readonly streams: StreamsMemory;
  /** One double: the time of a manual clock in milliseconds; null for the system's. */
  readonly manualClock: SharedArrayBuffer | null;
  /** One 32-bit integer: open connections of all gateways. */
  readonly openConnections: SharedArrayBuffer;
  readonly trustedProxies: readonly string[];
  readonly limits: SharedLimits;
  readonly masterSecret: Uint8Array;
  readonly betHashes: SharedArrayBuffer;
  readonly signing: SigningKeys;
}

export interface GatewaySetup extends SharedSetup {
  readonly role: 'public';
  /** From 0. */
  readonly index: number;
  /** null where the gateway runs on the engine's thread. */
  readonly rings: RingPair | null;
  /** The sheet that it writes (`http/metrics/gateway-meter.ts`). */
  readonly figures: SharedArrayBuffer;
}

export interface OperatorSetup extends PortSetup, TracesSetup {
  readonly role: 'operator';
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly OperatorToken[];
  readonly sessionKey: Uint8Array;
  readonly board: BoardMemory;
  readonly figures: FiguresMemory;
  readonly openConnections: SharedArrayBuffer;
  /** The public API's, by number: their requests are counted. */
  readonly routes: readonly RouteName[];
  readonly version: string;
  /** As commands of a shell take it. */
  readonly dataDir: string;
}

/** Only wakes: there is something in the ring. */
export const WAKE = 0;

export type ToGateway =
  | typeof WAKE
  | { readonly kind: 'open'; readonly setup: GatewaySetup | OperatorSetup }
  | {
      readonly kind: 'accept';
      readonly descriptors: readonly UwsAppDescriptor[];
      readonly host: string;
      readonly port: number;
    }
  /** Reads the certificate anew, for connections to come. */
  | { readonly kind: 'renew' }
  /** For the gateway that accepts connections: they go to other apps from now on. */
  | {
      readonly kind: 'swapApps';
      readonly before: readonly UwsAppDescriptor[];
      readonly after: readonly UwsAppDescriptor[];
    }
  /** `archive` leads to the archive's reader. */
  | { readonly kind: 'serve'; readonly rules: Rules; readonly archive: MessagePort }
  | { readonly kind: 'rules'; readonly rules: Rules }
  | { readonly kind: 'head'; readonly head: SignedHead }
  | { readonly kind: 'tokens'; readonly tokens: readonly OperatorToken[] }
  | { readonly kind: 'answered'; readonly id: number; readonly message: QueryMessage }
  /** The first two in this order: the acceptor must stop before the threads that it hands connections to. */
  | { readonly kind: 'stopAccepting' | 'close' | 'halt' };

/** Once it is open. */
export type ToServing = Exclude<ToGateway, { readonly kind: 'open' }>;

export type FromGateway =
  | typeof WAKE
  | { readonly kind: 'joined'; readonly descriptor: UwsAppDescriptor }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'renewed'; readonly descriptor: UwsAppDescriptor }
  | { readonly kind: 'asked'; readonly id: number; readonly query: OperatorQuery }
  | { readonly kind: 'refusals'; readonly refusals: Refusals }
  | { readonly kind: 'stoppedAccepting' | 'closed' }
  | { readonly kind: 'failed'; readonly error: Error };

export type Post = (message: FromGateway) => void;

export interface Serving {
  /** Reports an error outside any client's request or stream, and outside `take`. */
  fail(error: unknown): void;
  take(message: ToServing): void;
}
