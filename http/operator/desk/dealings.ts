/**
 * What the operators' thread asks of the engine's thread, and the facts that it gets back. Questions are read and checked
 * as far as that needs no state; facts are numbers and texts of the engine, from which the operators' thread makes the
 * answer. Both cross threads as messages, so they are plain data.
 */

import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BalanceMoved } from '../../../engine/model/events.js';
import type { By, Refusals } from '../../../engine/model/operators.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { AccountView, KeyView, RoundView, Totals } from '../../../engine/model/views.js';
import type { Searched, Slice } from '../../kit/search-query.js';
import type { BetsReply } from '../../rings/replies.js';
import type { ListFacts } from '../../rings/requests.js';
import type { Pulse } from './pulse.js';

/** Some accounts, in columns: they cross threads for a fraction of what objects cost. */
export interface AccountColumns {
  readonly accounts: Float64Array;
  readonly names: readonly (string | null)[];
  /** Indices into `TIERS`. */
  readonly tiers: Uint8Array;
  readonly frozen: Uint8Array;
  readonly balancesCents: Float64Array;
}

/** A movement of money by an operator; `isReplay` if an earlier request with the same reference made it. */
export interface Transfer {
  readonly moved: BalanceMoved;
  readonly isReplay: boolean;
}

/** `timeMs` is null for the engine's present time. */
export interface PushedTick {
  readonly asset: number;
  readonly price: number;
  readonly timeMs: number | null;
}

/** A tick that was not taken, by its place in the request. */
export interface RefusedTick {
  readonly index: number;
  readonly detail: string;
}

/** A round that is not settled. */
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
  /** What its bets earn the house on average; null where the seeds are fixed. */
  readonly edgeCents: number | null;
};

/** Some of them, and how far all commands, and those of rounds, had come when these were read. */
export interface OpenRounds {
  readonly rounds: readonly OpenRound[];
  readonly seq: number;
  readonly lifecycleSeq: number;
  readonly timeMs: number;
}

/** A page of an account's bets in memory, and how far the archive must have come for the rest of it. */
export interface AccountBets extends BetsReply {
  readonly reachedSeq: number;
}

interface OfAccount {
  readonly account: number;
}

/** Every kind of question, with its fields and the facts of its answer. */
export interface Dealings {
  /** Refused if there is no such account, or key. */
  readonly hasAccount: { readonly ask: OfAccount; readonly facts: null };
  readonly hasKey: { readonly ask: { readonly key: number }; readonly facts: null };

  readonly account: { readonly ask: OfAccount; readonly facts: AccountView };
  /** Accounts by number, in slices. What is null is not asked for. */
  readonly accounts: {
    readonly ask: Searched & {
      /** A part of the name, in lower case. */
      readonly name: string | null;
      readonly tier: number | null;
      readonly frozen: boolean | null;
    };
    readonly facts: Slice<AccountColumns>;
  };
  readonly createAccount: {
    readonly ask: { readonly name: string | null; readonly tier: number; readonly balanceCents: number };
    readonly facts: AccountView;
  };
  readonly updateAccount: {
    readonly ask: OfAccount & { readonly tier: number | null; readonly frozen: boolean | null };
    readonly facts: AccountView;
  };
  readonly transfer: {
    readonly ask: OfAccount & {
      readonly kind: 'deposit' | 'withdraw';
      readonly amountCents: number;
      readonly reference: string;
    };
    readonly facts: Transfer;
  };

  /** Keys by number, those of an account by their place among them; in slices. What is null is not asked for. */
  readonly keys: {
    readonly ask: Searched & {
      readonly account: number | null;
      readonly enabled: boolean | null;
      readonly expiresBeforeMs: number | null;
    };
    readonly facts: Slice<readonly KeyView[]>;
  };
  readonly createKey: {
    readonly ask: OfAccount & {
      readonly digest: string;
      readonly scopesMask: number;
      readonly expiresAtMs: number | null;
    };
    readonly facts: KeyView;
  };
  readonly updateKey: {
    readonly ask: { readonly key: number; readonly enabled: boolean };
    readonly facts: KeyView;
  };
  readonly expireKey: {
    readonly ask: { readonly key: number; readonly expiresAtMs: number };
    readonly facts: KeyView;
  };
  /** A new key in place of an old one, which is good for another while; the facts are the two. */
  readonly rotateKey: {
    readonly ask: {
      readonly key: number;
      readonly overlapMs: number;
      readonly digest: string;
      readonly expiresAtMs: number | null;
    };
    readonly facts: { readonly made: KeyView; readonly replaced: KeyView };
  };

  /** All rounds that are not settled, in slices. */
  readonly openRounds: { readonly ask: object; readonly facts: OpenRounds };
  /** A page of what memory has. */
  readonly betsOfAccount: {
    readonly ask: OfAccount & { readonly list: ListFacts };
    readonly facts: AccountBets;
  };
  /** The number of the last command that touched the account. */
  readonly accountSeq: { readonly ask: OfAccount; readonly facts: number };
  /** Deposits and withdrawals with this reference, of the account (0 is the house) or, for null, of all; in slices. */
  readonly transfers: {
    readonly ask: Searched & { readonly reference: string; readonly account: number | null };
    readonly facts: Slice<readonly BalanceMoved[]>;
  };

  readonly setTrading: {
    readonly ask: { readonly enabled: boolean; readonly reason: string };
    readonly facts: null;
  };
  readonly suspendMarket: {
    readonly ask: { readonly market: number; readonly suspended: boolean };
    readonly facts: null;
  };
  readonly voidRound: {
    readonly ask: { readonly market: number; readonly roundNumber: number; readonly reason: string };
    readonly facts: null;
  };
  readonly house: { readonly ask: object; readonly facts: Totals };
  readonly transferHouse: {
    readonly ask: {
      readonly kind: 'depositHouse' | 'withdrawHouse';
      readonly amountCents: number;
      readonly reference: string;
    };
    readonly facts: Transfer;
  };

  readonly rules: {
    readonly ask: object;
    readonly facts: { readonly rules: Rules; readonly rulesVersion: number; readonly timeMs: number };
  };
  /** Refused unless the rules in force are `before`, as JSON. */
  readonly configure: {
    readonly ask: { readonly before: string; readonly rules: Rules };
    readonly facts: null;
  };

  /** The number of the last command that is an action, or earlier than the server's start. */
  readonly lastAction: { readonly ask: object; readonly facts: number };
  readonly recordRefusals: { readonly ask: Refusals; readonly facts: null };

  /** Only where prices are pushed. */
  readonly pushPrices: {
    readonly ask: { readonly ticks: readonly PushedTick[] };
    readonly facts: readonly RefusedTick[];
  };
  /** Believes the price of the asset that is held back; the fact is that price. Refused where there is none like `price`. */
  readonly confirmPrice: {
    readonly ask: { readonly asset: number; readonly price: number; readonly reason: string };
    readonly facts: number;
  };
  /** Only on a manual clock; the fact is the time reached. */
  readonly moveClock: { readonly ask: { readonly advanceMs: number }; readonly facts: number };
  /** What the console shows each second. */
  readonly pulse: { readonly ask: object; readonly facts: Pulse };
  /** The page as it is shown. */
  readonly status: { readonly ask: object; readonly facts: object };
}

export type Kind = keyof Dealings;
export type AskOf<K extends Kind> = Dealings[K]['ask'];
export type FactsOf<K extends Kind> = Dealings[K]['facts'];

export type Question<K extends Kind = Kind> = {
  [P in K]: { readonly kind: P; readonly ask: AskOf<P> };
}[K];

/** A question with who asks and why; null where it changes nothing. */
export type Asked = Question & { readonly by: By | null };

/**
 * What the engine's thread says to a question: any number of parts, then `done` with the rest or `refused`. Parts may
 * speak of what is not durable yet; nobody may see them before `done`.
 */
export type Told =
  | { readonly kind: 'part' | 'done'; readonly facts: readonly FactsOf<Kind>[] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

/** Asks the engine's thread. `tell` is called with each thing that it says. */
export type AskDesk = (question: Asked, tell: (told: Told) => void) => void;
