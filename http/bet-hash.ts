/**
 * The provably-fair hash of a bet (design, section 5). Each round has a secret seed; its SHA-256 is published
 * from the round's beginning, the seed itself once the round is settled. `betHash` binds the facts of a bet to
 * that seed: the server cannot alter a bet afterwards without another seed, and another seed does not fit the
 * commitment. It is computed at the edge, from journaled facts only, so a replay gives the same hash.
 */
import { createHmac, hash } from 'node:crypto';
import { betId, marketOf, roundId, SIDES, textAt, timeFrameMs } from '../engine/domain.js';
import type { BetPlaced } from '../engine/events.js';
import type { PlacedBet } from './api/types.js';
import { isoText } from './api/wire.js';

/** First field of the hashed text; another construction would get another name. */
const CONSTRUCTION = 'tote-bet-1';

/** `<length in bytes>:<text>`, for text that is known to be ASCII. */
const asciiField = (text: string): string => `${text.length}:${text}`;
const field = (text: string): string => `${Buffer.byteLength(text)}:${text}`;

/** The part that all bets of a round share. */
const roundFields = (seed: string, round: string): string =>
  asciiField(CONSTRUCTION) + asciiField(seed) + asciiField(round);

interface BetFields {
  readonly id: string;
  readonly prediction: string;
  readonly amountCents: number;
  readonly oddsE4: number;
  readonly entryPercentE2: number;
  readonly payoutCents: number;
  readonly placedAt: string;
  readonly clientSeed: string | null;
}

function hashBet(ofRound: string, bet: BetFields): string {
  const text =
    ofRound +
    asciiField(bet.id) +
    asciiField(bet.prediction) +
    asciiField(`${bet.amountCents}`) +
    asciiField(`${bet.oddsE4}`) +
    asciiField(`${bet.entryPercentE2}`) +
    asciiField(`${bet.payoutCents}`) +
    asciiField(bet.placedAt);
  return hash('sha256', bet.clientSeed === null ? text : text + field(bet.clientSeed), 'hex');
}

/** Seeds of rounds and hashes of bets, from the master secret. */
export class RoundSeeds {
  readonly #masterSecret: Uint8Array;
  /** By market: the round that was asked for last. Orders come for one round of a market at a time. */
  readonly #latest: ({ roundNumber: number; fields: string } | undefined)[] = [];

  constructor(masterSecret: Uint8Array) {
    this.#masterSecret = masterSecret;
  }

  /** The round's seed: HMAC-SHA-256 of the master secret and the round id, 64 hex digits. Secret until settled. */
  seed(market: number, roundNumber: number): string {
    return createHmac('sha256', this.#masterSecret).update(roundId(market, roundNumber)).digest('hex');
  }

  /** SHA-256 of the seed's 32 bytes, 64 hex digits: public from the round's beginning. */
  commitment(market: number, roundNumber: number): string {
    return seedCommitment(this.seed(market, roundNumber));
  }

  /** `bet.betHash` of an accepted bet. */
  betHash(event: BetPlaced): string {
    return hashBet(this.#fieldsOf(event.market, event.roundNumber), {
      id: betId(event.bet),
      prediction: textAt(SIDES, event.side),
      amountCents: event.stakeCents,
      oddsE4: event.oddsE4,
      entryPercentE2: event.entryPercentE2,
      payoutCents: event.payoutCents,
      placedAt: isoText(event.timeMs),
      clientSeed: event.clientSeed,
    });
  }

  #fieldsOf(market: number, roundNumber: number): string {
    const latest = this.#latest[market];
    if (latest?.roundNumber === roundNumber) return latest.fields;
    const fields = roundFields(this.seed(market, roundNumber), roundId(market, roundNumber));
    this.#latest[market] = { roundNumber, fields };
    return fields;
  }
}

/** SHA-256 of a seed's 32 bytes; both in hex. */
export const seedCommitment = (seed: string): string => hash('sha256', Buffer.from(seed, 'hex'), 'hex');

/** What a bettor holds when the round is settled: all of it was published by the API. */
export interface BetEvidence {
  /** `data.bet` of the order's answer. */
  readonly bet: PlacedBet;
  /** As sent with the order; null where none was. */
  readonly clientSeed: string | null;
  /** `data.id`, `data.seed` and `data.seedCommitment` of `GET /rounds/{id}`. */
  readonly roundId: string;
  readonly seed: string;
  /** Best the one that was noted while the round was open. */
  readonly seedCommitment: string;
}

export type BetVerdict = { readonly valid: true } | { readonly valid: false; readonly reason: string };

/** Checks a bet's hash from published data alone. Pure: no server, no secret, no clock. */
export function verifyBet({
  bet,
  clientSeed,
  roundId: round,
  seed,
  seedCommitment: committed,
}: BetEvidence): BetVerdict {
  if (!/^[0-9a-f]{64}$/.test(seed)) return invalid('the seed is not 64 hex digits');
  if (seedCommitment(seed) !== committed) return invalid('the seed does not fit its commitment');
  const placedIn = roundIdOf(bet);
  if (round !== placedIn) return invalid(`the bet was placed in round ${placedIn}, not in ${round}`);
  const computed = hashBet(roundFields(seed, round), {
    id: bet.id,
    prediction: bet.prediction,
    amountCents: Math.round(bet.amount * 100),
    oddsE4: Math.round(bet.oddsAtBet * 10_000),
    entryPercentE2: Math.round(bet.entryPercent * 100),
    payoutCents: Math.round(bet.potentialPayout * 100),
    placedAt: bet.placedAt,
    clientSeed,
  });
  return computed === bet.betHash ? { valid: true } : invalid(`the bet's facts hash to ${computed}`);
}

/** A bet's round is the one whose window its time lies in; '' where the bet names no market. */
function roundIdOf(bet: PlacedBet): string {
  const market = marketOf(bet.marketId);
  return market < 0 ? '' : roundId(market, Math.floor(Date.parse(bet.placedAt) / timeFrameMs(market)));
}

const invalid = (reason: string): BetVerdict => ({ valid: false, reason });
