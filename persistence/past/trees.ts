/**
 * Ways from bets to the roots of their rounds, worked out from the archive's bets. A tree is made a slice at a time, so that
 * one of a million bets does not hold up other questions, and the last ones are kept.
 */
import { hash } from 'node:crypto';
import { must } from '../../engine/base/assert.js';
import { hasherOfRound } from '../../engine/fairness.js';
import { marketId, roundId } from '../../engine/model/domain.js';
import type { BetPath, BetPathQuestion } from '../../engine/model/proofs/proof-reads.js';
import { inclusionPath, rootOfPath, TreeHasher } from '../../engine/proofs/merkle.js';
import type { ArchiveBlocks } from '../archive/blocks.js';
import { damagedArchive } from '../archive/schema.js';
import { FAIRNESS_TOOLS } from '../fairness-tools.js';
import { betsInOrder, fillOf } from '../replay/archived-events.js';
import { placedOf } from '../replay/archived-facts.js';
import type { ArchivedRounds } from './rounds.js';

/** Bets that are hashed in one step: a few tens of milliseconds. */
const SLICE_BETS = 5_000;
/** Leaves that are kept, of all trees together, at some 100 bytes each. */
const LEAVES_KEPT_MAX = 500_000;

/** The leaves of a round's tree, as far as they are made. */
interface Leaves {
  readonly bets: readonly number[];
  readonly hashes: Uint8Array[];
}

export class RoundTrees {
  /** By round, the one asked for last at the end. */
  readonly #kept = new Map<string, Leaves>();
  readonly #hasher = new TreeHasher((data) => hash('sha256', data, 'buffer'));

  constructor(
    private readonly path: string,
    private readonly blocks: ArchiveBlocks,
    private readonly rounds: ArchivedRounds,
  ) {}

  /** `found` is null if the round is not settled or has no root; 'unfinished' if there is more to do first. */
  answer(question: BetPathQuestion): { readonly found: BetPath | null } | 'unfinished' {
    const { market, roundNumber, bet } = question;
    const root = this.rounds.proof(market, roundNumber)?.root ?? null;
    if (root === null) return { found: null };
    const { bets, hashes } = this.#leavesOf(question);
    if (hashes.length < bets.length) return 'unfinished';
    const leafIndex = bets.indexOf(bet);
    if (leafIndex < 0) return { found: null };
    const path = inclusionPath(hashes, leafIndex, this.#hasher);
    const leaf = must(hashes[leafIndex], 'a leaf');
    const reached = rootOfPath({ leafIndex, treeSize: bets.length, leaf, path }, this.#hasher);
    if (reached === null || hexOf(reached) !== root.merkleRoot || bets.length !== root.treeSize) {
      const what = `the bets of round ${roundId(market, roundNumber)} are not those under its Merkle root`;
      throw damagedArchive(this.path, what);
    }
    return { found: { leafIndex, path: path.map(hexOf), root } };
  }

  /** The leaves with one slice more, if some were missing. */
  #leavesOf({ market, roundNumber, seed }: BetPathQuestion): Leaves {
    const id = roundId(market, roundNumber);
    const leaves = this.#kept.get(id) ?? {
      bets: [...betsInOrder(this.blocks, marketId(market), roundNumber)],
      hashes: [],
    };
    this.#kept.delete(id);
    this.#kept.set(id, leaves);
    const hashOf = hasherOfRound(seed, market, roundNumber, FAIRNESS_TOOLS);
    const { bets, hashes } = leaves;
    for (const bet of bets.slice(hashes.length, hashes.length + SLICE_BETS)) {
      const placement = this.blocks.placement(bet);
      if (placement === null) throw damagedArchive(this.path, `it lacks the placement of bet ${bet}`);
      const placed = placedOf(placement);
      // A limit order that rested has the odds of its fill.
      const { oddsE4, entryPercentE2, payoutCents } = fillOf(this.blocks, placement) ?? placed;
      const facts = { ...placed, oddsE4, entryPercentE2, payoutCents };
      hashes.push(this.#hasher.leaf(Buffer.from(hashOf(facts), 'hex')));
    }
    this.#forgetOthers(id);
    return leaves;
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

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
