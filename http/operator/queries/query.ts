/**
 * Queries of the operators' thread to the engine's thread, and their results. A query has been checked as far as that
 * needs no state; a result is numbers and texts of the engine, from which the operators' thread makes the answer. Both
 * cross threads as messages, so they are plain data.
 */

import type { By } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BalanceMoved } from '../../../engine/model/events.js';
import type { DayResults } from '../../../engine/model/loss-limits.js';
import type { OperatorCommand } from '../../../engine/model/operators.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { AccountView, KeyView, RoundView, Totals } from '../../../engine/model/views.js';
import { Refusal, Refused } from '../../kit/refused.js';
import type { Searched, Slice } from '../../kit/search-query.js';
import type { LeaderStatus } from '../../metrics/replication.js';
import type { BetsReply } from '../../rings/replies.js';
import type { ListFields } from '../../rings/requests.js';

type Untimed<C> = C extends unknown ? Omit<C, 'timeMs' | 'by'> : never;

/** The engine's thread adds the time and the sender. */
export type UntimedCommand = Untimed<
  Exclude<OperatorCommand, { readonly kind: 'configure' | 'confirmPrice' | 'moveClock' | 'rotateKey' }>
>;

/** The changed objects as they are right after the command. */
export interface CommandResult {
  readonly account: AccountView | null;
  /** The new key is the last one. */
  readonly keys: readonly KeyView[];
  readonly moved: BalanceMoved | null;
  /** An earlier command with the same reference has done it. */
  readonly isReplay: boolean;
}

/** In columns, which cross threads for a fraction of the cost of objects. */
export interface AccountColumns {
  readonly accounts: Float64Array;
  readonly names: readonly (string | null)[];
  /** Indices into `TIERS`. */
  readonly tiers: Uint8Array;
  readonly frozen: Uint8Array;
  readonly balancesCents: Float64Array;
}

/** `timeMs` is null for the engine's present time. */
export interface PushedTick {
  readonly asset: number;
  readonly price: number;
  readonly timeMs: number | null;
}

/** `index` is the tick's place in the request. */
export interface RefusedTick {
  readonly index: number;
  readonly detail: string;
}

export type OpenRound = Pick<
  RoundView,
  | 'market'
  | 'roundNumber'
  | 'startTimeMs'
  | 'lockTimeMs'
  | 'endTimeMs'
  | 'openPrice'
  | 'closePrice'
  | 'status'
  | 'result'
  | 'poolUpCents'
  | 'poolDownCents'
  | 'payoutUpCents'
  | 'payoutDownCents'
  | 'betCount'
  | 'volumeCents'
  | 'seedCents'
  | 'feeBps'
  | 'voidReason'
> & {
  /** The house's average result from its bets; null where the seeds are fixed. */
  readonly edgeCents: number | null;
};

/** The books, the house's results of today, and their limits. */
export interface HouseFacts extends Totals, DayResults, Pick<Rules, 'lossLimits'> {}

/** `seq` and `lifecycleSeq` are the last commands, of all and of rounds, when these rounds were read. */
export interface OpenRounds {
  readonly rounds: readonly OpenRound[];
  readonly seq: number;
  readonly lifecycleSeq: number;
  readonly timeMs: number;
}

/** A page of an account's bets in memory. The archive must have come to `reachedSeq` for the rest of it. */
export interface AccountBets extends BetsReply {
  readonly reachedSeq: number;
}

/** The few facts beside the board that the console shows each second. */
export interface Pulse {
  readonly timeMs: number;
  readonly isClockManual: boolean;
  readonly arePricesSimulated: boolean;
  /** The clock's time while somebody has to confirm it; else null. */
  readonly unconfirmedMs: number | null;
  readonly seq: number;
  readonly durableSeq: number;
  readonly backlog: number;
  readonly trading: { readonly enabled: boolean; readonly reason: string };
  /** null while orders are taken. */
  readonly ordersRefused: string | null;
  readonly totals: Totals;
  readonly accounts: number;
  readonly keys: number;
  readonly bets: number;
  readonly unsettled: number;
  /** Indices of markets. */
  readonly suspended: readonly number[];
  /** null where the journal is on this machine alone. */
  readonly replication: LeaderStatus | null;
}

interface OfAccount {
  readonly account: number;
}
interface Sent {
  readonly by: By;
}

export interface OperatorQueries {
  readonly command: {
    readonly fields: Sent & { readonly command: UntimedCommand };
    readonly result: CommandResult;
  };
  /** The old key stays good for another while. */
  readonly rotateKey: {
    readonly fields: Sent & {
      readonly key: number;
      readonly overlapMs: number;
      readonly digest: string;
      readonly expiresAtMs: number | null;
    };
    readonly result: CommandResult;
  };
  /** Refused if the rules were changed after `seq`; the result is the command's number. */
  readonly configure: {
    readonly fields: Sent & { readonly rules: Rules; readonly seq: number };
    readonly result: number;
  };
  /** Only where prices are pushed. */
  readonly pushPrices: {
    readonly fields: { readonly ticks: readonly PushedTick[] };
    readonly result: readonly RefusedTick[];
  };
  /** Believes the price of the asset that is held back. Refused if none like `price` is; the result is that price. */
  readonly confirmPrice: {
    readonly fields: Sent & { readonly asset: number; readonly price: number; readonly reason: string };
    readonly result: number;
  };
  /** Only on a manual clock; the result is the time reached. */
  readonly moveClock: { readonly fields: Sent & { readonly advanceMs: number }; readonly result: number };
  /** Only while the clock has to be confirmed, and if it says about `timeMs`; the result is its time. */
  readonly confirmClock: { readonly fields: Sent & { readonly timeMs: number }; readonly result: number };

  readonly account: { readonly fields: OfAccount; readonly result: AccountView };
  readonly key: { readonly fields: { readonly key: number }; readonly result: KeyView };
  readonly betsOfAccount: {
    readonly fields: OfAccount & { readonly list: ListFields };
    readonly result: AccountBets;
  };
  readonly accountSeq: { readonly fields: OfAccount; readonly result: number };
  readonly house: { readonly fields: object; readonly result: HouseFacts };
  readonly rules: {
    readonly fields: object;
    /** No command behind `seq` has changed them. */
    readonly result: { readonly rules: Rules; readonly rulesVersion: number; readonly seq: number };
  };
  /** The last command that is an operator's action, or earlier than the server's start. */
  readonly lastAction: { readonly fields: object; readonly result: number };
  /** Does not wait for the journal. */
  readonly pulse: { readonly fields: object; readonly result: Pulse };
  /** The status resource, which needs no rendering. It does not wait for the journal, either. */
  readonly status: { readonly fields: object; readonly result: object };
}

export interface OperatorLists {
  /** Accounts by number. A field that is null does not matter. */
  readonly accounts: {
    readonly fields: Searched & {
      /** A part of the name, in lower case. */
      readonly name: string | null;
      readonly tier: number | null;
      readonly frozen: boolean | null;
    };
    readonly result: Slice<AccountColumns>;
  };
  /** Keys by number, those of an account by their place among them. A field that is null does not matter. */
  readonly keys: {
    readonly fields: Searched & {
      readonly account: number | null;
      readonly enabled: boolean | null;
      readonly expiresBeforeMs: number | null;
    };
    readonly result: Slice<readonly KeyView[]>;
  };
  readonly openRounds: { readonly fields: object; readonly result: OpenRounds };
  /** Deposits and withdrawals with this reference, of the account (0 is the house) or, for null, of all. */
  readonly transfers: {
    readonly fields: Searched & { readonly reference: string; readonly account: number | null };
    readonly result: Slice<readonly BalanceMoved[]>;
  };
}

type All = OperatorQueries & OperatorLists;
export type QueryKind = keyof All;
export type QueryOf<K extends QueryKind> = { readonly kind: K } & All[K]['fields'];
export type ResultOf<K extends QueryKind> = All[K]['result'];
export type OperatorQuery = { [K in QueryKind]: QueryOf<K> }[QueryKind];

/**
 * A query gets any number of parts, then `done` with the rest or `refused`. Parts may show what is not durable yet;
 * nobody may see them before `done`.
 */
export type QueryMessage =
  | { readonly kind: 'part' | 'done'; readonly results: readonly ResultOf<QueryKind>[] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

export type SendQuery = (query: OperatorQuery, onMessage: (message: QueryMessage) => void) => void;

/** Results come once they are durable; a refusal is thrown. */
export class EngineQueries {
  constructor(private readonly send: SendQuery) {}

  async ask<K extends keyof OperatorQueries>(
    kind: K,
    fields: OperatorQueries[K]['fields'],
  ): Promise<ResultOf<K>> {
    const [result] = await this.#results<K>({ kind, ...fields } as unknown as QueryOf<K>);
    return result as ResultOf<K>;
  }

  list<K extends keyof OperatorLists>(
    kind: K,
    fields: OperatorLists[K]['fields'],
  ): Promise<readonly ResultOf<K>[]> {
    return this.#results<K>({ kind, ...fields } as unknown as QueryOf<K>);
  }

  command(command: UntimedCommand, by: By): Promise<CommandResult> {
    return this.ask('command', { command, by });
  }

  #results<K extends QueryKind>(query: QueryOf<K>): Promise<readonly ResultOf<K>[]> {
    const results: ResultOf<QueryKind>[] = [];
    return new Promise((resolve, reject) => {
      this.send(query as OperatorQuery, (message) => {
        if (message.kind === 'refused') reject(new Refusal(new Refused(message.code, message.detail)));
        else {
          results.push(...message.results);
          // A query is answered with results of its kind, which the compiler cannot follow through the messages.
          if (message.kind === 'done') resolve(results as readonly ResultOf<K>[]);
        }
      });
    });
  }
}

/**
 * The operators' thread is told once this command is durable. `all` waits for all work that is due now, settlements
 * included.
 */
export type After = number | 'all';

export interface Reply<T> {
  readonly result: T;
  readonly after: After;
}

/** Each slice is one turn's work, null if it has found nothing. The whole list waits for the returned command. */
export type Slices<T> = Generator<T | null, After, void>;
