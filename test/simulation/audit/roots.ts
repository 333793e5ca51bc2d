/**
 * Checks the roots of rounds and the proofs under them. A root is RFC 6962's over the hashes of the round's bets in
 * the order in which they joined it. In a settled round the product's tree leads from a bet to the signed root on
 * record, and from no bet that was placed otherwise, in another place, or not at all. The archive's part in proofs is
 * not simulated.
 */
import { createHash } from 'node:crypto';
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { isSignedBy } from '../../../crypto/signing.js';
import { must } from '../../../engine/base/assert.js';
import { hasherOfRound, RoundSeeds } from '../../../engine/fairness.js';
import { betId, roundId } from '../../../engine/model/domain.js';
import type { HashedBet, RootPublished } from '../../../engine/model/events.js';
import { TreeHasher, WholeTree } from '../../../engine/proofs/merkle.js';
import { rootStatement } from '../../../engine/proofs/statements.js';
import { rootOfPath } from '../../support/engine/root-of-path.js';
import { TEST_SIGNING } from '../../support/engine/signing.js';
import { check } from '../violation.js';

const REMEMBERED_MAX = 2_000;
/** The choice of a bet is made of these hex digits of a root. */
const CHANCE_DIGITS = 12;

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export class RootAudit {
  readonly #seeds: RoundSeeds;
  readonly #hasher = new TreeHasher(FAIRNESS_TOOLS.sha256Into);
  readonly #bets = new Map<string, HashedBet[]>();
  readonly #roots = new Map<string, RootPublished>();
  provedCount = 0;

  constructor(masterSecret: Uint8Array) {
    this.#seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
  }

  rootOf(id: string): RootPublished | null {
    return this.#roots.get(id) ?? null;
  }

  /** The bet's hash has the time at which the order was placed. */
  onBet(bet: Omit<HashedBet, 'timeMs'>, placedAtMs: number): void {
    const id = roundId(bet.market, bet.roundNumber);
    const bets = this.#bets.get(id) ?? [];
    this.#bets.set(id, bets);
    bets.push({ ...bet, timeMs: placedAtMs });
  }

  onPublished(root: RootPublished): void {
    const id = roundId(root.market, root.roundNumber);
    const hashes = (this.#bets.get(id) ?? []).map((bet) => Buffer.from(this.#seeds.betHash(bet), 'hex'));
    const expected = treeHash(hashes).toString('hex');
    check(
      root.merkleRoot === expected,
      'root',
      () => `${id} has ${root.merkleRoot}, expected ${expected} of ${hashes.length}`,
      () => [id],
    );
    this.#roots.set(id, root);
    const [oldest] = this.#roots.keys();
    if (this.#roots.size > REMEMBERED_MAX && oldest !== undefined) this.#roots.delete(oldest);
  }

  onSettled(market: number, roundNumber: number): void {
    const id = roundId(market, roundNumber);
    const root = this.rootOf(id);
    const bets = this.#bets.get(id) ?? [];
    this.#bets.delete(id);
    if (root === null || bets.length === 0) return;
    const hashOf = hasherOfRound(this.#seeds.seed(market, roundNumber), market, roundNumber, FAIRNESS_TOOLS);
    const tree = new WholeTree(bets.length, this.#hasher);
    for (const bet of bets) tree.add(Buffer.from(hashOf(bet), 'hex'));
    // One by chance, the same in each run of the world, and the last, where a tree may be uneven.
    const chosen = Number.parseInt(root.merkleRoot.slice(0, CHANCE_DIGITS), 16) % bets.length;
    for (const leafIndex of new Set([chosen, bets.length - 1])) {
      const bet = must(bets[leafIndex], 'a bet');
      const path = tree.path(leafIndex);
      const leads = (hashed: HashedBet, index: number): boolean =>
        this.#leadsTo(root, { leafIndex: index, betHash: hashOf(hashed), path });
      const isProved =
        leads(bet, leafIndex) &&
        !leads({ ...bet, stakeCents: bet.stakeCents + 1 }, leafIndex) &&
        !leads({ ...bet, bet: bet.bet + 1 }, leafIndex) &&
        !leads(bet, leafIndex + 1);
      check(
        isProved,
        'proof',
        () => `${betId(bet.bet)} at ${leafIndex} of ${root.treeSize} in ${id} is not proved, or others are`,
        () => [betId(bet.bet), id],
      );
      this.provedCount++;
    }
    const seedCommitment = this.#seeds.commitment(market, roundNumber);
    const { treeSize, merkleRoot, signature } = root;
    const text = rootStatement({ roundId: id, seedCommitment, treeSize, merkleRoot });
    check(
      isSignedBy(TEST_SIGNING.publicKey, text, signature),
      'proof',
      () => `the root of ${id} is not signed`,
    );
  }

  #leadsTo(
    { treeSize, merkleRoot }: RootPublished,
    { leafIndex, betHash, path }: { leafIndex: number; betHash: string; path: readonly Uint8Array[] },
  ): boolean {
    const leaf = this.#hasher.leaf(Buffer.from(betHash, 'hex'));
    const reached = rootOfPath({ leafIndex, treeSize, leaf, path }, this.#hasher);
    return reached !== null && hexOf(reached) === merkleRoot;
  }
}

const sha256 = (...parts: readonly Buffer[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};

/** MTH of RFC 6962, section 2.1, word for word. */
function treeHash(data: readonly Buffer[]): Buffer {
  const [only] = data;
  if (only === undefined) return sha256();
  if (data.length === 1) return sha256(Buffer.of(0), only);
  let k = 1;
  while (k * 2 < data.length) k *= 2;
  return sha256(Buffer.of(1), treeHash(data.slice(0, k)), treeHash(data.slice(k)));
}
