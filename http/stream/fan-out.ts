/**
 * Sends messages to many: each was rendered once, and goes to the members of its group. They are sent in order, in
 * short slices with turns of the event loop in between, so that no order waits for a thousand subscribers.
 */
import type { Connection } from './connection.js';

const SLICE_MS_MAX = 1;
/** Between two readings of the clock. */
const TOLD_AT_ONCE = 16;

/**
 * Each member has the number up to which it has got the group's messages: that of the snapshot with which it began, or
 * of the last old event.
 */
export class Group {
  readonly members = new Map<Connection, number>();
}

interface Delivery {
  readonly members: Iterator<[Connection, number]>;
  readonly number: number;
  readonly tell: (connection: Connection) => void;
}

interface FanOutOptions {
  readonly monotonicMs: () => number;
  /** In another turn of the event loop. */
  readonly schedule: (run: () => void) => void;
}

export class FanOut {
  readonly #queue: Delivery[] = [];
  #isScheduled = false;
  busyMs = 0;
  readonly #continue: () => void;

  constructor(private readonly options: FanOutOptions) {
    this.#continue = () => {
      this.#isScheduled = false;
      this.#work();
    };
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Members that have this number already are passed over. A later number is sent later. */
  send(group: Group, number: number, text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    this.tellEach(group, number, (connection) => connection.send(bytes));
  }

  /** As `send`: `tell` has each member when its turn comes. */
  tellEach({ members }: Group, number: number, tell: Delivery['tell']): void {
    if (members.size === 0) return;
    this.#queue.push({ members: members.entries(), number, tell });
    if (!this.#isScheduled) this.#work();
  }

  #work(): void {
    const { monotonicMs, schedule } = this.options;
    const beganMs = monotonicMs();
    const untilMs = beganMs + SLICE_MS_MAX;
    let isOver = false;
    while (!isOver && this.#queue[0] !== undefined) {
      if (tellSome(this.#queue[0])) this.#queue.shift();
      isOver = monotonicMs() >= untilMs;
    }
    this.busyMs += monotonicMs() - beganMs;
    if (this.#queue.length === 0) return;
    this.#isScheduled = true;
    schedule(this.#continue);
  }
}

/** Returns true once all have the message. A member may join or leave meanwhile. */
function tellSome({ members, number, tell }: Delivery): boolean {
  for (let told = 0; told < TOLD_AT_ONCE; ) {
    const next = members.next();
    if (next.done === true) return true;
    const [connection, has] = next.value;
    if (has >= number) continue;
    tell(connection);
    told += 1;
  }
  return false;
}
