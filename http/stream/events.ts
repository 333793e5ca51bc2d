/**
 * The base of the channels of events, which give each subscription every event once. A subscription first catches up:
 * it is sent the log's events from its number on, up to those that the channel has sent to all others. Then it joins
 * them. A client for whom much waits is sent the rest of the old events when there is room.
 *
 * The engine's thread waits for no channel: if it overwrites what subscribers have not been sent yet, they must begin
 * anew.
 */
import type { BroadcastReader } from '../broadcast/log.js';
import { SEQ, TIME_MS } from '../broadcast/records.js';
import { workFor } from '../kit/client-work.js';
import { Refused } from '../kit/refused.js';
import type { EventChannel, Subscribe } from '../wire/stream-requests.js';
import { eventsText, type Moment, subscribedText } from '../wire/stream-text.js';
import { endAll, type StreamChannel } from './channel.js';
import type { Connection } from './connection.js';
import type { Group } from './fan-out.js';

const RECORDS_AT_ONCE = 4_096;
const SLICE_MS_MAX = 1;

interface CatchUp {
  readonly connection: Connection;
  readonly id: number;
  /** Returns JSON, or null if the record is not for this subscription. */
  readonly textOf: (record: Float64Array) => string | null;
  /** Joins the others, from `seq` on. */
  readonly join: (seq: number) => void;
  at: number;
  seq: number;
}

export interface EventSource {
  readonly log: BroadcastReader;
  /** The log has no events up to this command. */
  readonly startSeq: number;
  /** Names this start of the server: another may give the numbers after `startSeq` to other commands. */
  readonly run: string;
  readonly moment: () => Moment;
  readonly monotonicMs: () => number;
  readonly schedule: (run: () => void) => void;
}

export abstract class EventsChannel implements StreamChannel {
  readonly #catchUps = new Map<Connection, CatchUp>();
  readonly #record: Float64Array;
  #isScheduled = false;
  protected position = 0;

  constructor(
    private readonly channel: EventChannel,
    protected readonly source: EventSource,
    fields: number,
  ) {
    this.#record = new Float64Array(fields);
  }

  abstract get joined(): number;
  /** Sends a record to all who have joined. Records of one command come one after another. */
  protected abstract sendToAll(record: Float64Array): void;
  protected abstract endOfCommand(moment: Moment): void;
  /** Forgets the events of a command that was not read to its end; returns all who have joined. */
  protected abstract dropCommand(): Iterable<Group>;
  protected abstract leave(connection: Connection): void;
  protected abstract prepare(connection: Connection, request: Subscribe): Pick<CatchUp, 'textOf' | 'join'>;

  get subscribers(): number {
    return this.joined + this.#catchUps.size;
  }

  subscribe(connection: Connection, request: Subscribe): void {
    const { log, startSeq, moment, run } = this.source;
    const now = moment();
    const since = request.since ?? now.seq;
    const isOfRun = request.since === undefined || request.run === run;
    // An event may be told a moment before its number is.
    const { end } = log;
    const isPast = since <= now.seq || (log.firstAfter(since - 1) ?? end) < end;
    const isKnown = isOfRun && since >= startSeq && isPast;
    const at = isKnown ? log.firstAfter(since) : null;
    if (at === null) {
      connection.refuse(request.id, outOfMemory(since));
      return;
    }
    this.unsubscribe(connection);
    const { id, markets = null } = request;
    // First, because a slow client's stream may end while it is sent the answer.
    const catchUp = { connection, id, ...this.prepare(connection, request), at, seq: since };
    this.#catchUps.set(connection, catchUp);
    connection.catchUps += 1;
    connection.send(subscribedText(now, { id, channel: this.channel, markets }, { since, run }));
    this.#schedule();
  }

  unsubscribe(connection: Connection): void {
    if (this.#catchUps.delete(connection)) connection.catchUps -= 1;
    this.leave(connection);
  }

  onRoom(connection: Connection): void {
    if (this.#catchUps.has(connection)) this.#schedule();
  }

  /** Returns false if some events are left for another turn. */
  read(): boolean {
    if (this.joined === 0) return true;
    const { monotonicMs } = this.source;
    const untilMs = monotonicMs() + SLICE_MS_MAX;
    const read = this.#forEachCommand(
      this.position,
      this.source.log.end,
      (record) => this.sendToAll(record),
      (moment) => this.endOfCommand(moment),
      () => monotonicMs() < untilMs,
    );
    if (read !== null) {
      this.position = read;
      return read === this.source.log.end;
    }
    this.position = this.source.log.end;
    endAll(this.channel, this.dropCommand());
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.source.schedule(() => {
      this.#isScheduled = false;
      this.#work();
    });
  }

  /** Those without room are passed over: `onRoom` follows. */
  #work(): void {
    const { monotonicMs } = this.source;
    const untilMs = monotonicMs() + SLICE_MS_MAX;
    for (const [connection, catchUp] of this.#catchUps) {
      if (!connection.hasRoom) continue;
      workFor(connection, () => this.#continue(catchUp, () => monotonicMs() < untilMs));
      if (monotonicMs() < untilMs) continue;
      this.#schedule();
      return;
    }
  }

  #continue(catchUp: CatchUp, isInTime: () => boolean): void {
    const { connection, textOf, join } = catchUp;
    // No others have joined, so there is nobody to keep up with.
    if (this.joined === 0) this.position = this.source.log.end;
    let parts: string[] = [];
    const read = this.#forEachCommand(
      catchUp.at,
      this.position,
      (record) => {
        const text = textOf(record);
        if (text !== null) parts.push(text);
      },
      (moment) => {
        catchUp.seq = moment.seq;
        if (parts.length > 0) connection.send(eventsText(this.channel, moment, parts));
        parts = [];
      },
      () => isInTime() && connection.hasRoom,
    );
    if (read === null) {
      this.unsubscribe(connection);
      connection.refuse(catchUp.id, outOfMemory(catchUp.seq));
      return;
    }
    catchUp.at = Math.max(catchUp.at, read);
    if (!this.#catchUps.delete(connection)) return;
    if (catchUp.at < this.position) {
      // Behind the others.
      this.#catchUps.set(connection, catchUp);
      return;
    }
    connection.catchUps -= 1;
    join(catchUp.seq);
  }

  /**
   * Reads a bounded number of records, whole commands only. Returns the next position, or null if it was overwritten.
   */
  #forEachCommand(
    from: number,
    end: number,
    onRecord: (record: Float64Array) => void,
    onEnd: (moment: Moment) => void,
    goOn: () => boolean,
  ): number | null {
    const record = this.#record;
    let seq = -1;
    let timeMs = 0;
    for (let at = from; at < end; at++) {
      if (!this.source.log.read(at, record)) return null;
      const next = record[SEQ] as number;
      if (seq >= 0 && next !== seq) {
        onEnd({ seq, timeMs });
        if (at - from >= RECORDS_AT_ONCE || !goOn()) return at;
      }
      seq = next;
      timeMs = record[TIME_MS] as number;
      onRecord(record);
    }
    if (seq >= 0) onEnd({ seq, timeMs });
    return end;
  }
}

const outOfMemory = (since: number): Refused =>
  new Refused(
    'resync_required',
    `not all events after ${since} of its run are in memory: subscribe without since, then read what you missed`,
  );
