/** A price feed that comes over one connection, which it keeps: the shared part of all services' feeds. */
import { must } from '../../engine/base/assert.js';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import type { Clock, PriceTick, TickVerdict } from '../../engine/model/ports.js';
import type { LogEvent } from '../../process/log/events.js';
import type { Log } from '../../process/log/log.js';
import { type Ended, KeptConnection, type Listener } from './kept-connection.js';
import { Lateness } from './lateness.js';
import { type FeedView, type LiveFeed, ON_STANDBY, type UpdateCounts } from './live-feed.js';

const STOPPED: TickVerdict = { taken: false, detail: 'the feed is stopped' };
/** Remembered, a time further ahead of the clock would make all prices until then old ones. */
const AHEAD_MS_MAX = 60_000;
const NO_UPDATES: UpdateCounts = { taken: 0, refused: 0, standby: 0, repeated: 0, unsure: 0 };

export interface FeedOptions {
  readonly clock: Clock;
  /** From 0 to below 1, for the waits between connections. */
  readonly random: () => number;
  readonly log: Pick<Log, 'write'>;
}

export abstract class ConnectedFeed implements LiveFeed {
  newestMs = 0;
  protected readonly log: SeldomLog;
  readonly #clock: Clock;
  readonly #connection: KeptConnection;
  readonly #counts = ASSETS.map((): UpdateCounts => ({ ...NO_UPDATES }));
  readonly #lateness = ASSETS.map(() => new Lateness());
  #malformed = 0;
  #sink: ((tick: PriceTick) => TickVerdict) | null = null;

  constructor(
    readonly name: string,
    private readonly assets: readonly number[],
    { clock, random, log }: FeedOptions,
  ) {
    this.#clock = clock;
    this.log = new SeldomLog(log, clock, name);
    this.#connection = new KeptConnection({
      dial: (listener, signal) => this.connect(listener, signal),
      clock,
      random,
      onOpened: () => log.write('feed_connected', { feed: name }),
      onEnded: (reason, waitMs) => log.write('feed_disconnected', { feed: name, reason, waitMs }),
    });
  }

  protected abstract connect(listener: Listener, signal: AbortSignal): Promise<Ended>;
  protected abstract get excluded(): ReadonlyMap<Asset, string>;

  start(sink: (tick: PriceTick) => TickVerdict): void {
    this.#sink = sink;
    this.#connection.start();
  }

  poll(): void {
    this.#connection.poll();
  }

  stop(): void {
    this.#sink = null;
    this.#connection.stop();
  }

  covers(asset: number): boolean {
    return this.assets.includes(asset) && !this.excluded.has(must(ASSETS[asset], 'a known asset'));
  }

  latenessMs(asset: number): number | null {
    return this.#lateness[asset]?.ms ?? null;
  }

  view(): FeedView {
    const byAsset = <T>(read: (asset: number) => T): Partial<Record<Asset, T>> =>
      Object.fromEntries(this.assets.map((asset) => [ASSETS[asset], read(asset)]));
    return {
      name: this.name,
      connection: this.#connection.view,
      excluded: Object.fromEntries(this.excluded),
      updates: byAsset((asset) => this.countsOf(asset)),
      latenessMs: byAsset((asset) => this.latenessMs(asset)),
      malformed: this.#malformed,
    };
  }

  protected countsOf(asset: number): UpdateCounts {
    return must(this.#counts[asset], 'counts of the asset');
  }

  protected countMalformed(messages: number): void {
    if (messages === 0) return;
    this.#malformed += messages;
    this.log.write('feed_malformed', 'malformed', { malformed: this.#malformed });
  }

  /** Measures a new price of the asset, whether it is passed on or not. Returns false if it is to be forgotten. */
  protected hears(asset: number, timeMs: number): boolean {
    const lateMs = this.#clock.nowMs() - timeMs;
    if (lateMs < -AHEAD_MS_MAX) {
      this.countsOf(asset).refused++;
      return false;
    }
    this.newestMs = Math.max(this.newestMs, timeMs);
    this.#lateness[asset]?.add(lateMs);
    return true;
  }

  protected offer(tick: PriceTick): TickVerdict {
    const counts = this.countsOf(tick.asset);
    const verdict = this.#sink?.(tick) ?? STOPPED;
    if (verdict === ON_STANDBY) counts.standby++;
    else counts[verdict.taken ? 'taken' : 'refused']++;
    return verdict;
  }
}

const EVERY_MS = 60_000;
/** A service may make up more troubles of an event in a minute: these are not logged. */
const TROUBLES_MAX = 100;

class SeldomLog {
  /** By event, then by what it was about. */
  readonly #writtenMs = new Map<LogEvent, Map<string, number>>();

  constructor(
    private readonly log: Pick<Log, 'write'>,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly feed: string,
  ) {}

  /** `about` tells troubles of the same event apart. */
  write(event: LogEvent, about: string, fields: object): void {
    const nowMs = this.clock.monotonicMs();
    const ofEvent = this.#writtenMs.get(event) ?? new Map<string, number>();
    this.#writtenMs.set(event, ofEvent);
    for (const [other, writtenMs] of ofEvent) if (nowMs - writtenMs >= EVERY_MS) ofEvent.delete(other);
    if (ofEvent.has(about) || ofEvent.size >= TROUBLES_MAX) return;
    ofEvent.set(about, nowMs);
    this.log.write(event, { feed: this.feed, ...fields });
  }
}
