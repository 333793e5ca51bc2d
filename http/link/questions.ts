/** Questions of gateways to the engine's thread, besides orders, and what it tells. */
import type { BetsFilter } from '../../engine/model/bet-pages.js';
import type { CancelOrders, IdempotencyDigest } from '../../engine/model/commands.js';
import type { OfferView, OpenSums, PartsQuote, RoundView } from '../../engine/model/views.js';
import type { BetsReply, OrderFields, RefusalFacts } from './orders.js';

export interface ListFields extends BetsFilter {
  /** Open and settled bets in the order of their last change; only for a first page, of all bets. */
  readonly isByChange: boolean;
  /** Numbers as of `cursorOf`; none for the first page. */
  readonly cursor: readonly number[];
  readonly limit: number;
}

/** null where the market or the side makes no difference. */
export type CancelFilter = Pick<CancelOrders, 'market' | 'side'>;

interface Questions {
  /** The account's money and open bets. */
  readonly account: object;
  readonly balance: object;
  /** The last command of the account, or of rounds: told once it is durable. */
  readonly accountSeq: object;
  readonly lifecycleSeq: object;
  readonly list: ListFields;
  readonly round: { readonly market: number; readonly roundNumber: number };
  /** Only the key's part of the digest counts. */
  readonly seenKey: { readonly digest: IdempotencyDigest };
  /** Asks for the answer that an order would get; places nothing. */
  readonly quote: { readonly order: OrderFields; readonly parts: number };
  readonly cancel: { readonly bet: number };
  /** Cancels all orders that rest, or those of a market or a side. */
  readonly cancelAll: CancelFilter;
  /**
   * A countdown cancels a key's orders when its streams fall silent. `isFirst` is true for the first request of a
   * stream, whose end `deadmanEnded` tells.
   */
  readonly deadman: { readonly seconds: number; readonly isFirst: boolean };
  readonly deadmanEnded: object;
}

export interface Told {
  readonly account: AccountReply;
  readonly balance: BalanceReply;
  readonly accountSeq: { readonly seq: number };
  readonly lifecycleSeq: { readonly seq: number };
  readonly list: BetsReply;
  readonly round: RoundReply;
  /** `bet` is 0 if there is none. */
  readonly seenKey: { readonly bet: number; readonly rememberedFromMs: number };
  readonly quote: QuoteReply;
  readonly cancel: BetsReply;
  readonly cancelAll: { readonly cancelled: number };
  readonly deadman: object;
  readonly deadmanEnded: object;
}

export type QuestionKind = keyof Questions;
export type QuestionOf<K extends QuestionKind> = { readonly kind: K } & Questions[K];
export type Question = { [K in QuestionKind]: QuestionOf<K> }[QuestionKind];

/** All of it is of one moment. */
export interface AccountReply extends OpenSums {
  readonly balanceCents: number;
  readonly activeKeys: number;
}

/** All durable. `seq` is the last command that touched the account. */
export interface BalanceReply {
  readonly seq: number;
  readonly balanceCents: number;
}

export interface RoundReply {
  readonly round: RoundView;
  readonly tick: number | null;
  /** UP's fair share in millionths, or -1. */
  readonly shareE6: number;
}

type QuoteRefusal = Pick<RefusalFacts, 'code' | 'detail'>;

export interface QuoteReply {
  /** The time at which the order would have been placed. */
  readonly timeMs: number;
  readonly offer: OfferView | null;
  readonly refusal: QuoteRefusal | null;
  /** Whether a limit order would rest. */
  readonly rests: boolean | null;
  /** null where one part was asked for. */
  readonly inParts: (Omit<PartsQuote, 'refusal'> & { readonly refusal: QuoteRefusal | null }) | null;
}
