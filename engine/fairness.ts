/**
 * The provably-fair hash of a bet (design, section 5). Each round has a secret seed. Its SHA-256 is published when
 * the round begins, the seed itself once the round is settled. `betHash` binds the facts of a bet to that seed: the
 * server cannot alter a bet without another seed, and another seed does not match the commitment.
 *
 * The hash is computed from journaled facts only, so a replay gives the same one. It is not part of the state: the
 * API computes it, and the command line verifies it, each with its own crypto functions.
 */

import { flattenString } from './base/flatten-string.js';
import { integerText } from './base/integer-text.js';
import { betId, marketOf, roundId, SIDES, textAt, timeFrameMs } from './model/domain.js';
import type { HashedBet } from './model/events.js';

/** Crypto and date functions, which the engine itself does not have. */
export interface FairnessTools {
  /** SHA-256 in hex; text is hashed as UTF-8. */
  sha256(data: string | Uint8Array): string;
  /** HMAC-SHA-256 in hex. */
  hmacSha256(secret: Uint8Array, text: string): string;
  /** ISO 8601 in UTC with milliseconds. */
  isoText(timeMs: number): string;
  /** Parses such a text into milliseconds since 1970; NaN if it is malformed. */
  timeMsOf(isoText: string): number;
}

/** First field of the hashed text. Another construction would get another name. */
const CONSTRUCTION = 'tote-bet-1';

const LENGTHS: readonly string[] = Array.from({ length: 64 }, (_, length) => `${length}:`);

/** `<length in bytes>:<text>`, for text known to be ASCII. */
const asciiField = (text: string): string => (LENGTHS[text.length] ?? `${text.length}:`) + text;
const field = (text: string): string => `${utf8Bytes(text)}:${text}`;

/** Length in UTF-8. A lone surrogate is encoded as U+FFFD, which takes three bytes. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) ?? 0;
    if (point > 0xffff) i++;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** The fields shared by all bets of a round. */
const roundFields = (seed: string, round: string): string =>
  asciiField(CONSTRUCTION) + asciiField(seed) + asciiField(round);

/** Numbers in decimal digits. */
interface BetFields {
  readonly id: string;
  readonly prediction: string;
  readonly amountCents: string;
  readonly oddsE4: string;
  readonly entryPercentE2: string;
  readonly payoutCents: string;
  readonly placedAt: string;
  readonly clientSeed: string | null;
}

function hashBet(ofRound: string, bet: BetFields, tools: FairnessTools): string {
  const text =
    ofRound +
    asciiField(bet.id) +
    asciiField(bet.prediction) +
    asciiField(bet.amountCents) +
    asciiField(bet.oddsE4) +
    asciiField(bet.entryPercentE2) +
    asciiField(bet.payoutCents) +
    asciiField(bet.placedAt);
  return tools.sha256(bet.clientSeed === null ? text : text + field(bet.clientSeed));
}

const fieldsOf = (bet: HashedBet, tools: FairnessTools): BetFields => ({
  id: betId(bet.bet),
  prediction: textAt(SIDES, bet.side),
  amountCents: integerText(bet.stakeCents),
  oddsE4: integerText(bet.oddsE4),
  entryPercentE2: integerText(bet.entryPercentE2),
  payoutCents: integerText(bet.payoutCents),
  placedAt: tools.isoText(bet.timeMs),
  clientSeed: bet.clientSeed,
});

/** The hashes of bets of one round whose seed is known. */
export function hasherOfRound(
  seed: string,
  market: number,
  roundNumber: number,
  tools: FairnessTools,
): (bet: HashedBet) => string {
  const ofRound = flattenString(roundFields(seed, roundId(market, roundNumber)));
  return (bet) => hashBet(ofRound, fieldsOf(bet, tools), tools);
}

/** Seeds of rounds and hashes of bets, from the master secret. */
export class RoundSeeds {
  readonly #masterSecret: Uint8Array;
  readonly #tools: FairnessTools;
  /** By market: the last round requested. Orders come for one round of a market at a time. */
  readonly #latest: ({ roundNumber: number; fields: string } | undefined)[] = [];

  constructor(masterSecret: Uint8Array, tools: FairnessTools) {
    this.#masterSecret = masterSecret;
    this.#tools = tools;
  }

  /**
   * The round's seed: HMAC-SHA-256 of the master secret and the round id, 64 hex digits. Secret until the round is
   * settled.
   */
  seed(market: number, roundNumber: number): string {
    return this.#tools.hmacSha256(this.#masterSecret, roundId(market, roundNumber));
  }

  /** SHA-256 of the seed's 32 bytes, 64 hex digits. Public from the start of the round. */
  commitment(market: number, roundNumber: number): string {
    return seedCommitment(this.seed(market, roundNumber), this.#tools);
  }

  /** `bet.betHash` of an accepted bet. */
  betHash(event: HashedBet): string {
    return hashBet(
      this.#fieldsOf(event.market, event.roundNumber),
      fieldsOf(event, this.#tools),
      this.#tools,
    );
  }

  #fieldsOf(market: number, roundNumber: number): string {
    const latest = this.#latest[market];
    if (latest?.roundNumber === roundNumber) return latest.fields;
    const fields = flattenString(roundFields(this.seed(market, roundNumber), roundId(market, roundNumber)));
    this.#latest[market] = { roundNumber, fields };
    return fields;
  }
}

/** SHA-256 of a seed's bytes; both in hex. */
export function seedCommitment(seed: string, tools: FairnessTools): string {
  const bytes = Uint8Array.from({ length: seed.length / 2 }, (_, i) =>
    Number.parseInt(seed.slice(2 * i, 2 * i + 2), 16),
  );
  return tools.sha256(bytes);
}

/** The fields of an order response's `data.bet` that the hash covers; amounts in USD. */
export interface PublishedBet {
  readonly id: string;
  readonly marketId: string;
  readonly prediction: string;
  readonly amount: number;
  readonly oddsAtBet: number;
  /** null where a limit order was not filled. */
  readonly entryPercent: number | null;
  readonly potentialPayout: number;
  /** The same. */
  readonly betHash: string | null;
  readonly placedAt: string;
}

/** What a bettor has once the round is settled; all of it was published by the API. */
export interface BetEvidence {
  readonly bet: PublishedBet;
  /** As sent with the order, or null. */
  readonly clientSeed: string | null;
  /** `data.id`, `data.seed` and `data.seedCommitment` of `GET /rounds/{id}`. */
  readonly roundId: string;
  readonly seed: string;
  /** Ideally the one recorded while the round was open. */
  readonly seedCommitment: string;
}

/** The checks in order: the seed's format, its commitment, the bet's round, the bet's hash. */
export const VERIFY_STEPS = ['seed', 'commitment', 'round', 'hash'] as const;
export type VerifyStep = (typeof VERIFY_STEPS)[number];

/** `step` is the first check that failed; `reason` explains it to people. */
export type BetVerdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly step: VerifyStep; readonly reason: string };

/** Checks a bet's hash from published data alone: no server, no secret, no clock. */
export function verifyBet(evidence: BetEvidence, tools: FairnessTools): BetVerdict {
  const { bet, seed, roundId: round } = evidence;
  if (!/^[0-9a-f]{64}$/.test(seed)) return invalid('seed', 'the seed is not 64 hex digits');
  const commitment = seedCommitment(seed, tools);
  if (commitment !== evidence.seedCommitment) {
    return invalid('commitment', `the seed does not fit its commitment: its SHA-256 is ${commitment}`);
  }
  const placedIn = roundIdOf(bet, tools);
  if (round !== placedIn)
    return invalid(
      'round',
      `the bet was placed in round ${placedIn || 'of no known market'}, not in ${round}`,
    );
  if (bet.betHash === null || bet.entryPercent === null)
    return invalid('hash', 'this is an order that rests: it has a hash once it is filled');
  const fields: BetFields = {
    id: bet.id,
    prediction: bet.prediction,
    amountCents: `${Math.round(bet.amount * 100)}`,
    oddsE4: `${Math.round(bet.oddsAtBet * 10_000)}`,
    entryPercentE2: `${Math.round(bet.entryPercent * 100)}`,
    payoutCents: `${Math.round(bet.potentialPayout * 100)}`,
    placedAt: bet.placedAt,
    clientSeed: evidence.clientSeed,
  };
  const computed = hashBet(roundFields(seed, round), fields, tools);
  return computed === bet.betHash ? { valid: true } : invalid('hash', `the bet's facts hash to ${computed}`);
}

/** A bet belongs to the round whose window contains its time; '' if the market is unknown. */
function roundIdOf(bet: PublishedBet, tools: FairnessTools): string {
  const market = marketOf(bet.marketId);
  if (market < 0) return '';
  return roundId(market, Math.floor(tools.timeMsOf(bet.placedAt) / timeFrameMs(market)));
}

const invalid = (step: VerifyStep, reason: string): BetVerdict => ({ valid: false, step, reason });
