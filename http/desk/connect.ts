/** Connects the engine with the memory that gateways read, and with the desk that serves their requests. */
import { Deadman, type DeadmanOptions } from '../../engine/host/deadman.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { MarketPublisher } from '../board/market-publisher.js';
import { type BoardMemory, boardOf, DURABLE_SEQ } from '../board/markets.js';
import { type RightsMemory, RightsWriter } from '../board/rights.js';
import { BroadcastPublisher } from '../broadcast/publisher.js';
import type { BroadcastMemory } from '../broadcast/records.js';
import { Desk, type DeskOptions } from './desk.js';

export interface SharedMemory {
  readonly rights: RightsMemory;
  readonly board: BoardMemory;
  readonly broadcast: BroadcastMemory;
}

export interface ConnectOptions extends DeskOptions {
  /** For `Deadman`. */
  readonly deadmanNowMs: DeadmanOptions['nowMs'];
  readonly heard: DeadmanOptions['heard'];
}

export type Connected = ReturnType<typeof connectEngine>;

/** The engine's state must be durable. From then on rights, market data and broadcast follow its events. */
export function connectEngine(sequencer: Sequencer, memory: SharedMemory, options: ConnectOptions) {
  const { engine } = sequencer;
  const { nowMs, latestTick, fairShare } = options;
  const rights = new RightsWriter(memory.rights, engine);
  const shareNow = (market: number): number => fairShare(market, nowMs());
  const board = boardOf(memory.board);
  const publisher = new MarketPublisher(board, engine, latestTick, shareNow);
  const position = new Float64Array(1);
  const writePosition = (seq: number): void => {
    position[DURABLE_SEQ] = seq;
    board.journal.write(0, position);
  };
  writePosition(sequencer.durableSeq);
  const broadcaster = new BroadcastPublisher(memory.broadcast, engine);
  sequencer.onEvents(
    (seq, events) => {
      rights.onEvents(events);
      publisher.onEvents(events);
      broadcaster.onEvents(seq, events);
    },
    (bets) => {
      publisher.onBets(bets);
      broadcaster.onBets(bets);
    },
    (firstSeq, lastSeq) => {
      publisher.publishBets();
      broadcaster.onEnd(firstSeq, lastSeq);
      // Before the batch's answers are sent: a client that has one reads no older number. After the broadcast: the logs
      // have everything up to a number that can be read.
      writePosition(lastSeq);
    },
    (events) => broadcaster.onApplied(events),
  );
  const tellOutrun = (): void => rights.setOutrun(sequencer.mayBeSucceeded);
  const { deadmanNowMs, heard } = options;
  const deadman = new Deadman({ sequencer, nowMs: deadmanNowMs, heard });
  return { desk: new Desk(sequencer, deadman, options), publisher, broadcaster, deadman, tellOutrun };
}
