/**
 * Checks of settled rounds what a bettor checks: the product's tree over the bets that the journal tells of, hashed with the
 * round's seed, leads from a bet to the root on record, which is signed. It does so for no bet that was placed otherwise, in
 * another place, or not at all. What the archive has to do with a proof is not simulated.
 */
import { hash } from 'node:crypto';
import { FAIRNESS_TOOLS } from '../../../crypto/fairness-tools.js';
import { PROOF_TOOLS } from '../../../crypto/signing.js';
import { must } from '../../../engine/base/assert.js';
import { hasherOfRound, RoundSeeds } from '../../../engine/fairness.js';
import { betId, roundId } from '../../../engine/model/domain.js';
import type { HashedBet, RootPublished } from '../../../engine/model/events.js';
import { TreeHasher, WholeTree } from '../../../engine/proofs/merkle.js';
import { failedProofStep, type PublishedOrderProof } from '../../../engine/proofs/verify.js';
import { TEST_SIGNING } from '../../support/engine/signing.js';
import { check } from '../violation.js';

/** Hex digits of a root that the choice of a bet is made of. */
const CHANCE_DIGITS = 12;

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export class ProofAudit {
  readonly #seeds: RoundSeeds;
  readonly #hasher = new TreeHasher((data) => hash('sha256', data, 'buffer'));
  /** By round: its bets, in the order in which they joined it. */
  readonly #bets = new Map<string, HashedBet[]>();
  provedCount = 0;

  constructor(masterSecret: Uint8Array) {
    this.#seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
  }

  /** A bet joins its round. Its hash has the time at which the order was placed. */
  onBet(bet: Omit<HashedBet, 'timeMs'>, placedAtMs: number): void {
    const round = roundId(bet.market, bet.roundNumber);
    const bets = this.#bets.get(round) ?? [];
    this.#bets.set(round, bets);
    bets.push({ ...bet, timeMs: placedAtMs });
  }

  /** A round is settled; `root` is null if it has none. */
  onSettled(id: string, root: RootPublished | null): void {
    const bets = this.#bets.get(id) ?? [];
    this.#bets.delete(id);
    if (root === null || bets.length === 0) return;
    const { market, roundNumber, merkleRoot } = root;
    const hashOf = hasherOfRound(this.#seeds.seed(market, roundNumber), market, roundNumber, FAIRNESS_TOOLS);
    const tree = new WholeTree(bets.length, this.#hasher);
    for (const bet of bets) tree.add(Buffer.from(hashOf(bet), 'hex'));
    // One by chance, the same in each run of the world, and the last, where a tree may be uneven.
    const chosen = Number.parseInt(merkleRoot.slice(0, CHANCE_DIGITS), 16) % bets.length;
    for (const leafIndex of new Set([chosen, bets.length - 1])) {
      const bet = must(bets[leafIndex], 'a bet');
      const proof: PublishedOrderProof = {
        orderId: betId(bet.bet),
        roundId: id,
        betHash: hashOf(bet),
        leafIndex,
        path: tree.path(leafIndex).map(hexOf),
        seedCommitment: this.#seeds.commitment(market, roundNumber),
        root,
      };
      expectFailure(proof, null);
      expectFailure({ ...proof, betHash: hashOf({ ...bet, stakeCents: bet.stakeCents + 1 }) }, 'path');
      expectFailure({ ...proof, betHash: hashOf({ ...bet, bet: bet.bet + 1 }) }, 'path');
      expectFailure({ ...proof, leafIndex: leafIndex + 1 }, 'path');
      this.provedCount++;
    }
  }
}

/** The client's check ends at this step, or finds nothing wrong. */
function expectFailure(order: PublishedOrderProof, step: 'path' | null): void {
  const { orderId: id, betHash, roundId: round, leafIndex, root } = order;
  const evidence = {
    bet: { id, betHash },
    order,
    round: null,
    keys: TEST_SIGNING.all,
    notedRoot: root.merkleRoot,
  };
  const failed = failedProofStep(evidence, PROOF_TOOLS);
  check(
    (failed?.step ?? null) === step,
    'proof',
    () =>
      `${id} at ${leafIndex} of ${root.treeSize} in ${round}: ${failed?.reason ?? 'proved'}, expected ${step ?? 'a proof'}`,
    () => [round, id],
  );
}
