/** Everything that happened to one round, from the journal and, where its beginning was deleted, the archive. */

import type { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import { marketId, RESULT_NONE, roundId, SETTLED, timeFrameMs } from '../../../engine/model/domain.js';
import type { BetPlaced, BetSettled, EngineEvent, RoundNotOpened } from '../../../engine/model/events.js';
import type { RoundView } from '../../../engine/model/views.js';
import type { Step } from '../../replay/history.js';
import type { ArchivedRound } from '../../replay/history-archive.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import type { HistoryReader } from './history-reader.js';

/** A price as the journal has it: what was decided by it stands with it. */
export interface Priced {
  readonly price: number | null;
  readonly priceTimeMs: number | null;
  readonly evidence: string;
}

export interface Instant {
  readonly seq: number;
  readonly timeMs: number;
}

export interface RoundBet {
  readonly placedSeq: number;
  readonly placed: BetPlaced;
  settledSeq: number | null;
  settled: BetSettled | null;
}

/** The instants of a round's life, in their order; those that have not come are not there. */
export const ROUND_STAGES = ['upcoming', 'opened', 'locked', 'ended', 'resolved', 'settled'] as const;
export type RoundStage = (typeof ROUND_STAGES)[number];

const STAGE_OF: Partial<Readonly<Record<EngineEvent['type'], RoundStage>>> = {
  roundUpcoming: 'upcoming',
  roundOpened: 'opened',
  roundLocked: 'locked',
  roundEnded: 'ended',
  roundResolved: 'resolved',
  roundSettled: 'settled',
};

export class RoundHistory {
  readonly id: string;
  /** The round itself; null where only the archive knows it, or nothing does. */
  view: RoundView | null = null;
  archived: ArchivedRound | null = null;
  readonly stages = new Map<RoundStage, Instant>();
  open: Priced | null = null;
  close: Priced | null = null;
  /** Why it did not open, or ''. */
  notOpened: RoundNotOpened['reason'] | '' = '';
  readonly bets = new Map<number, RoundBet>();
  /** What the house put in and got. */
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
    return this.stages.has('settled') || this.archived !== null || this.notOpened !== '';
  }
  get result(): number {
    return this.view?.result ?? this.archived?.result ?? RESULT_NONE;
  }
  get status(): number {
    return this.view?.status ?? SETTLED;
  }

  /** Takes in what a command did to the round. */
  addStep({ seq, command, events, engine }: Step): void {
    for (const event of events) {
      if (!this.#isMine(event)) continue;
      this.addEvent(seq, event);
      const stage = STAGE_OF[event.type];
      if (stage !== undefined) this.stages.set(stage, { seq, timeMs: event.timeMs });
      if (event.type === 'roundOpened') this.open = pricedOf(command);
      if (event.type === 'roundResolved') this.close = pricedOf(command);
      if (event.type === 'roundNotOpened') this.notOpened = event.reason;
    }
    this.view = engine.round(this.market, this.roundNumber) ?? this.view;
    if (this.notOpened !== '') this.view = null;
  }

  addEvent(seq: number, event: EngineEvent): void {
    if (event.type === 'betPlaced') {
      this.bets.set(event.bet, { placedSeq: seq, placed: event, settledSeq: null, settled: null });
    } else if (event.type === 'betSettled') {
      const bet = this.bets.get(event.bet);
      if (bet !== undefined) Object.assign(bet, { settledSeq: seq, settled: event });
    } else if (event.type === 'balanceMoved') {
      const entry = ledgerEntryOf(seq, event);
      if (entry !== null) this.houseEntries.push(entry);
    }
  }

  #isMine(event: EngineEvent): boolean {
    if ('roundNumber' in event) return event.market === this.market && event.roundNumber === this.roundNumber;
    if (event.type !== 'balanceMoved' || event.reference !== this.id) return false;
    return event.reason === 'seed' || event.reason === 'settlement';
  }
}

function pricedOf(command: Command): Priced | null {
  if (command.kind !== 'boundaryPrice' && command.kind !== 'openLate') return null;
  const { price, priceTimeMs, evidence } = command;
  return { price, priceTimeMs, evidence };
}

/** What happened to the round up to command `toSeq`, and an engine from there or from right after the round's end. */
export function roundHistory(
  past: HistoryReader,
  market: number,
  roundNumber: number,
  toSeq: number,
): { round: RoundHistory; engine: Engine } {
  const round = new RoundHistory(market, roundNumber);
  const beforeSeq = past.history.seqAt(roundNumber * timeFrameMs(market) - 1);
  const engine = startBefore(past, Math.min(beforeSeq, toSeq));
  if (engine.seq > beforeSeq) addArchived(past, round, engine.seq);
  round.view = engine.round(market, roundNumber);
  if (round.isOver) return { round, engine };
  for (const step of past.carryOn(engine, toSeq)) {
    round.addStep(step);
    if (round.isOver) break;
  }
  return { round, engine };
}

/** The newest state at or before `seq`, or the oldest that can be had. */
function startBefore(past: HistoryReader, seq: number): Engine {
  if (past.history.isFromFirst) return past.history.startFor(seq);
  const beginning = past.history.beginning();
  return seq > beginning.seq ? past.history.startFor(seq) : beginning;
}

function addArchived(past: HistoryReader, round: RoundHistory, beginningSeq: number): void {
  const only = { market: marketId(round.market), roundNumber: round.roundNumber };
  for (const { seq, event } of past.archived({ of: 'round', ...only }, beginningSeq))
    round.addEvent(seq, event);
  for (const archived of past.archivedRounds(beginningSeq, only)) round.archived = archived;
  round.isWhole = past.isWhole(beginningSeq);
}
