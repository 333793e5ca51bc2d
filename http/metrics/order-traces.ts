/**
 * How long each step took the last orders: memory that all gateways write and the operators' thread reads. The place of an order
 * follows from the number of its bet, so gateways never meet.
 */
import { isoText } from '../../engine/base/iso-text.js';
import { accountId, betId, parseBetId } from '../../engine/model/domain.js';
import type { OrderTrace, TraceStage } from '../../engine/model/operators.js';
import type { Clock } from '../../engine/model/ports.js';
import { hashOfKey } from '../kit/idempotency.js';

const ORDERS = 100_000;
/** An order that took longer is logged, one a second. */
const SLOW_MS = 1_000;
const EVERY_MS = 1_000;
/** More than there are gateways. */
const GATEWAYS = 256;

/** Cells of an order. Times are monotonic; `WRITTEN` is 0 without a replicated journal. */
const [BET, SEQ, ACCOUNT, REQUEST, KEY] = [0, 1, 2, 3, 4];
const [STARTED, TAKEN, HANDED_OVER, WRITTEN, DURABLE, SENT] = [5, 6, 7, 8, 9, 10];
const CELLS = 11;

export const tracesMemory = (orders = ORDERS): SharedArrayBuffer =>
  new SharedArrayBuffer(orders * CELLS * Float64Array.BYTES_PER_ELEMENT);

/** The same for all threads of a server. */
export interface TracesSetup {
  readonly traces: SharedArrayBuffer;
  /** The first part of every request's id. */
  readonly requestIdPrefix: string;
}

export class OrderTraces {
  readonly #cells: Float64Array;
  readonly #orders: number;
  readonly #prefix: string;
  #loggedMs = Number.NEGATIVE_INFINITY;

  /** `gateway` is the one that writes. */
  constructor(
    { traces, requestIdPrefix }: TracesSetup,
    private readonly clock: Clock,
    private readonly gateway = 0,
    private readonly onSlow?: (trace: OrderTrace) => void,
  ) {
    this.#cells = new Float64Array(traces);
    this.#orders = this.#cells.length / CELLS;
    this.#prefix = requestIdPrefix;
  }

  /** An order was answered. `request` is 0 for one of a stream; `key` is its Idempotency-Key as it was sent. */
  add(
    bet: number,
    seq: number,
    account: number,
    request: number,
    key: string | null,
    startedMs: number,
    takenMs: number,
    handedOverMs: number,
    writtenMs: number,
    durableMs: number,
    sentMs: number,
  ): void {
    const cells = this.#cells;
    const at = (bet % this.#orders) * CELLS;
    cells[at + BET] = 0;
    cells[at + SEQ] = seq;
    cells[at + ACCOUNT] = account;
    cells[at + REQUEST] = request === 0 ? 0 : request * GATEWAYS + this.gateway;
    cells[at + KEY] = key === null ? 0 : hashOfKey(key);
    cells[at + STARTED] = startedMs;
    cells[at + TAKEN] = takenMs;
    cells[at + HANDED_OVER] = handedOverMs;
    cells[at + WRITTEN] = writtenMs;
    cells[at + DURABLE] = durableMs;
    cells[at + SENT] = sentMs;
    cells[at + BET] = bet;
    if (sentMs - startedMs <= SLOW_MS || sentMs - this.#loggedMs < EVERY_MS) return;
    this.#loggedMs = sentMs;
    this.onSlow?.(this.#traceAt(at));
  }

  /** By the id of its bet or of its request, or by its Idempotency-Key: the newest. null if it is none of the last orders. */
  find(id: string): OrderTrace | null {
    const at =
      this.#placeOfBet(parseBetId(id)) ?? this.#newest(REQUEST, this.#requestOf(id)) ?? this.#placeOfKey(id);
    if (at === null) return null;
    const trace = this.#traceAt(at);
    // A gateway may just have given the place to another order.
    return trace.betId === betId(this.#cell(at, BET)) ? trace : null;
  }

  #placeOfBet(bet: number): number | null {
    const at = (bet % this.#orders) * CELLS;
    return bet > 0 && this.#cells[at + BET] === bet ? at : null;
  }

  /** A header may have its key in quotes. */
  #placeOfKey(key: string): number | null {
    return this.#newest(KEY, hashOfKey(key)) ?? this.#newest(KEY, hashOfKey(`"${key}"`));
  }

  #requestOf(id: string): number {
    const [, gateway = '', number = ''] = /^([0-9a-z]+)-(\d+)$/.exec(id.slice(this.#prefix.length)) ?? [];
    return id.startsWith(this.#prefix) ? Number(number) * GATEWAYS + Number.parseInt(gateway, 36) : 0;
  }

  #newest(column: number, value: number): number | null {
    let newest: number | null = null;
    for (let at = 0; value > 0 && at < this.#cells.length; at += CELLS) {
      if (
        this.#cells[at + column] === value &&
        this.#cell(at, BET) > (newest === null ? 0 : this.#cell(newest, BET))
      )
        newest = at;
    }
    return newest;
  }

  #cell(at: number, column: number): number {
    return this.#cells[at + column] as number;
  }

  #traceAt(at: number): OrderTrace {
    const startedMs = this.#cell(at, STARTED);
    const request = this.#cell(at, REQUEST);
    const ends: readonly (readonly [stage: TraceStage, endMs: number])[] = [
      ['gateway', this.#cell(at, TAKEN)],
      ['engine', this.#cell(at, HANDED_OVER)],
      ['commit', this.#cell(at, WRITTEN) || this.#cell(at, DURABLE)],
      ['replicated', this.#cell(at, WRITTEN) === 0 ? 0 : this.#cell(at, DURABLE)],
      ['answered', this.#cell(at, SENT)],
    ];
    const passed = ends.filter(([, endMs]) => endMs > 0);
    return {
      betId: betId(this.#cell(at, BET)),
      sequence: this.#cell(at, SEQ),
      accountId: accountId(this.#cell(at, ACCOUNT)),
      requestId:
        request === 0
          ? null
          : `${this.#prefix}${(request % GATEWAYS).toString(36)}-${Math.floor(request / GATEWAYS)}`,
      receivedAt: isoText(Math.round(this.clock.nowMs() - (this.clock.monotonicMs() - startedMs))),
      stages: passed.map(([stage, endMs], index) => ({
        stage,
        tookMs: rounded(endMs - (passed[index - 1]?.[1] ?? startedMs)),
        atMs: rounded(endMs - startedMs),
      })),
      totalMs: rounded(this.#cell(at, SENT) - startedMs),
    };
  }
}

/** To microseconds. */
const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
