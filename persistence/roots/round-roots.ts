/** Makes the Merkle roots of rounds, bet by bet: a root is ready when its round locks. It knows nothing of threads. */
import { BetHashes } from '../../crypto/bet-hashes.js';
import { FAIRNESS_TOOLS } from '../../crypto/hashes.js';
import { must } from '../../engine/base/assert.js';
import { RoundSeeds } from '../../engine/fairness.js';
import type { MadeRoot } from '../../engine/model/commands.js';
import { MARKETS_MAX, type RoundName, roundId } from '../../engine/model/domain.js';
import type { HashedBet } from '../../engine/model/events.js';
import type { SignedRoot } from '../../engine/model/proofs/proof-views.js';
import { newLeaf, TreeHasher, TreeStack } from '../../engine/proofs/merkle.js';
import { rootStatement } from '../../engine/proofs/statements.js';
import { noRest, type Rest } from '../thread/pace.js';
import { BET_CELLS, type RootNote } from './messages.js';

export type RoundRoot = RoundName & Pick<SignedRoot, 'merkleRoot' | 'treeSize'>;

/** Counted in bets: each rest reads the clock. */
const RESTS_EVERY = 32;

export class RoundRoots {
  readonly seeds: RoundSeeds;
  readonly #hashes: BetHashes;
  readonly #hasher = new TreeHasher(FAIRNESS_TOOLS.sha256Into);
  readonly #leaf = newLeaf();
  /** By market, then by round number. */
  readonly #growing = Array.from({ length: MARKETS_MAX }, () => new Map<number, TreeStack>());

  constructor(
    masterSecret: Uint8Array,
    betHashes?: SharedArrayBuffer,
    private readonly rest: Rest = noRest,
  ) {
    this.seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
    this.#hashes = new BetHashes(this.seeds, betHashes);
  }

  /** Returns the roots of the rounds that have locked. */
  take(notes: readonly RootNote[]): RoundRoot[] {
    const made: RoundRoot[] = [];
    for (const note of notes) {
      if (note.kind === 'bets') this.#addAll(note.cells, note.clientSeeds);
      else {
        const { market, roundNumber } = note;
        const tree = this.#takeGrowing(market, roundNumber);
        if (note.kind === 'dropped') continue;
        const merkleRoot = Buffer.from(tree.root()).toString('hex');
        made.push({ market, roundNumber, merkleRoot, treeSize: tree.size });
      }
    }
    return made;
  }

  #addAll(cells: Float64Array, clientSeeds: readonly (string | null)[] | null): void {
    for (let at = 0, n = 0; at < cells.length; at += BET_CELLS, n++) {
      this.#add(betAt(cells, at, clientSeeds?.[n] ?? null));
      if (n % RESTS_EVERY === 0) this.rest();
    }
  }

  #add(bet: HashedBet): void {
    const trees = must(this.#growing[bet.market], 'the trees of a market');
    let tree = trees.get(bet.roundNumber);
    if (tree === undefined) {
      tree = new TreeStack(this.#hasher);
      trees.set(bet.roundNumber, tree);
    }
    this.#hashes.into(bet, this.#leaf, 1);
    tree.add(this.#leaf);
  }

  /** A round without bets has a root, too. */
  #takeGrowing(market: number, roundNumber: number): TreeStack {
    const trees = must(this.#growing[market], 'the trees of a market');
    const tree = trees.get(roundNumber) ?? new TreeStack(this.#hasher);
    trees.delete(roundNumber);
    return tree;
  }
}

export function rootText(
  seeds: RoundSeeds,
  { market, roundNumber, merkleRoot, treeSize }: RoundRoot,
): string {
  const seedCommitment = seeds.commitment(market, roundNumber);
  return rootStatement({ roundId: roundId(market, roundNumber), seedCommitment, treeSize, merkleRoot });
}

export const signedRoot = (
  { seeds }: RoundRoots,
  root: RoundRoot,
  keyId: string,
  sign: (text: string) => string,
): MadeRoot => ({ ...root, keyId, signature: sign(rootText(seeds, root)) });

function betAt(cells: Float64Array, at: number, clientSeed: string | null): HashedBet {
  return {
    timeMs: cells[at] as number,
    bet: cells[at + 1] as number,
    market: cells[at + 2] as number,
    roundNumber: cells[at + 3] as number,
    side: cells[at + 4] as number,
    stakeCents: cells[at + 5] as number,
    oddsE4: cells[at + 6] as number,
    entryPercentE2: cells[at + 7] as number,
    payoutCents: cells[at + 8] as number,
    clientSeed,
  };
}
