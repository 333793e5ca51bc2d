/**
 * Paths from bets to the roots of their rounds, from the archive's bets. A tree is made slice by slice, so that a
 * round of a million bets does not hold up other questions; the last trees are kept.
 */
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { hasherOfRound } from '../../../engine/fairness.js';
import type { BetPath, BetPathQuestion } from '../../../engine/model/archive-reads.js';
import { marketId, roundId } from '../../../engine/model/domain.js';
import type { HashedBet } from '../../../engine/model/events.js';
import { TreeHasher, WholeTree } from '../../../engine/proofs/merkle.js';
import type { ArchiveBlocks } from '../blocks.js';
import { damagedArchive } from '../schema.js';
import type { ArchivedRounds } from './rounds.js';
import { placementAt } from './row-events.js';
import { betsInOrder, fillOf, termsOf } from './streams.js';

/** A slice takes a few tens of milliseconds. */
const SLICE_BETS = 2_000;
/** Kept leaves of all trees together, at some 80 bytes each. */
const LEAVES_KEPT_MAX = 500_000;

interface RoundTree {
  readonly bets: readonly number[];
  readonly tree: WholeTree;
  /** An archive that began later lacks facts of a bet. */
  isIncomplete: boolean;
}

export class RoundTrees {
  /** The round asked for last is at the end. */
  readonly #kept = new Map<string, RoundTree>();
  readonly #hasher = new TreeHasher(FAIRNESS_TOOLS.sha256Into);

  constructor(
    private readonly path: string,
    private readonly blocks: ArchiveBlocks,
    private readonly rounds: ArchivedRounds,
  ) {}

  /**
   * `found` is null if the round is not settled, has no root, or not all of its bets are known; 'unfinished' asks to
   * be called again.
   */
  answer(question: BetPathQuestion): { readonly found: BetPath | null } | 'unfinished' {
    const { market, roundNumber, bet } = question;
    const root = this.rounds.find(market, roundNumber)?.proof.root ?? null;
    if (root === null) return { found: null };
    const { bets, tree, isIncomplete } = this.#grown(question);
    if (isIncomplete) return { found: null };
    if (tree.leaves < bets.length) return 'unfinished';
    const leafIndex = bets.indexOf(bet);
    if (leafIndex < 0) return { found: null };
    if (hexOf(tree.root()) !== root.merkleRoot || bets.length !== root.treeSize) {
      const what = `the bets of round ${roundId(market, roundNumber)} are not those under its Merkle root`;
      throw damagedArchive(this.path, what);
    }
    return { found: { leafIndex, path: tree.path(leafIndex).map(hexOf), root } };
  }

  #grown({ market, roundNumber, seed }: BetPathQuestion): RoundTree {
    const id = roundId(market, roundNumber);
    const kept = this.#kept.get(id) ?? this.#begun(market, roundNumber);
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    const hashOf = hasherOfRound(seed, market, roundNumber, FAIRNESS_TOOLS);
    const { bets, tree } = kept;
    for (const bet of bets.slice(tree.leaves, tree.leaves + SLICE_BETS)) {
      const hashed = this.#hashedBet(bet);
      kept.isIncomplete ||= hashed === null;
      if (hashed === null) break;
      tree.add(Buffer.from(hashOf(hashed), 'hex'));
    }
    this.#forgetOthers(id);
    return kept;
  }

  #begun(market: number, roundNumber: number): RoundTree {
    const bets = [...betsInOrder(this.blocks, marketId(market), roundNumber)];
    return { bets, tree: new WholeTree(bets.length, this.#hasher), isIncomplete: false };
  }

  /** null if the archive began after the bet was placed. */
  #hashedBet(bet: number): HashedBet | null {
    const placement = this.blocks.placement(bet);
    if (placement === null) throw damagedArchive(this.path, `it lacks the placement of bet ${bet}`);
    const order = placementAt(placement);
    return order.seq === 0 ? null : termsOf({ order, fill: fillOf(this.blocks, placement) });
  }

  #forgetOthers(id: string): void {
    let leaves = 0;
    for (const { bets } of this.#kept.values()) leaves += bets.length;
    for (const [other, { bets }] of this.#kept) {
      if (leaves <= LEAVES_KEPT_MAX || other === id) return;
      this.#kept.delete(other);
      leaves -= bets.length;
    }
  }
}

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
