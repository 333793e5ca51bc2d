/** Lines about troubles that may come with every message: of each there is at most one a minute. */
import type { Clock } from '../../engine/model/ports.js';
import type { LogEvent } from '../../process/log/events.js';
import type { Log } from '../../process/log/log.js';

const EVERY_MS = 60_000;
/** Bound on troubles that are told apart; a service makes up no more than that in a minute. */
const TROUBLES_MAX = 100;

export class SeldomLog {
  readonly #writtenMs = new Map<string, number>();

  /** `feed` is a field of every line. */
  constructor(
    private readonly log: Pick<Log, 'write'>,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly feed: string,
  ) {}

  /** `about` tells troubles of the same event apart. */
  write(event: LogEvent, about: string, fields: object): void {
    const nowMs = this.clock.monotonicMs();
    const trouble = `${event} ${about}`;
    if (nowMs - (this.#writtenMs.get(trouble) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    if (this.#writtenMs.size >= TROUBLES_MAX) this.#writtenMs.clear();
    this.#writtenMs.set(trouble, nowMs);
    this.log.write(event, { feed: this.feed, ...fields });
  }
}
