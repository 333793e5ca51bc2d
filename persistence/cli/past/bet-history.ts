/** Everything that happened to one bet and its round, from the archive and the journal (`HistoryReader.origin`). */
import { assert, must } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import { betId, marketId } from '../../../engine/model/domain.js';
import type { BetPlaced, OrderPending, PastEvent } from '../../../engine/model/events.js';
import { JournalError } from '../../errors.js';
import type { ArchivedEvent } from '../../replay/history-archive.js';
import type { HistoryReader, Source } from './history-reader.js';
import { type RoundBet, RoundHistory } from './round-history.js';

export interface BetHistory {
  readonly bet: RoundBet;
  readonly round: RoundHistory;
  readonly engine: Engine;
  /** Whether entry percent and client seed are known. They are not if the archive began while the bet was open. */
  readonly isWhole: boolean;
  readonly source: Source;
}

/** What happened to bet number `bet` up to command `toSeq`. Throws `not_found`. */
export function betHistory(past: HistoryReader, bet: number, toSeq: number, isReplay = false): BetHistory {
  const { engine, archivedTo, source } = past.origin(toSeq, isReplay);
  const archived = [...past.archive.events({ of: 'bet', bet }, archivedTo)];
  let round = archived.length === 0 ? null : roundOfArchived(past, archived, engine, archivedTo);
  let placedSeq = archived[0]?.seq ?? 0;
  if (round?.isOver !== true) {
    for (const step of past.replay(engine, toSeq)) {
      for (const event of step.events) {
        if (round !== null || !isPlaced(event) || event.bet !== bet) continue;
        round = new RoundHistory(event.market, event.roundNumber);
        placedSeq = step.seq;
      }
      round?.addStep(step, archivedTo);
      if (round?.isOver === true) break;
    }
  }
  const found = round?.bets.get(bet) ?? round?.unfilled.get(bet);
  if (round === null || found === undefined) throw notThere(past, bet, engine, toSeq);
  return { bet: found, round, engine, isWhole: placedSeq > 0, source };
}

const isPlaced = (event: PastEvent): event is BetPlaced | OrderPending =>
  event.type === 'betPlaced' || event.type === 'orderPending';

/** The round with the events of this bet from the archive; the other bets are not read. */
function roundOfArchived(
  past: HistoryReader,
  archived: readonly ArchivedEvent[],
  engine: Engine,
  archivedTo: number,
): RoundHistory {
  const { event } = must(archived[0], 'event of an archived bet');
  assert(isPlaced(event), 'a bet is placed before anything else');
  const round = new RoundHistory(event.market, event.roundNumber);
  for (const fact of archived) round.addEvent(fact.seq, fact.event);
  const only = { market: marketId(event.market), roundNumber: event.roundNumber };
  for (const row of past.archive.rounds(archivedTo, only)) round.archived = row;
  round.look(engine);
  return round;
}

function notThere(past: HistoryReader, bet: number, engine: Engine, toSeq: number): JournalError {
  const isForgotten = !past.history.isFromFirst && bet <= engine.betCount;
  return new JournalError(
    'not_found',
    isForgotten
      ? `${betId(bet)} was placed before the past that is left begins.`
      : `There is no ${betId(bet)} up to sequence number ${toSeq}.`,
  );
}
