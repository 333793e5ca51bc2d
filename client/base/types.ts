/** Names for the types of the API, which are generated from its document (`generated/api.ts`). */
import type { components, operations } from '../generated/api.js';

type Schemas = components['schemas'];

export type Market = Schemas['Market'];
export type Round = Schemas['Round'];
export type RoundDetail = Schemas['RoundDetail'];
export type Price = Schemas['Price'];
export type Position = Schemas['Position'];
export type SettledRound = Schemas['SettledRound'];
export type LedgerEntry = Schemas['LedgerEntry'];
export type ServerTime = Schemas['ServerTime'];
export type Limits = Schemas['Limits'];
export type Account = Schemas['Account'];
export type CancelledOrders = Schemas['CancelledOrders'];
export type SeenOrder = Schemas['SeenOrder'];
export type OrderRequest = Schemas['OrderRequest'];
export type QuoteRequest = Schemas['QuoteRequest'];
export type OrderResult = Schemas['OrderResult'];
export type OrderQuote = Schemas['OrderQuote'];
export type RoundProof = Schemas['RoundProof'];
export type OrderProof = Schemas['OrderProof'];
export type Receipt = Schemas['Receipt'];
export type SigningKey = Schemas['SigningKey'];
export type JournalHead = Schemas['JournalHead'];
export type Prediction = Schemas['Prediction'];
export type BetResult = Schemas['BetResult'];
export type Crypto = Schemas['Crypto'];
export type TimeFrame = Schemas['TimeFrame'];
export type Tier = Schemas['Tier'];
export type Scope = Schemas['Scope'];
/** Codes of the server; docs/bots/errors.md says what to do at each. */
export type ServerCode = Schemas['ErrorCode'];

type OperationId = keyof operations;

export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;

/** `data` of an operation's success. */
export type DataOf<Id extends OperationId> =
  operations[Id]['responses'] extends Answers<infer Data> ? Data : never;
type Answers<Data> = Answer<200, Data> | Answer<201, Data>;
type Answer<Status extends number, Data> = {
  readonly [status in Status]: { content: { readonly 'application/json': { readonly data: Data } } };
};
