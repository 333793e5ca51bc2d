/**
 * Sends messages to many: each was rendered once, and goes to the members of its group. They are sent in order, in short
 * slices with turns of the event loop in between, so that no order waits for a thousand subscribers.
 */
import type { Connection } from './connection.js';

/** Longest slice, in milliseconds. */
const SLICE_MS_MAX = 1;
/** The clock is read once per this many messages. */
const SENT_AT_ONCE = 16;

/**
 * Those who get the same messages. Each has the number up to which it has already got what is sent here: that of the
 * snapshot with which it began, or of the last old event.
 */
export class Group {
  readonly members = new Map<Connection, number>();
}

interface Delivery {
  readonly members: Iterator<[Connection, number]>;
  readonly number: number;
  readonly text: Uint8Array;
  readonly isFor: (connection: Connection) => boolean;
}

const everybody = (_connection: Connection): boolean => true;

export interface FanOutOptions {
  readonly monotonicMs: () => number;
  /** Runs the function in another turn of the event loop. */
  readonly schedule: (run: () => void) => void;
}

export class FanOut {
  readonly #queue: Delivery[] = [];
  #isScheduled = false;
  /** Time spent with sending so far, in milliseconds. */
  busyMs = 0;
  readonly #continue: () => void;

  constructor(private readonly options: FanOutOptions) {
    this.#continue = () => {
      this.#isScheduled = false;
      this.#work();
    };
  }

  /** Messages that are not sent to all yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Sends `text` to the members that have not got what has this number, as far as it is for them when their turn comes. A
   * later number is sent later.
   */
  send({ members }: Group, number: number, text: string, isFor = everybody): void {
    if (members.size === 0) return;
    this.#queue.push({ members: members.entries(), number, text: Buffer.from(text, 'latin1'), isFor });
    if (!this.#isScheduled) this.#work();
  }

  #work(): void {
    const { monotonicMs, schedule } = this.options;
    const beganMs = monotonicMs();
    const untilMs = beganMs + SLICE_MS_MAX;
    let isOver = false;
    while (!isOver && this.#queue[0] !== undefined) {
      if (sendSome(this.#queue[0])) this.#queue.shift();
      isOver = monotonicMs() >= untilMs;
    }
    this.busyMs += monotonicMs() - beganMs;
    if (this.#queue.length === 0) return;
    this.#isScheduled = true;
    schedule(this.#continue);
  }
}

/** Returns whether the message has been sent to all. A member that joins or leaves meanwhile does not disturb. */
function sendSome({ members, number, text, isFor }: Delivery): boolean {
  for (let sent = 0; sent < SENT_AT_ONCE; ) {
    const next = members.next();
    if (next.done === true) return true;
    const [connection, has] = next.value;
    if (has >= number || !isFor(connection)) continue;
    connection.send(text);
    sent += 1;
  }
  return false;
}
