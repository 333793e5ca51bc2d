/**
 * Drives the limit orders that rest: fills those that the newest quotes allow, and gives back the stakes of orders
 * whose rounds take no more bets. A quote moves with each price, so every market with such orders is looked at; a
 * command is issued, and journaled, only if it will fill an order.
 */
import { assert } from '../base/assert.js';
import type { EngineReads } from '../engine.js';
import type { SubmittedCommand } from '../model/commands.js';
import { MARKETS_MAX } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { Outcome } from '../model/events.js';

/** UP's fair share in a market's live round at a time, in millionths, or -1 (`quoter.ts`). */
export type FairShareNow = (market: number, nowMs: number) => number;

export interface CommandSink {
  readonly engine: EngineReads;
  /** null while orders are taken. */
  readonly gate: ErrorCode | null;
  readonly stopped: boolean;
  submit(command: SubmittedCommand): Outcome;
}

/** The engine has named the command as due: it cannot be rejected, unless the server is stopping. */
export function submitDue(sequencer: CommandSink, command: SubmittedCommand): void {
  const { status } = sequencer.submit(command);
  assert(status === 'accepted' || sequencer.stopped, `${command.kind} was due and is ${status}`);
}

/** Well below a millisecond of work. */
const ORDERS_AT_ONCE = 200;

export class RestingOrders {
  constructor(
    private readonly sequencer: CommandSink,
    private readonly fairShare: FairShareNow,
  ) {}

  get areAny(): boolean {
    return this.sequencer.engine.restingOrders > 0;
  }
  get nextDueMs(): number {
    return this.sequencer.engine.nextExpiryMs;
  }

  /** Issues at most one command for expired orders, and one for each market. Returns whether nothing is left. */
  work(nowMs: number): boolean {
    const { engine, gate } = this.sequencer;
    if (engine.nextExpiryMs <= nowMs)
      submitDue(this.sequencer, { kind: 'expireOrders', timeMs: nowMs, ordersMax: ORDERS_AT_ONCE });
    let isDone = engine.nextExpiryMs > nowMs;
    if (gate !== null) return isDone;
    for (let market = 0; market < MARKETS_MAX; market++) isDone = this.#fill(market, nowMs) && isDone;
    return isDone;
  }

  #fill(market: number, nowMs: number): boolean {
    const { engine } = this.sequencer;
    const fairShareE6 = this.fairShare(market, nowMs);
    if (!engine.isFillable(market, fairShareE6, nowMs)) return true;
    submitDue(this.sequencer, {
      kind: 'fillOrders',
      timeMs: nowMs,
      market,
      fairShareE6,
      ordersMax: ORDERS_AT_ONCE,
    });
    return !engine.isFillable(market, fairShareE6, nowMs);
  }
}
