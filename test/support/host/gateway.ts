/**
 * Gateways in the same thread as the engine: the real rings, desk and board, with the threads left out, or with
 * threads that a test plays.
 */
import { must } from '../../../engine/base/assert.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { PublicApiParts } from '../../../http/api/services.js';
import { boardMemory, boardOf } from '../../../http/board/markets.js';
import { Rights, rightsMemory } from '../../../http/board/rights.js';
import { Broadcast, broadcastMemory } from '../../../http/broadcast/records.js';
import { type ConnectOptions, connectEngine, type SharedMemory } from '../../../http/desk/connect.js';
import { GatewayMeter } from '../../../http/metrics/gateway-meter.js';
import { OrderTraces, tracesMemory } from '../../../http/metrics/order-traces.js';
import { Link } from '../../../http/rings/link.js';
import { ringMemory } from '../../../http/rings/ring.js';
import { type GatewayEnd, RingService } from '../../../http/rings/service.js';
import { systemClock } from '../../../process/clock.js';

export interface NearGatewayOptions
  extends Pick<ConnectOptions, 'nowMs' | 'latestTick' | 'fairShare'>,
    Partial<Pick<ConnectOptions, 'deadmanNowMs' | 'heard' | 'onFault'>> {
  readonly sequencer: Sequencer;
  readonly schedule: (run: () => void) => void;
  /** Brings the engine's thread the message that wakes it; absent: `schedule`. */
  readonly wakeEngine?: (run: () => void) => void;
  /** One for each gateway; absent: one gateway in the engine's thread. */
  readonly threads?: readonly NearThread[];
  readonly cells?: { readonly requests: number; readonly replies: number };
  readonly onServe?: (gateway: GatewayEnd) => void;
}

export interface NearThread {
  readonly schedule: (run: () => void) => void;
  readonly wake: (run: () => void) => void;
}

export interface NearParts
  extends Pick<PublicApiParts, 'link' | 'meter' | 'traces' | 'rights' | 'board' | 'rules' | 'journalHead'> {
  readonly broadcast: Broadcast;
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
  threads = [{ schedule, wake: schedule }],
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
  const sources = { nowMs, latestTick, fairShare, deadmanNowMs, heard, onFault };
  const { desk, publisher, deadman } = connectEngine(sequencer, memory, sources);
  const service = new RingService({
    schedule,
    serve: (ring, gateway) => {
      onServe(gateway);
      desk.serve(ring, gateway);
    },
    beforeReplies: () => undefined,
    monotonicMs: () => 0,
  });
  const parts = threads.map((thread, gateway) => {
    const rings = { requests: ringMemory(cells.requests), replies: ringMemory(cells.replies) };
    const wake = (): void => wakeEngine(() => service.drain());
    const link = new Link(rings, { schedule: thread.schedule, wake });
    service.add(rings, () => thread.wake(() => link.drain()));
    return {
      link,
      meter: new GatewayMeter(),
      traces: new OrderTraces({ traces: tracesMemory(1), requestIdPrefix: 'test' }, systemClock),
      rights: new Rights(memory.rights),
      board: boardOf(memory.board),
      broadcast: new Broadcast(memory.broadcast, gateway),
      rules: () => must(engine.rules, 'rules in force'),
      journalHead: () => null,
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
