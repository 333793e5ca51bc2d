/** The answers about proofs: a settled round's, a bet's, and the keys. */
import { FAIRNESS_TOOLS } from '../../crypto/hashes.js';
import { isoOrNull, isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import type { RoundSeeds } from '../../engine/fairness.js';
import type { ArchivedRoundProof, BetPath } from '../../engine/model/archive-reads.js';
import { betId, roundId } from '../../engine/model/domain.js';
import type { PriceOrigin, ProofView } from '../../engine/model/proofs/proof-views.js';
import type { PublicSigningKey } from '../../engine/model/proofs/signing.js';
import { settlementStatement } from '../../engine/proofs/statements.js';
import { factsOf, resultOf, rootOf } from './archive-text.js';
import type {
  FairShares,
  OrderProof,
  ProvenPrice,
  RoundProof,
  SignedStatement,
  SigningKey,
} from './proof-types.js';

const ROUNDING =
  'odds are totalPool / sidePool, rounded down to four decimals; payouts are rounded down to the cent';

export const signingKey = ({ keyId, publicKey, createdAtMs, retiredAtMs }: PublicSigningKey): SigningKey => ({
  keyId,
  algorithm: 'Ed25519',
  publicKey,
  createdAt: isoText(createdAtMs),
  retiredAt: isoOrNull(retiredAtMs),
});

interface ProofMakers {
  readonly seeds: RoundSeeds;
  readonly sign: (text: string) => SignedStatement;
}

export function roundProof(round: ArchivedRoundProof, { seeds, sign }: ProofMakers): RoundProof {
  const { market, roundNumber, proof } = round;
  const { root } = proof;
  const unsigned = {
    ...factsOf(round),
    ...resultOf(round),
    seedCommitment: seeds.commitment(market, roundNumber),
    seed: seeds.seed(market, roundNumber),
    open: priceOf(round.openPrice, proof.open),
    close: priceOf(round.closePrice, proof.close),
    totalPool: dollarsOfCents(round.poolUpCents + round.poolDownCents),
    // A round that was voided before it opened has no pools, and so no seeds.
    houseSeeds: round.openPrice === null ? 0 : dollarsOfCents(2 * round.seedCents),
    fairPercentUp: sharesOf(proof),
    fee: round.feeBps / 10_000,
    rounding: ROUNDING,
    root: root === null ? null : rootOf(root),
    rootInTime: root === null ? null : root.publishedAtMs < round.endTimeMs,
    resolvedAt: isoText(round.resolvedAtMs),
    settledAt: isoText(round.settledAtMs),
  };
  return { ...unsigned, statement: sign(settlementStatement(unsigned, FAIRNESS_TOOLS.sha256)) };
}

function priceOf(price: number | null, origin: PriceOrigin | null): ProvenPrice {
  if (origin === null) return { price, time: null, source: null, evidence: null, rule: null };
  const { priceTimeMs, source, evidence, isLate } = origin;
  return { price, time: isoOrNull(priceTimeMs), source, evidence, rule: isLate ? 'late' : 'boundary' };
}

function sharesOf(proof: ProofView): FairShares | null {
  if (proof.firstShareE6 < 0) return null;
  return {
    first: proof.firstShareE6 / 10_000,
    last: proof.lastShareE6 / 10_000,
    lowest: proof.leastShareE6 / 10_000,
    highest: proof.greatestShareE6 / 10_000,
  };
}

export const orderProof = (
  bet: { readonly bet: number; readonly market: number; readonly roundNumber: number },
  betHash: string,
  seedCommitment: string,
  { leafIndex, path, root }: BetPath,
): OrderProof => ({
  orderId: betId(bet.bet),
  roundId: roundId(bet.market, bet.roundNumber),
  betHash,
  leafIndex,
  path: [...path],
  seedCommitment,
  root: rootOf(root),
});
