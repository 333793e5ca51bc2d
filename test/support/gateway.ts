/** A gateway in the same thread as the engine: the real rings, desk and board, with the threads left out. */
import { must } from '../../engine/base/assert.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { PublicApiParts } from '../../http/api/public-api.js';
import { type FairShare, type LatestTick, MarketPublisher } from '../../http/board/market-publisher.js';
import { boardMemory, boardOf } from '../../http/board/markets.js';
import { Rights, RightsWriter, rightsMemory } from '../../http/board/rights.js';
import { Desk } from '../../http/desk/desk.js';
import { Link } from '../../http/rings/link.js';
import { ringMemory } from '../../http/rings/ring.js';
import { RingService } from '../../http/rings/service.js';

export interface NearGatewayOptions {
  readonly sequencer: Sequencer;
  readonly nowMs: () => number;
  readonly latestTick: LatestTick;
  readonly fairShare: FairShare;
  /** Runs the function at the end of this turn. */
  readonly schedule: (run: () => void) => void;
  readonly gateways?: number;
}

export interface NearGateways {
  /** What each gateway's API is made of. */
  readonly parts: readonly Pick<PublicApiParts, 'link' | 'rights' | 'board' | 'rules'>[];
  /** Publishes market data, and sends replies that found no room. */
  pump(): void;
}

const CELLS = 1 << 14;

export function nearGateways({
  sequencer,
  nowMs,
  latestTick,
  fairShare,
  schedule,
  gateways = 1,
}: NearGatewayOptions): NearGateways {
  const { engine } = sequencer;
  const memory = { rights: rightsMemory(), board: boardMemory() };
  const rights = new RightsWriter(memory.rights, engine);
  const publisher = new MarketPublisher(boardOf(memory.board), engine, latestTick, (market) =>
    fairShare(market, nowMs()),
  );
  sequencer.onEvents(
    (_seq, events) => {
      rights.onEvents(events);
      publisher.onEvents(events);
    },
    (bets) => publisher.onBets(bets),
  );
  const desk = new Desk(sequencer, { nowMs, latestTick, fairShare });
  const service = new RingService({
    schedule,
    serve: (ring, gateway) => desk.serve(ring, gateway),
    beforeReplies: () => undefined,
  });
  const parts = Array.from({ length: gateways }, () => {
    const rings = { requests: ringMemory(CELLS), replies: ringMemory(CELLS) };
    const link = new Link(rings, { schedule, wake: () => schedule(() => service.drain()) });
    service.add(rings, () => schedule(() => link.drain()));
    return {
      link,
      rights: new Rights(memory.rights),
      board: boardOf(memory.board),
      rules: () => must(engine.rules, 'rules in force'),
    };
  });
  return {
    parts,
    pump() {
      publisher.publish();
      service.retry();
    },
  };
}
