/** The refusals of the public API that are the same for every endpoint, and those of the engine's thread. */
import { must } from '../../engine/base/assert.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { CurrentOdds } from '../../engine/model/events.js';
import type { HeaderList } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { RefusalFacts } from '../link/orders.js';
import type { RatePolicy } from '../wire/head-texts.js';
import { hundredthsText, oddsText } from '../wire/wire.js';

export const OVERLOADED = new Refused('overloaded', 'the server is behind; try again', ['Retry-After', '1']);

const CHALLENGE = ['WWW-Authenticate', 'ApiKey header="X-API-Key"'];
export const MISSING_KEY = new Refused('missing_api_key', 'the X-API-Key header is required', CHALLENGE);
export const INVALID_KEY = new Refused('invalid_api_key', 'no such key', CHALLENGE);
export const KEY_DISABLED = new Refused('key_disabled', 'this key is disabled');
export const KEY_EXPIRED = new Refused('key_expired', 'this key has expired');
export const NO_SCOPE = new Refused('insufficient_scope', 'this key lacks the scope of the endpoint');
export const TIER_TOO_LOW = new Refused(
  'tier_too_low',
  'the scope needs an account of Silver tier or higher',
);
export const FROZEN = new Refused('account_frozen', 'the account takes no orders');
export const NO_MARKET = new Refused('market_not_found', 'no active market has this id');
export const NO_ORDER = new Refused('order_not_found', 'no order of yours has this id');
export const NOT_PENDING = new Refused('order_not_pending', 'only an order that rests can be cancelled');
export const NO_PROOF = new Refused(
  'proof_not_found',
  "the order's round is not settled yet, or no Merkle root of it was put on record",
);
export const NO_BET = new Refused(
  'proof_not_found',
  'the order was never filled, so it is not among the bets of its round; its stake went back',
);
export const NO_RECEIPT = new Refused(
  'proof_not_found',
  'a receipt is of a bet: this order rests or was never filled, or the archive began after it was placed',
);
export const NO_SETTLED_ROUND = new Refused('round_not_found', 'no settled round has this id');
export const NO_ROUND = new Refused('round_not_found', 'no round in memory has this id');

const WITH_TEXT = new Map(
  [OVERLOADED, KEY_DISABLED, KEY_EXPIRED, TIER_TOO_LOW, FROZEN, NO_ROUND].map((refused) => [
    refused.code,
    refused,
  ]),
);

/**
 * These refusals pass: with the next tick, once later ones have agreed with a price, with the news for which a market
 * is suspended, once the disk has caught up, or with the start for which an operator has put the journal back.
 */
const RETRY_AFTER: Partial<Record<ErrorCode, HeaderList>> = {
  stale_price: ['Retry-After', '1'],
  price_held: ['Retry-After', '5'],
  market_suspended: ['Retry-After', '60'],
  journal_backlog: ['Retry-After', '1'],
  journal_unavailable: ['Retry-After', '60'],
};

/** The engine's thread sends no detail for a code in `WITH_TEXT`. */
export const refusedOf = ({ code, detail, current }: RefusalFacts): Refused =>
  WITH_TEXT.get(code) ??
  new Refused(code, detail, RETRY_AFTER[code] ?? [], current === undefined ? '' : currentText(current));

/** The present odds, so that the next attempt needs no other request. */
const currentText = ({ percentE2, oddsE4 }: CurrentOdds): string =>
  `,"current":{"percent":${hundredthsText(percentE2)},"oddsAtBet":${oddsText(oddsE4)}}`;

/** By the name of the limit. */
const LIMITED: Readonly<Record<string, readonly [whose: string, what: string]>> = {
  key_read: ["the key's", 'reads'],
  key_write: ["the key's", 'writes'],
  key_cancel: ["the key's", 'cancellations'],
  account: ["the account's", 'requests'],
  ip: ["the address's", 'requests'],
};

export const limitRefusals = (policies: readonly RatePolicy[]): readonly Refused[] =>
  policies.map(({ name, limit }) => {
    const [whose, what] = must(LIMITED[name], `whose limit ${name} is`);
    const detail = `${whose} limit for ${what} (${name}), ${limit} in 60 seconds, is reached; wait as long as Retry-After says`;
    return new Refused('rate_limited', detail);
  });
