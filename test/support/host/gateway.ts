/**
 * Gateways in the same thread as the engine: the real links, desk and board, by calls, or by rings between threads
 * that a test plays.
 */
import { betHashesMemory } from '../../../crypto/bet-hashes.js';
import { fail, must } from '../../../engine/base/assert.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { PublicApiParts } from '../../../http/api/services.js';
import { boardMemory, boardOf } from '../../../http/board/markets.js';
import { Rights, rightsMemory } from '../../../http/board/rights.js';
import { Broadcast, broadcastMemory } from '../../../http/broadcast/records.js';
import { type ConnectOptions, connectEngine, type SharedMemory } from '../../../http/desk/connect.js';
import { NearLink } from '../../../http/desk/near-link.js';
import { serveRing } from '../../../http/desk/serve-ring.js';
import type { Link } from '../../../http/link/link.js';
import { GatewayMeter } from '../../../http/metrics/gateway-meter.js';
import { OrderTraces, tracesMemory } from '../../../http/metrics/order-traces.js';
import { RingLink } from '../../../http/rings/link.js';
import { ringMemory } from '../../../http/rings/ring.js';
import { type GatewayEnd, RingService } from '../../../http/rings/service.js';
import { systemClock } from '../../../process/clock.js';

interface NearGatewayOptions
  extends Pick<ConnectOptions, 'nowMs' | 'latestTick' | 'fairShare'>,
    Partial<Pick<ConnectOptions, 'deadmanNowMs' | 'heard' | 'onFault'>> {
  readonly sequencer: Sequencer;
  readonly schedule: (run: () => void) => void;
  /** Brings the engine's thread the message that wakes it; absent: `schedule`. */
  readonly wakeEngine?: (run: () => void) => void;
  /** One for each gateway; absent or null: one gateway in the engine's thread. */
  readonly threads?: readonly NearThread[] | null;
  readonly cells?: { readonly requests: number; readonly replies: number };
  readonly onServe?: (gateway: GatewayEnd) => void;
}

interface NearThread {
  readonly schedule: (run: () => void) => void;
  readonly wake: (run: () => void) => void;
}

export interface NearParts
  extends Pick<
    PublicApiParts,
    'link' | 'meter' | 'traces' | 'rights' | 'board' | 'rules' | 'journalHead' | 'betHashes' | 'openStream'
  > {
  readonly broadcast: Broadcast;
  readonly run: string;
}

export interface NearGateways {
  readonly memory: SharedMemory;
  readonly parts: readonly NearParts[];
  /** Publishes market data, and sends replies that found no room. */
  pump(): void;
}

/** A reply with the longest list takes less than a quarter of its ring. */
const CELLS = { requests: 1 << 14, replies: 1 << 16 };

export function nearGateways({
  sequencer,
  nowMs,
  latestTick,
  fairShare,
  schedule,
  wakeEngine = schedule,
  threads = null,
  cells = CELLS,
  onServe = () => undefined,
  deadmanNowMs = nowMs,
  heard = () => 0,
  onFault = (error) => {
    throw error;
  },
}: NearGatewayOptions): NearGateways {
  const { engine } = sequencer;
  const memory = { rights: rightsMemory(), board: boardMemory(), broadcast: broadcastMemory() };
  const sources = { nowMs, latestTick, fairShare, orderShareE6: fairShare, deadmanNowMs, heard, onFault };
  const { desk, publisher, deadman } = connectEngine(sequencer, memory, sources);
  const service = new RingService({
    schedule,
    serve: (ring, gateway) => {
      onServe(gateway);
      serveRing(desk, ring, gateway);
    },
    beforeReplies: () => undefined,
    monotonicMs: () => 0,
  });
  const farLink = (thread: NearThread): Link => {
    const rings = { requests: ringMemory(cells.requests), replies: ringMemory(cells.replies) };
    const wake = (): void => wakeEngine(() => service.drain());
    const link = new RingLink(rings, { schedule: thread.schedule, wake });
    service.add(rings, () => thread.wake(() => link.drain()));
    return link;
  };
  const nearLink = (): Link =>
    new NearLink({ desk: () => desk, schedule, beforeReply: () => undefined, monotonicMs: () => 0 });
  const links = threads === null ? [nearLink()] : threads.map(farLink);
  const parts = links.map((link, gateway) => {
    return {
      link,
      meter: new GatewayMeter(),
      traces: new OrderTraces({ traces: tracesMemory(1), requestIdPrefix: 'test' }, systemClock),
      rights: new Rights(memory.rights),
      board: boardOf(memory.board),
      broadcast: new Broadcast(memory.broadcast, gateway),
      run: 'one',
      rules: () => must(engine.rules, 'rules in force'),
      journalHead: () => null,
      betHashes: betHashesMemory(),
      openStream: () => fail('no stream is served'),
    };
  });
  return {
    memory,
    parts,
    pump() {
      publisher.publish();
      deadman.pump();
      service.retry();
    },
  };
}
