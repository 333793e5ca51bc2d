import type { TestContext } from 'node:test';
import type { PriceFeed, PriceTick } from '../../../engine/model/ports.js';
import { TestClock } from '../../support/host/host.js';

/** Items that come one after the other, for a test to wait for. */
export class Seen<T> {
  readonly all: T[] = [];
  #read = 0;
  #wake: (() => void) | null = null;

  add(item: T): void {
    this.all.push(item);
    this.#wake?.();
    this.#wake = null;
  }

  async next(): Promise<T> {
    while (this.#read >= this.all.length) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.all[this.#read++] as T;
  }

  async nextWhere(fits: (item: T) => boolean): Promise<T> {
    for (;;) {
      const item = await this.next();
      if (fits(item)) return item;
    }
  }
}

export class SeenLog extends Seen<{ readonly event: string; readonly fields: Record<string, unknown> }> {
  write(event: string, fields: object = {}): void {
    this.add({ event, fields: { ...fields } });
  }

  ofEvent(event: string): Promise<{ readonly event: string; readonly fields: Record<string, unknown> }> {
    return this.nextWhere((line) => line.event === event);
  }
}

/** Its ticks are seen until the test ends. */
export async function startFeed<S extends { close(): void }, F extends PriceFeed>(
  t: TestContext,
  service: S,
  make: (parts: { readonly clock: TestClock; readonly random: () => number; readonly log: SeenLog }) => F,
) {
  const clock = new TestClock();
  const log = new SeenLog();
  const ticks = new Seen<PriceTick>();
  const feed = make({ clock, random: () => 0, log });
  t.after(() => {
    feed.stop();
    service.close();
  });
  feed.start((tick) => {
    ticks.add(tick);
    return { taken: true };
  });
  return { service, clock, log, ticks, feed };
}

interface Reconnecting {
  readonly clock: TestClock;
  readonly feed: { poll(): void };
  readonly log: SeenLog;
}

export async function waitOut({ clock, feed, log }: Reconnecting) {
  const { fields } = await log.ofEvent('feed_disconnected');
  const { reason, waitMs } = fields as { reason: string; waitMs: number };
  clock.pass(waitMs);
  feed.poll();
  return { reason, waitMs };
}
