/** Counts and times of a gateway: its requests, the orders among them, and its streams. */
import { RATE_LIMIT_NAMES } from '../../config/rate-limits.js';
import { must } from '../../engine/base/assert.js';
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from '../../engine/model/errors.js';
import { count, Layout, observeMs } from './cells.js';
import { MICROSECONDS } from './scale.js';
import { threadPlaces } from './thread-meter.js';

export const ROUTES_MAX = 64;
/** Unknown paths, documents, wrong methods. */
export const NO_ROUTE = 0;
/** Requests are counted by route. `path` is the pattern, never what a client sent. */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}

/** The first stands for all others. */
export const STATUSES = [0, 101, 200, 201, 204, 304, ...new Set(Object.values(ERROR_STATUS))] as const;
/** Not an error code: the client closed, or the server stopped. */
const CLOSED = ERROR_CODES.length;
export const STREAM_ENDS: readonly string[] = [...ERROR_CODES, 'closed'];

export const ORDER_STAGES = ['ring', 'engine', 'commit', 'release'] as const;

export const GATEWAY_LAYOUT = new Layout();
export const GATEWAY_PLACES = {
  thread: threadPlaces(GATEWAY_LAYOUT),
  requests: GATEWAY_LAYOUT.cells(ROUTES_MAX * STATUSES.length),
  refusals: GATEWAY_LAYOUT.cells(ERROR_CODES.length),
  limited: GATEWAY_LAYOUT.cells(RATE_LIMIT_NAMES.length),
  orders: GATEWAY_LAYOUT.histogram(MICROSECONDS),
  stages: ORDER_STAGES.map(() => GATEWAY_LAYOUT.histogram(MICROSECONDS)),
  /** Open now, and opened since the start. */
  streams: GATEWAY_LAYOUT.cells(1),
  streamsOpened: GATEWAY_LAYOUT.cells(1),
  streamEnds: GATEWAY_LAYOUT.cells(STREAM_ENDS.length),
} as const;

const [RING = 0, ENGINE = 0, COMMIT = 0, RELEASE = 0] = GATEWAY_PLACES.stages;
const statusPlaces = new Uint8Array(600);
for (const [at, status] of STATUSES.entries()) statusPlaces[status] = at;
const codePlaces = new Map<string, number>(ERROR_CODES.map((code, at) => [code, at]));

export class GatewayMeter {
  readonly sheet: Float64Array;

  constructor(memory = GATEWAY_LAYOUT.memory()) {
    this.sheet = GATEWAY_LAYOUT.sheet(memory);
  }

  /** The route's numbers are in `http/api/endpoint.ts`. */
  answered(route: number, status: number): void {
    const place = statusPlaces[status] ?? 0;
    count(this.sheet, GATEWAY_PLACES.requests + route * STATUSES.length + place);
  }

  refused(code: ErrorCode): void {
    count(this.sheet, GATEWAY_PLACES.refusals + must(codePlaces.get(code), 'a place for the code'));
  }

  limited(kind: number): void {
    count(this.sheet, GATEWAY_PLACES.limited + kind);
  }

  /**
   * The answer of an accepted order has been sent. Monotonic milliseconds: the order was there whole, the engine's
   * thread took it, its batch was handed to the journal, it was durable, and its answer was handed to the socket.
   */
  placed(startedMs: number, takenMs: number, handedOverMs: number, durableMs: number, sentMs: number): void {
    const sheet = this.sheet;
    observeMs(sheet, GATEWAY_PLACES.orders, sentMs - startedMs);
    observeMs(sheet, RING, takenMs - startedMs);
    observeMs(sheet, ENGINE, handedOverMs - takenMs);
    observeMs(sheet, COMMIT, durableMs - handedOverMs);
    observeMs(sheet, RELEASE, sentMs - durableMs);
  }

  streamOpened(): void {
    count(this.sheet, GATEWAY_PLACES.streamsOpened);
    count(this.sheet, GATEWAY_PLACES.streams);
  }

  /** null if the client closed, or the server stops. */
  streamClosed(code: ErrorCode | null): void {
    const sheet = this.sheet;
    sheet[GATEWAY_PLACES.streams] = (sheet[GATEWAY_PLACES.streams] as number) - 1;
    const end = code === null ? CLOSED : must(codePlaces.get(code), 'a place for the code');
    count(sheet, GATEWAY_PLACES.streamEnds + end);
  }
}
