/**
 * Gives the shadow's bets, packed, to the thread that makes roots: hashing bets costs several times as much as
 * replaying them.
 */
import type { EngineReads } from '../../engine/engine.js';
import { LIVE, MARKETS_MAX, UPCOMING } from '../../engine/model/domain.js';
import type { EngineEvent, HashedBet } from '../../engine/model/events.js';
import type { RoundView } from '../../engine/model/views.js';
import { awaitsRoot } from '../../engine/reads/round-bets.js';
import { BET_CELLS, type RootNote, type RootNotes } from './messages.js';

const BETS_PACKED_MAX = 1_024;

export type FeedEngine = Pick<EngineReads, 'currentRound' | 'unsettledRounds' | 'seq'> & {
  roundBets(market: number, roundNumber: number): Iterable<HashedBet>;
};

export class RootFeed {
  #notes: RootNote[] = [];
  #isBeginning = true;
  #cells = new Float64Array(BETS_PACKED_MAX * BET_CELLS);
  #seeds: (string | null)[] | null = null;
  #bets = 0;

  constructor(
    private readonly engine: FeedEngine,
    private readonly post: (notes: RootNotes) => void,
  ) {
    for (let market = 0; market < MARKETS_MAX; market++) this.#addOpen(engine.currentRound(market));
    for (const round of engine.unsettledRounds()) this.#addOpen(round);
    this.tell();
  }

  add(events: readonly EngineEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'betPlaced':
          this.#addBet(event);
          break;
        case 'orderFilled':
          // A resting order becomes a bet at its fill; its hash has the time at which it was placed.
          this.#addBet({ ...event, timeMs: event.placedAtMs });
          break;
        case 'roundLocked':
          this.#note('locked', event);
          break;
        case 'rootPublished': {
          const { market, roundNumber, merkleRoot, treeSize } = event;
          this.#pack();
          this.#notes.push({ kind: 'published', market, roundNumber, merkleRoot, treeSize });
          break;
        }
        case 'roundSettled':
          this.#note('dropped', event);
          break;
        default:
          break;
      }
    }
  }

  tell(): void {
    this.#pack();
    if (this.#notes.length === 0 && !this.#isBeginning) return;
    this.post({ isBeginning: this.#isBeginning, notes: this.#notes, reachedSeq: this.engine.seq });
    this.#isBeginning = false;
    this.#notes = [];
  }

  /** Leaves out resolved rounds: some of their bets may have left memory, and they are settled at once. */
  #addOpen(round: RoundView | null): void {
    if (round === null || round.status === UPCOMING) return;
    if (round.status !== LIVE && !awaitsRoot(round)) return;
    for (const bet of this.engine.roundBets(round.market, round.roundNumber)) this.#addBet(bet);
    if (round.status !== LIVE) this.#note('locked', round);
  }

  #addBet(bet: HashedBet): void {
    const at = this.#bets * BET_CELLS;
    const cells = this.#cells;
    cells[at] = bet.timeMs;
    cells[at + 1] = bet.bet;
    cells[at + 2] = bet.market;
    cells[at + 3] = bet.roundNumber;
    cells[at + 4] = bet.side;
    cells[at + 5] = bet.stakeCents;
    cells[at + 6] = bet.oddsE4;
    cells[at + 7] = bet.entryPercentE2;
    cells[at + 8] = bet.payoutCents;
    if (bet.clientSeed !== null) this.#seeds ??= [];
    if (this.#seeds !== null) this.#seeds[this.#bets] = bet.clientSeed;
    this.#bets += 1;
    if (this.#bets === BETS_PACKED_MAX) this.#pack();
  }

  #note(
    kind: 'locked' | 'dropped',
    { market, roundNumber }: Pick<RoundView, 'market' | 'roundNumber'>,
  ): void {
    this.#pack();
    this.#notes.push({ kind, market, roundNumber });
  }

  #pack(): void {
    if (this.#bets === 0) return;
    this.#notes.push({
      kind: 'bets',
      cells: this.#cells.slice(0, this.#bets * BET_CELLS),
      clientSeeds: this.#seeds,
    });
    this.#bets = 0;
    this.#seeds = null;
  }
}
