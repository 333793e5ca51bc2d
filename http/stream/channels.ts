/** The five channels of one gateway. Events are sent when there are new ones, newest states now and then. */
import type { Scope } from '../../engine/model/domain.js';
import type { Board } from '../board/markets.js';
import type { Broadcast } from '../broadcast/records.js';
import type { Link } from '../link/link.js';
import type { Channel } from '../wire/stream-requests.js';
import type { Moment } from '../wire/stream-text.js';
import { AccountChannel } from './account.js';
import type { StreamChannel } from './channel.js';
import type { Connection } from './connection.js';
import { FanOut } from './fan-out.js';
import { FillsChannel } from './fills.js';
import { MarketsChannel } from './markets.js';
import { PricesChannel } from './prices.js';
import { RoundsChannel } from './rounds.js';

/** While so many messages are being sent, no new events are read: they wait in the log, which is bounded. */
const WAITING_MAX = 256;
/** Sending newest states takes at most one part in so many of the thread's time. */
const FLUSH_SHARE = 5;

export const SCOPE_OF: Readonly<Record<Channel, Scope>> = {
  markets: 'markets:read',
  prices: 'markets:read',
  rounds: 'markets:read',
  fills: 'positions:read',
  account: 'positions:read',
};

export interface ChannelParts {
  readonly link: Link;
  readonly board: Board;
  readonly broadcast: Broadcast;
  /** Differs for each start of the server. */
  readonly run: string;
  readonly monotonicMs: () => number;
  /** The newest state of a market or price is sent at once, and then not again for so long. */
  readonly flushMs: number;
  /** In another turn of the event loop. */
  readonly schedule: (run: () => void) => void;
}

export class Channels {
  readonly fanOut: FanOut;
  readonly by: ReturnType<typeof openChannels>;
  /** The fan-out has got all events up to this command. */
  toldSeq = 0;
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  #accountsFlushedAtMs = Number.NEGATIVE_INFINITY;
  #busyMsAtFlush = 0;
  #isReadScheduled = false;

  constructor(
    private readonly parts: ChannelParts,
    private readonly moment: () => Moment,
  ) {
    this.fanOut = new FanOut(parts);
    this.by = openChannels(parts, this.fanOut, moment);
  }

  leave(connection: Connection): void {
    for (const channel of Object.values(this.by)) channel.unsubscribe(connection);
  }

  /**
   * To be called before a subscription: the others must not miss what its snapshot has. While they have had their share of
   * the time it is a snapshot of the last flush, or whoever subscribes again and again would have them sent every change.
   */
  prepare(name: Channel): void {
    const channel: StreamChannel = this.by[name];
    const nowMs = this.parts.monotonicMs();
    if (channel.subscribers === 0 || !this.#isBusy(nowMs)) channel.sendChanges?.(nowMs);
  }

  onRoom(connection: Connection): void {
    this.by.rounds.onRoom(connection);
    this.by.fills.onRoom(connection);
  }

  /** Also asks to be woken by the next news, if anybody listens to any. */
  read(): void {
    this.by.account.read();
    if (this.fanOut.waiting > WAITING_MAX || this.#isReadScheduled) return;
    const { broadcast, schedule } = this.parts;
    const { markets, prices, rounds, fills } = this.by;
    const events = rounds.subscribers + fills.subscribers;
    if (events + markets.subscribers + prices.subscribers > 0) broadcast.sleep();
    // Read before the logs, which have everything up to it.
    const { seq } = this.moment();
    if (rounds.read() && fills.read()) {
      this.toldSeq = seq;
    } else {
      this.#isReadScheduled = true;
      schedule(() => {
        this.#isReadScheduled = false;
        this.read();
      });
    }
  }

  flush(): void {
    const { flushMs, monotonicMs } = this.parts;
    const nowMs = monotonicMs();
    if (this.#isBusy(nowMs)) return;
    this.#flushedAtMs = nowMs;
    this.#busyMsAtFlush = this.fanOut.busyMs;
    const { markets, prices, account } = this.by;
    if (markets.subscribers > 0) markets.sendChanges(nowMs, flushMs);
    if (prices.subscribers > 0) prices.sendChanges(nowMs, flushMs);
    if (account.subscribers === 0 || nowMs - this.#accountsFlushedAtMs < flushMs) return;
    this.#accountsFlushedAtMs = nowMs;
    account.flush();
  }

  #isBusy(nowMs: number): boolean {
    const busyMs = this.fanOut.busyMs - this.#busyMsAtFlush;
    return this.fanOut.waiting > 0 || nowMs - this.#flushedAtMs < busyMs * FLUSH_SHARE;
  }
}

function openChannels(parts: ChannelParts, fanOut: FanOut, moment: () => Moment) {
  const { board, broadcast, link } = parts;
  const source = { ...parts, startSeq: broadcast.startSeq, moment };
  return {
    markets: new MarketsChannel(board, fanOut, moment),
    prices: new PricesChannel(board, fanOut, moment),
    account: new AccountChannel(broadcast.bets, link, fanOut, moment),
    rounds: new RoundsChannel({ ...source, log: broadcast.rounds }, fanOut),
    fills: new FillsChannel({ ...source, log: broadcast.bets }, fanOut),
  } satisfies Readonly<Record<Channel, StreamChannel>>;
}
