/** The engine's state. Only handlers, and the import of a snapshot, change it. */
import { must } from '../base/assert.js';
import { ASSET_CLASSES, ASSETS } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { EngineEvent, Rejected, Replayed } from '../model/events.js';
import type { PriceEstimate } from '../model/prices.js';
import type { Rules } from '../model/rules.js';
import type { Setup } from '../model/setup.js';
import { AccountTable } from './accounts.js';
import { BetTable } from './bets.js';
import { DayLedger, House } from './house.js';
import { IdempotencyMemory } from './idempotency.js';
import { KeyTable } from './keys.js';
import { LimitBooks } from './limit-books.js';
import { RetainedBets } from './retained-bets.js';
import { MarketTable } from './rounds.js';

export type Sessions = readonly (readonly [openMs: number, closeMs: number])[];

export class State {
  seq = 0;
  timeMs = 0;
  lifecycleSeq = 0;
  rulesVersion = 0;
  rules: Rules | null = null;
  setup: Setup | null = null;
  trading = { enabled: true, reason: '' };
  /** Market hours by asset class; null for a class that is always open. */
  readonly sessions: (Sessions | null)[] = ASSET_CLASSES.map(() => null);
  readonly estimates: (PriceEstimate | null)[] = ASSETS.map(() => null);
  readonly house = new House();
  readonly day = new DayLedger();
  readonly accounts = new AccountTable();
  readonly keys = new KeyTable();
  readonly bets = new BetTable();
  readonly books = new LimitBooks(this.bets.limits);
  readonly retainedBets = new RetainedBets(this.accounts, this.bets);
  readonly idempotency = new IdempotencyMemory();
  readonly markets = new MarketTable();

  get nextSeq(): number {
    return this.seq + 1;
  }
  /** The rules in force. Only `configure` may run before there are any. */
  get rulesInForce(): Rules {
    return must(this.rules, 'rules: the first command must be configure,');
  }
}

/** A rejection that changed nothing, a replay, or the events of a change. */
export type Effect = Rejected | Replayed | EngineEvent[];

export function reject(code: ErrorCode, detail = ''): Rejected {
  return { status: 'rejected', code, detail };
}

/** `gate` says why orders are not taken. */
export const rejectForNow = (gate: ErrorCode): Rejected =>
  reject(gate, 'orders are not taken right now; try again');
