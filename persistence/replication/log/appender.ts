/**
 * Appends a leader's messages to the replicated log, one after the other, each behind the one before: the expected last
 * sequence is the fence that keeps out whoever has been overtaken.
 *
 * What became of a message whose answer was lost is never assumed. It is sent again under the same id and with the same
 * expectation, which can have two outcomes. The log has it, then or now. Or its place is taken, and the message that stands
 * there says by whom: by this one, or by a successor's.
 */
import { JournalError } from '../../errors.js';
import { decodeMessage, encodeMessage, idOf, type LogMessage } from './message.js';
import type { Patience } from './patience.js';
import { type LogEntry, PlaceTaken, type ReplicatedLog } from './replicated-log.js';

/**
 * A server of the log that has slept may lead it without its newest messages: it refuses every message, and shows none in its
 * place. After so many refusals in a row another one is to lead.
 */
const REFUSALS_MAX = 100;

export class Appender {
  #refusals = 0;

  /** The next message will be behind `lastSequence`. */
  constructor(
    private readonly log: ReplicatedLog,
    private sequence: number,
    private readonly patience: Patience,
  ) {}

  /** Number of the last message that is known to be in the log. */
  get lastSequence(): number {
    return this.sequence;
  }

  /** Resolves once the message is in the log. Throws `replication_fenced` if another message is in its place. */
  async append(message: LogMessage): Promise<void> {
    const bytes = encodeMessage(message);
    const id = idOf(message);
    await this.patience.until(() => this.#attempt(bytes, id));
    this.sequence += 1;
    this.#refusals = 0;
  }

  async #attempt(bytes: Uint8Array, id: string): Promise<void> {
    try {
      await this.log.append(bytes, id, this.sequence);
    } catch (thrown) {
      if (!(thrown instanceof PlaceTaken)) throw thrown;
      const there = await this.log.read(this.sequence + 1);
      if (there === null) return this.#refused();
      if (there.id !== id) throw fenced(there);
    }
  }

  async #refused(): Promise<never> {
    this.#refusals += 1;
    if (this.#refusals % REFUSALS_MAX === 0) await this.log.stepDown();
    throw new Error('the log refuses a message and does not show which one it has instead');
  }
}

/** The end of a leader that was overtaken by `entry`. */
export function fenced({ sequence, bytes }: LogEntry): JournalError {
  const message = decodeMessage(bytes, sequence);
  const who =
    message.kind === 'takeover'
      ? `${message.node} has taken over with epoch ${message.epoch}`
      : `a message of epoch ${message.epoch} is in its place`;
  return new JournalError(
    'replication_fenced',
    `This server does not lead any more: message ${sequence} of the replicated log says that ${who}. Nothing more is acknowledged. ` +
      'Start it again as a standby (TOTE_ROLE=auto does that).',
  );
}
