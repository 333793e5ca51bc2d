/** The types of the API, which are generated from its document, and what an operation takes and gives. */
import type { ErrorCode, operations } from '../generated/api.js';

export type * from '../generated/api.js';

/** Codes of the server; docs/bots/errors.md says what to do at each. */
export type ServerCode = ErrorCode;

type OperationId = keyof operations;

export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;

/** `data` of an operation's success. */
export type DataOf<Id extends OperationId> =
  operations[Id]['responses'] extends Answers<infer Data> ? Data : never;
type Answers<Data> = Answer<200, Data> | Answer<201, Data>;
type Answer<Status extends number, Data> = {
  readonly [status in Status]: { content: { readonly 'application/json': { readonly data: Data } } };
};
