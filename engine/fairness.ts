/**
 * The provably-fair hash of a bet. Each round has a secret seed: its SHA-256 is published when the round begins, the
 * seed once the round is settled. `betHash` binds the facts of a bet to that seed: the server cannot alter a bet
 * without another seed, which would not match the commitment. It comes from journaled facts only, so a replay gives the
 * same one, and is no part of the state.
 */
import { flattenString } from './base/flatten-string.js';
import { integerText } from './base/integer-text.js';
import { isoText } from './base/iso-text.js';
import { betId, roundId, SIDES, textAt } from './model/domain.js';
import type { HashedBet } from './model/events.js';
import type { Sha256 } from './proofs/merkle.js';

/** The engine itself has no hash functions. Text is hashed as UTF-8; hashes are in hex. */
export interface FairnessTools {
  sha256(data: string | Uint8Array): string;
  readonly sha256Into: Sha256;
  hmacSha256(secret: Uint8Array, text: string): string;
}

/** First field of the hashed text. Another construction would get another name. */
const CONSTRUCTION = 'tote-bet-1';

const encoder = new TextEncoder();

const LENGTHS: readonly string[] = Array.from({ length: 64 }, (_, length) => `${length}:`);

/** `<length in bytes>:<text>`, for text known to be ASCII. */
const asciiField = (text: string): string => (LENGTHS[text.length] ?? `${text.length}:`) + text;
/** A lone surrogate is encoded as U+FFFD. */
const field = (text: string): string => `${encoder.encode(text).length}:${text}`;

const roundFields = (seed: string, round: string): string =>
  asciiField(CONSTRUCTION) + asciiField(seed) + asciiField(round);

function betText(ofRound: string, bet: HashedBet): string {
  const text =
    ofRound +
    asciiField(betId(bet.bet)) +
    asciiField(textAt(SIDES, bet.side)) +
    asciiField(integerText(bet.stakeCents)) +
    asciiField(integerText(bet.oddsE4)) +
    asciiField(integerText(bet.entryPercentE2)) +
    asciiField(integerText(bet.payoutCents)) +
    asciiField(isoText(bet.timeMs));
  return bet.clientSeed === null ? text : text + field(bet.clientSeed);
}

export function hasherOfRound(
  seed: string,
  market: number,
  roundNumber: number,
  tools: FairnessTools,
): (bet: HashedBet) => string {
  const ofRound = flattenString(roundFields(seed, roundId(market, roundNumber)));
  return (bet) => tools.sha256(betText(ofRound, bet));
}

export class RoundSeeds {
  readonly #masterSecret: Uint8Array;
  readonly #tools: FairnessTools;
  /** By market: the last round requested. Orders come for one round of a market at a time. */
  readonly #latest: ({ roundNumber: number; fields: string } | undefined)[] = [];

  constructor(masterSecret: Uint8Array, tools: FairnessTools) {
    this.#masterSecret = masterSecret;
    this.#tools = tools;
  }

  /** HMAC-SHA-256 of the master secret and the round id, 64 hex digits. Secret until the round is settled. */
  seed(market: number, roundNumber: number): string {
    return this.#tools.hmacSha256(this.#masterSecret, roundId(market, roundNumber));
  }

  /** SHA-256 of the seed's 32 bytes, 64 hex digits. Public from the start of the round. */
  commitment(market: number, roundNumber: number): string {
    return seedCommitment(this.seed(market, roundNumber), this.#tools);
  }

  /** `bet.betHash` of an accepted bet, 64 hex digits. */
  betHash(bet: HashedBet): string {
    return this.#tools.sha256(this.#textOf(bet));
  }

  /** The same as 32 bytes. */
  betHashInto(bet: HashedBet, into: Uint8Array, at: number): void {
    this.#tools.sha256Into(this.#textOf(bet), into, at);
  }

  #textOf(bet: HashedBet): string {
    return betText(this.#fieldsOf(bet.market, bet.roundNumber), bet);
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
function seedCommitment(seed: string, tools: FairnessTools): string {
  const bytes = Uint8Array.from({ length: seed.length / 2 }, (_, i) =>
    Number.parseInt(seed.slice(2 * i, 2 * i + 2), 16),
  );
  return tools.sha256(bytes);
}
