/**
 * Appends a leader's messages to the replicated log, each behind the one before: the expected last sequence is the
 * fence that keeps out a leader that was overtaken.
 *
 * A message whose answer was lost is sent again under the same id and with the same expectation. Either the log has
 * it, then or now, or another message stands in its place, and shows a successor.
 *
 * A log that has lost messages may come to the same number a second time, with a successor's in front of it. So
 * before a message is sent again, the one before it must be seen in its place; where there may be a successor, also
 * at first and afterwards.
 */
import { JournalError } from '../../errors.js';
import { decodeMessage, encodeMessage, idOf, type LogMessage } from './message.js';
import type { Patience } from './patience.js';
import {
  type LeaseEntry,
  type LogEntry,
  type LogPlace,
  PlaceTaken,
  type ReplicatedLog,
} from './replicated-log.js';

/** After so many refusals in a row without a message in the place, the log has lost messages. */
export const REFUSALS_MAX = 80;

export class Appender {
  #refusals = 0;

  /** The next message will be behind `end`. */
  constructor(
    private readonly log: ReplicatedLog,
    private end: LogPlace,
    private readonly patience: Patience,
    private readonly mayBeSucceeded: () => boolean,
  ) {}

  get lastSequence(): number {
    return this.end.sequence;
  }

  /**
   * Resolves once the message is in the log. Throws `replication_fenced` if another one is in its place or in that of
   * the one before it, and `replication_went_back` if the log has lost the latter.
   */
  async append(message: LogMessage): Promise<void> {
    const bytes = encodeMessage(message);
    const id = idOf(message);
    let isRepeated = false;
    await this.patience.until(async () => {
      if (isRepeated || this.mayBeSucceeded()) await this.#checkEnd();
      isRepeated = true;
      await this.#attempt(bytes, id);
    });
    if (this.mayBeSucceeded()) await this.patience.until(() => this.#checkEnd());
    this.end = { sequence: this.end.sequence + 1, id };
    this.#refusals = 0;
  }

  /** Throws as `append` does, also if a message is behind the last one. */
  async confirm(): Promise<void> {
    const next = await this.patience.until(async () => {
      await this.#checkEnd();
      return this.log.read(this.end.sequence + 1);
    });
    if (next !== null) throw fenced(next);
  }

  async #attempt(bytes: Uint8Array, id: string): Promise<void> {
    try {
      await this.log.append(bytes, id, this.end.sequence);
    } catch (thrown) {
      if (!(thrown instanceof PlaceTaken)) throw thrown;
      const there = await this.log.read(this.end.sequence + 1);
      if (there === null) return this.#refused();
      if (there.id !== id) throw fenced(there);
    }
  }

  async #checkEnd(): Promise<void> {
    const { sequence, id } = this.end;
    if (sequence === 0) return;
    const there = await this.log.read(sequence);
    if (there === null) {
      // A leader may have deleted it: then this process does not lead.
      const { first } = await this.log.bounds();
      const beyond = first > sequence ? await this.log.read(first) : null;
      if (beyond !== null) throw fenced(beyond);
      return this.#refused();
    }
    if (there.id !== id) throw fenced(there);
  }

  async #refused(): Promise<never> {
    this.#refusals += 1;
    if (this.#refusals >= REFUSALS_MAX) {
      const { last } = await this.log.bounds();
      if (last < this.end.sequence) throw wentBack(this.end.sequence, last);
    }
    throw new Error('the log refuses a message and does not show which one it has instead');
  }
}

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

/** A successor writes the lease after the takeover. */
export function overtaken({ holder, epoch }: LeaseEntry): JournalError {
  return new JournalError(
    'replication_fenced',
    `This server does not lead any more: ${holder} has written its lease, with epoch ${epoch}. Nothing more is acknowledged. Start it again as a ` +
      'standby (TOTE_ROLE=auto does that).',
  );
}

function wentBack(had: number, last: number): JournalError {
  return new JournalError(
    'replication_went_back',
    `The NATS servers have lost what they had acknowledged: the replicated log had message ${had}, and ends at ${last} now. The journal here has ` +
      'all of it. Start this server again: it publishes anew what the log has lost.',
  );
}
