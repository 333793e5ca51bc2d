/**
 * Tells the maker of roots which bets have joined which round since it was last asked, and which rounds have locked.
 * It reads the engine of the server itself: a bet that is not durable yet is lost together with its round's lock.
 */
import type { Engine } from '../../engine/engine.js';
import { LIVE } from '../../engine/model/domain.js';
import type { HashedBet } from '../../engine/model/events.js';
import type { RoundView } from '../../engine/model/views.js';
import { awaitsRoot, type RoundBets, unfinishedRounds } from '../../engine/reads/round-bets.js';
import { BET_CELLS, type RootNote } from './messages.js';

const BETS_PACKED_MAX = 1_024;
/** Orders wait meanwhile: a server that has just begun may have millions of open bets. */
const BETS_AT_ONCE = 4_096;

type FeedEngine = Pick<Engine, 'currentRound' | 'unsettledRounds' | 'roundBets'>;

const isOpen = (round: RoundView): boolean => round.status === LIVE || awaitsRoot(round);

export class RootFeed {
  /** By open round: how far its bets were told. */
  readonly #growing = new Map<RoundView, RoundBets>();
  /** Told of, and waiting for their roots. */
  readonly #locked = new Set<RoundView>();
  readonly #cells = new Float64Array(BETS_PACKED_MAX * BET_CELLS);
  #notes: RootNote[] = [];
  #seeds: (string | null)[] | null = null;
  #bets = 0;
  #room = 0;

  constructor(
    private readonly engine: FeedEngine,
    private readonly post: (notes: readonly RootNote[]) => void,
    private readonly betsAtOnce = BETS_AT_ONCE,
  ) {}

  /** The next call goes on where too many bets have joined for one. */
  tell(): void {
    this.#room = this.betsAtOnce;
    for (const round of this.#openRounds()) this.#read(round);
    this.#dropEnded();
    this.#pack();
    if (this.#notes.length === 0) return;
    this.post(this.#notes);
    this.#notes = [];
  }

  /** The one that locks first comes first: its root is wanted first. */
  #openRounds(): readonly RoundView[] {
    return unfinishedRounds(this.engine)
      .filter((round) => isOpen(round) && !this.#locked.has(round))
      .sort((one, other) => one.lockTimeMs - other.lockTimeMs);
  }

  #read(round: RoundView): void {
    let bets = this.#growing.get(round);
    if (bets === undefined) {
      bets = this.engine.roundBets(round.market, round.roundNumber);
      this.#growing.set(round, bets);
    }
    for (; this.#room > 0; this.#room--) {
      const bet = bets.next();
      if (bet !== null) {
        this.#add(bet);
        continue;
      }
      if (round.status !== LIVE) this.#lock(round);
      break;
    }
  }

  #lock(round: RoundView): void {
    this.#growing.delete(round);
    this.#locked.add(round);
    this.#note('locked', round);
  }

  #dropEnded(): void {
    for (const round of this.#locked) if (!isOpen(round)) this.#locked.delete(round);
    for (const round of this.#growing.keys()) {
      if (isOpen(round)) continue;
      this.#growing.delete(round);
      this.#note('dropped', round);
    }
  }

  #add(bet: HashedBet): void {
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

  #note(kind: 'locked' | 'dropped', { market, roundNumber }: RoundView): void {
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
