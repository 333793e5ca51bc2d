/**
 * The messages of the replicated log: a line of JSON, and behind it the text of a batch.
 *
 * A batch is published with its checksum and chain hash, so that a reader checks it as a row of the journal. One that
 * is longer than the servers take is sent in parts. Only the last part makes it a batch: parts without it, left by a
 * leader that ended, are followed by a takeover and count for nothing.
 */
import { assert } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../errors.js';
import { type ChainPosition, faultOfRow } from '../../journal/segment/batch-row.js';

/** Most batches have one part. */
export interface BatchPart {
  readonly kind: 'batch';
  /** Counts the takeovers, up to that of the batch's leader. */
  readonly epoch: number;
  readonly row: Omit<StoredBatch, 'commands'>;
  readonly part: number;
  readonly parts: number;
  /** UTF-8 of the part's share of the commands. */
  readonly text: Uint8Array;
}

export interface Takeover {
  readonly kind: 'takeover';
  readonly epoch: number;
  readonly node: string;
  /** Different for each start of a process, so that no two takeovers are one message. */
  readonly run: string;
  /** The leader's first batch follows this position. */
  readonly position: ChainPosition;
}

export type LogMessage = BatchPart | Takeover;

const LINE_END = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true });

export function encodeMessage(message: LogMessage): Uint8Array {
  if (message.kind === 'takeover') return Buffer.from(`${JSON.stringify(message)}\n`);
  const { text, ...head } = message;
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), text]);
}

/** Throws `replication_damaged` if these bytes are no message of this version. */
export function decodeMessage(bytes: Uint8Array, sequence: number): LogMessage {
  try {
    const end = bytes.indexOf(LINE_END);
    const head = JSON.parse(decoder.decode(bytes.subarray(0, end))) as LogMessage;
    assert(head.kind === 'batch' || head.kind === 'takeover', 'it is a batch or a takeover');
    return head.kind === 'takeover' ? head : { ...head, text: bytes.subarray(end + 1) };
  } catch (cause) {
    throw damagedLog(sequence, 'it is no message of this version of the server', cause);
  }
}

/**
 * The same for each attempt to publish the message, and for no other message. The id has the epoch, since a successor
 * that publishes a lost batch anew makes another message of it.
 */
export function idOf(message: LogMessage): string {
  if (message.kind === 'takeover') return `takeover.${message.epoch}.${message.run}`;
  const { epoch, part, parts, row } = message;
  return parts === 1 ? `${row.chain}.${epoch}` : `${row.chain}.${epoch}.${part}`;
}

export function partsOf({ commands, ...row }: StoredBatch, epoch: number, textBytesMax: number): BatchPart[] {
  const text = Buffer.from(commands);
  const parts = Math.max(1, Math.ceil(text.length / textBytesMax));
  return Array.from({ length: parts }, (_, index) => ({
    kind: 'batch',
    epoch,
    row,
    part: index + 1,
    parts,
    text: text.subarray(index * textBytesMax, (index + 1) * textBytesMax),
  }));
}

export function positionAfter(message: LogMessage): ChainPosition | null {
  if (message.kind === 'takeover') return message.position;
  return message.part === message.parts ? { lastSeq: message.row.lastSeq, chain: message.row.chain } : null;
}

export class BatchJoiner {
  #parts: BatchPart[] = [];

  /** `epoch` is that of the last takeover read; 0 if there was none yet. */
  constructor(
    private position: ChainPosition,
    private epoch = 0,
  ) {}

  get at(): ChainPosition {
    return this.position;
  }
  get lastEpoch(): number {
    return this.epoch;
  }

  /** null if the message completes no batch. Throws `replication_damaged`. */
  add(message: LogMessage, sequence: number): StoredBatch | null {
    if (message.kind === 'takeover') {
      this.#parts = [];
      const { lastSeq, chain } = message.position;
      if (lastSeq !== this.position.lastSeq || chain !== this.position.chain)
        throw damagedLog(
          sequence,
          `it takes over at ${lastSeq}, but the log has come to ${this.position.lastSeq}`,
        );
      if (message.epoch <= this.epoch)
        throw damagedLog(sequence, `its epoch ${message.epoch} is not a new one`);
      this.epoch = message.epoch;
      return null;
    }
    if (this.epoch !== 0 && message.epoch !== this.epoch)
      throw damagedLog(sequence, `it is of epoch ${message.epoch}, but ${this.epoch} leads`);
    this.epoch = message.epoch;
    if (message.part === 1) this.#parts = [];
    const isNext =
      message.part === this.#parts.length + 1 &&
      (this.#parts[0]?.row.chain ?? message.row.chain) === message.row.chain;
    if (!isNext) throw damagedLog(sequence, 'it is not the next part of its batch');
    this.#parts.push(message);
    return message.part === message.parts ? this.#join(message, sequence) : null;
  }

  #join({ row: columns }: BatchPart, sequence: number): StoredBatch {
    const commands = Buffer.concat(this.#parts.map(({ text }) => text)).toString('utf8');
    this.#parts = [];
    const row = { ...columns, commands };
    const fault = faultOfRow(this.position, row);
    if (fault !== null) throw damagedLog(sequence, fault);
    this.position = { lastSeq: row.lastSeq, chain: row.chain };
    return row;
  }
}

function damagedLog(sequence: number, fault: string, cause?: unknown): JournalError {
  return new JournalError(
    'replication_damaged',
    `Message ${sequence} of the replicated log is not as it must be: ${fault}. Only tote servers of this exchange ` +
      'may publish to its stream. Make another stream, and let the leader of the last good state begin it.',
    { cause },
  );
}
