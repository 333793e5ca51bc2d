/** Everything that happened to one round, from the archive and the journal (`HistoryReader.origin`). */

import type { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import { marketId, RESULT_NONE, roundId, SETTLED, timeFrameMs } from '../../../engine/model/domain.js';
import type {
  BetPlaced,
  OrderFilled,
  OrderPending,
  PastEvent,
  RoundNotOpened,
  SettlementFacts,
} from '../../../engine/model/events.js';
import type { RoundView } from '../../../engine/model/views.js';
import { type ArchivedRound, betOfFill } from '../../replay/archived-facts.js';
import type { Step } from '../../replay/history.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import type { HistoryReader, Origin, Source } from './history-reader.js';

/** A price with its time, source and evidence, from the journal. */
export interface Priced {
  readonly price: number | null;
  readonly priceTimeMs: number | null;
  /** The feed's name; null in old journals, where the evidence begins with it. */
  readonly source: string | null;
  readonly evidence: string;
}

export interface Instant {
  readonly seq: number;
  readonly timeMs: number;
}

export interface RoundBet {
  readonly placedSeq: number;
  /** Of a limit order that was filled, with odds, percent and payout of its fill. */
  readonly placed: BetPlaced | OrderPending;
  /** The fill of a limit order that has rested. */
  readonly filled: { readonly seq: number; readonly event: OrderFilled } | null;
  settledSeq: number | null;
  settled: SettlementFacts | null;
}

/** The stages of a round's life that it has reached, in order. */
export const ROUND_STAGES = ['upcoming', 'opened', 'locked', 'ended', 'resolved', 'settled'] as const;
export type RoundStage = (typeof ROUND_STAGES)[number];

const STAGE_OF: Partial<Readonly<Record<PastEvent['type'], RoundStage>>> = {
  roundUpcoming: 'upcoming',
  roundOpened: 'opened',
  roundLocked: 'locked',
  roundEnded: 'ended',
  roundResolved: 'resolved',
  roundSettled: 'settled',
};

export class RoundHistory {
  readonly id: string;
  /** The round in the engine; null if only the archive has it, or nothing. */
  view: RoundView | null = null;
  archived: ArchivedRound | null = null;
  readonly stages = new Map<RoundStage, Instant>();
  open: Priced | null = null;
  close: Priced | null = null;
  /** Why it did not open, or ''. */
  notOpened: RoundNotOpened['reason'] | '' = '';
  readonly bets = new Map<number, RoundBet>();
  /** Limit orders that rest, or have ended unfilled. */
  readonly unfilled = new Map<number, RoundBet>();
  /** Ledger entries of the house. */
  readonly houseEntries: LedgerEntry[] = [];
  /** Whether events of the round may be missing. */
  isWhole = true;

  constructor(
    readonly market: number,
    readonly roundNumber: number,
  ) {
    this.id = roundId(market, roundNumber);
  }

  get isKnown(): boolean {
    return this.view !== null || this.archived !== null || this.notOpened !== '';
  }
  get isOver(): boolean {
    return this.stages.has('settled') || this.archived !== null;
  }
  get result(): number {
    return this.view?.result ?? this.archived?.result ?? RESULT_NONE;
  }
  get status(): number {
    return this.view?.status ?? SETTLED;
  }

  /** Adds what a command did to the round. Bets and money up to command `archivedTo` are known already. */
  addStep({ seq, command, events, engine }: Step, archivedTo: number): void {
    for (const event of events) {
      if (!this.#isMine(event)) continue;
      if (seq > archivedTo) this.addEvent(seq, event);
      const stage = STAGE_OF[event.type];
      if (stage !== undefined) this.stages.set(stage, { seq, timeMs: event.timeMs });
      if (event.type === 'roundOpened') {
        this.open = pricedOf(command);
        // It may open late, when there was no price at its beginning.
        this.notOpened = '';
      }
      if (event.type === 'roundResolved') this.close = pricedOf(command);
      if (event.type === 'roundNotOpened') this.notOpened = event.reason;
    }
    this.view = engine.round(this.market, this.roundNumber) ?? this.view;
    if (this.notOpened !== '') this.view = null;
  }

  /** Takes the round from `engine`, unless the archive knows its later end. */
  look(engine: Engine): void {
    const view = engine.round(this.market, this.roundNumber);
    this.view = this.archived !== null && view?.status !== SETTLED ? null : view;
  }

  addEvent(seq: number, event: PastEvent): void {
    if (event.type === 'betPlaced' || event.type === 'orderPending') {
      const bets = event.type === 'betPlaced' ? this.bets : this.unfilled;
      bets.set(event.bet, { placedSeq: seq, placed: event, filled: null, settledSeq: null, settled: null });
    } else if (event.type === 'orderFilled') {
      this.#fill(seq, event);
    } else if (event.type === 'betSettled') {
      const bet = this.bets.get(event.bet) ?? this.unfilled.get(event.bet);
      if (bet !== undefined) Object.assign(bet, { settledSeq: seq, settled: event });
    } else if (event.type === 'balanceMoved') {
      const entry = ledgerEntryOf(seq, event);
      if (entry !== null) this.houseEntries.push(entry);
    }
  }

  #fill(seq: number, event: OrderFilled): void {
    const order = this.unfilled.get(event.bet);
    if (order === undefined) return;
    this.unfilled.delete(event.bet);
    this.bets.set(event.bet, {
      ...order,
      placed: betOfFill(order.placed, event),
      filled: { seq, event },
    });
  }

  #isMine(event: PastEvent): boolean {
    if ('roundNumber' in event) return event.market === this.market && event.roundNumber === this.roundNumber;
    if (event.type !== 'balanceMoved' || event.reference !== this.id) return false;
    return event.reason === 'seed' || event.reason === 'settlement';
  }
}

function pricedOf(command: Command): Priced | null {
  if (command.kind !== 'boundaryPrice' && command.kind !== 'openLate') return null;
  const { price, priceTimeMs, source, evidence } = command;
  return { price, priceTimeMs, source, evidence };
}

export interface FoundRound {
  readonly round: RoundHistory;
  /** At the requested command, or right after the end of the round. */
  readonly engine: Engine;
  readonly source: Source;
}

/**
 * What happened to the round up to command `toSeq`. The archive has finished rounds with their bets, but not where
 * prices are from and when each stage began. That, and rounds that it does not have, come from the journal.
 */
export function roundHistory(
  past: HistoryReader,
  market: number,
  roundNumber: number,
  toSeq: number,
  isReplay = false,
): FoundRound {
  const origin = past.origin(toSeq, isReplay);
  if (origin.source.kind === 'archive') {
    const found = fromOrigin(past, new RoundHistory(market, roundNumber), toSeq, origin);
    if (found.round.isKnown) return found;
  }
  const beforeSeq = past.history.seqAt(roundNumber * timeFrameMs(market) - 1);
  const engine = startBefore(past, Math.min(beforeSeq, toSeq));
  const archivedTo = engine.seq > beforeSeq ? engine.seq : 0;
  const words = `the journal, replayed from ${engine.seq === 0 ? 'its beginning' : `the snapshot at ${engine.seq}`}`;
  const source: Source = { kind: 'journal', words };
  return fromOrigin(past, new RoundHistory(market, roundNumber), toSeq, { engine, archivedTo, source });
}

function fromOrigin(past: HistoryReader, round: RoundHistory, toSeq: number, origin: Origin): FoundRound {
  const { engine, archivedTo, source } = origin;
  if (archivedTo > 0) addArchived(past, round, archivedTo);
  round.look(engine);
  if (!round.isOver) {
    for (const step of past.replay(engine, toSeq)) {
      round.addStep(step, archivedTo);
      if (round.isOver) break;
    }
  }
  // Stages before the snapshot are not known here, and showing only the others would be misleading.
  if (source.kind === 'archive') round.stages.clear();
  return { round, engine, source };
}

/** The newest state at or before `seq`, or else the oldest available. */
function startBefore(past: HistoryReader, seq: number): Engine {
  if (past.history.isFromFirst) return past.history.startFor(seq);
  const beginning = past.history.beginning();
  return seq > beginning.seq ? past.history.startFor(seq) : beginning;
}

function addArchived(past: HistoryReader, round: RoundHistory, beginningSeq: number): void {
  const only = { market: marketId(round.market), roundNumber: round.roundNumber };
  for (const { seq, event } of past.archive.events({ of: 'round', ...only }, beginningSeq))
    round.addEvent(seq, event);
  for (const archived of past.archive.rounds(beginningSeq, only)) round.archived = archived;
  round.isWhole = past.archive.isWhole(beginningSeq);
}
