/**
 * Makes the Merkle roots of rounds, bet by bet. A root is ready when its round locks; it is to be put on record
 * unless the journal has one, which must be the same. It knows nothing of threads.
 */
import { BetHashes } from '../../crypto/bet-hashes.js';
import { FAIRNESS_TOOLS } from '../../crypto/fairness-tools.js';
import { must } from '../../engine/base/assert.js';
import { RoundSeeds } from '../../engine/fairness.js';
import { MARKETS_MAX, type RoundName, roundId } from '../../engine/model/domain.js';
import type { HashedBet } from '../../engine/model/events.js';
import type { SignedRoot } from '../../engine/model/proofs/proof-views.js';
import { newLeaf, TreeHasher, TreeStack } from '../../engine/proofs/merkle.js';
import { rootStatement } from '../../engine/proofs/statements.js';
import { JournalError } from '../errors.js';
import { noRest, type Rest } from '../thread/pace.js';
import { BET_CELLS, type MadeRoot, type RootNote, type RootNotes } from './messages.js';

type Tree = RoundName & Pick<SignedRoot, 'merkleRoot' | 'treeSize'>;

export interface RootSigner {
  readonly keyId: string;
  readonly sign: (text: string) => string;
}

/** Counted in bets: each rest reads the clock. */
const RESTS_EVERY = 32;

export class RoundRoots {
  readonly #seeds: RoundSeeds;
  readonly #hashes: BetHashes;
  readonly #hasher = new TreeHasher(FAIRNESS_TOOLS.sha256Into);
  readonly #leaf = newLeaf();
  /** By market, then by round number. */
  readonly #growing = Array.from({ length: MARKETS_MAX }, () => new Map<number, TreeStack>());
  /** Locked rounds whose root is not known to be on record; `isMade` once it was given out. */
  readonly #locked = new Map<string, Tree & { isMade: boolean }>();
  #liveFromSeq: number;

  /**
   * Up to `startSeq` roots may be on record behind the place where a round locks. No signer: roots are compared only.
   */
  constructor(
    masterSecret: Uint8Array,
    private readonly signer: RootSigner | null,
    startSeq: number,
    betHashes?: SharedArrayBuffer,
    private readonly rest: Rest = noRest,
  ) {
    this.#seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
    this.#hashes = new BetHashes(this.#seeds, betHashes);
    this.#liveFromSeq = startSeq;
  }

  /**
   * Returns the roots to be put on record. Throws `replay_mismatch` at the first of the journal's roots that differs.
   */
  take({ isBeginning, notes, reachedSeq }: RootNotes): MadeRoot[] {
    if (isBeginning) {
      for (const trees of this.#growing) trees.clear();
      this.#locked.clear();
    }
    for (const note of notes) this.#note(note);
    if (this.signer === null || reachedSeq < this.#liveFromSeq) return [];
    this.#liveFromSeq = reachedSeq;
    const made: MadeRoot[] = [];
    for (const tree of this.#locked.values()) {
      if (tree.isMade) continue;
      tree.isMade = true;
      made.push(this.#signed(tree, this.signer));
    }
    return made;
  }

  #note(note: RootNote): void {
    switch (note.kind) {
      case 'bets':
        for (let at = 0, n = 0; at < note.cells.length; at += BET_CELLS, n++) {
          this.#add(betAt(note.cells, at, note.clientSeeds?.[n] ?? null));
          if (n % RESTS_EVERY === 0) this.rest();
        }
        break;
      case 'locked':
        this.#lock(note.market, note.roundNumber);
        break;
      case 'published':
        this.#compare(note);
        break;
      default: {
        this.#takeGrowing(note.market, note.roundNumber);
        this.#locked.delete(roundId(note.market, note.roundNumber));
      }
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

  #lock(market: number, roundNumber: number): void {
    const id = roundId(market, roundNumber);
    const tree = this.#takeGrowing(market, roundNumber) ?? new TreeStack(this.#hasher);
    const merkleRoot = Buffer.from(tree.root()).toString('hex');
    this.#locked.set(id, { market, roundNumber, merkleRoot, treeSize: tree.size, isMade: false });
  }

  #takeGrowing(market: number, roundNumber: number): TreeStack | undefined {
    const trees = must(this.#growing[market], 'the trees of a market');
    const tree = trees.get(roundNumber);
    trees.delete(roundNumber);
    return tree;
  }

  #compare({ market, roundNumber, merkleRoot, treeSize }: Tree): void {
    const id = roundId(market, roundNumber);
    const own = this.#locked.get(id);
    this.#locked.delete(id);
    // Where the shadow began behind the lock it has no root of its own.
    if (own === undefined || (own.merkleRoot === merkleRoot && own.treeSize === treeSize)) return;
    throw new JournalError(
      'replay_mismatch',
      `The journal has the Merkle root ${merkleRoot} of ${treeSize} bets for the round ${id}; the bets that it tells of have ` +
        `${own.merkleRoot}, of ${own.treeSize}. Neither is to be trusted before it is known which is wrong.`,
    );
  }

  #signed({ market, roundNumber, merkleRoot, treeSize }: Tree, { keyId, sign }: RootSigner): MadeRoot {
    const text = rootText(this.#seeds, { market, roundNumber, merkleRoot, treeSize });
    return { market, roundNumber, merkleRoot, treeSize, keyId, signature: sign(text) };
  }
}

export function rootText(seeds: RoundSeeds, { market, roundNumber, merkleRoot, treeSize }: Tree): string {
  const seedCommitment = seeds.commitment(market, roundNumber);
  return rootStatement({ roundId: roundId(market, roundNumber), seedCommitment, treeSize, merkleRoot });
}

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
