/** What the operator API's document says of a route, and parts that several share. */
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { QueryName } from './parameters.js';

/** With what each is about. */
export const TAGS = {
  Accounts: 'Accounts and their money',
  Keys: 'API keys of accounts',
  Trading: 'Rounds, bets, prices, and what stops them',
  House: "The house's money, and what becomes of it",
  Rules: 'Limits, fee, tiers and house policy',
  Record: 'What operators have done',
  Sandbox: 'Prices and time that operators move',
  Server: 'How the server is',
  Console: "Sessions of the console's page",
} as const;

export interface Operation {
  /** The name in generated clients. */
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly text?: string;
  readonly query?: readonly QueryName[];
  /** Names of schemas, or of lists of them. */
  readonly body?: string;
  /** null for any JSON object. */
  readonly answer: string | null;
  readonly isNullable?: boolean;
  readonly shape?: 'page' | 'list' | 'text' | 'none';
  readonly status?: 200 | 201 | 204;
  /** Codes of failures besides those of any request. */
  readonly codes?: readonly ErrorCode[];
}

export const PAGED = ['limit', 'cursor'] as const satisfies readonly QueryName[];
export const SEARCHED = ['limitOfSearch', 'cursor'] as const satisfies readonly QueryName[];
/** Of what the archive's reader answers. */
export const PAST = [
  'overloaded',
  'archive_behind',
  'archive_unavailable',
] as const satisfies readonly ErrorCode[];
export const REFERENCE =
  'The same reference with the same amount is answered again with `X-Idempotent-Replay`, for ever, and moves nothing.';
