/** The configuration of a bare server, and the messages between it and its commit thread. */
import type { Batch } from '../../engine/model/ports.js';
import type { WireAnswer } from '../load/answer.js';

export interface BareConfig {
  readonly port: number;
  readonly gets: readonly { readonly path: string; readonly answer: WireAnswer }[];
  readonly post: WireAnswer;
  /** POSTs are committed there before they are answered; null for nowhere. */
  readonly commit: {
    readonly file: string;
    /** Each POST adds so many to its batch's row. */
    readonly commandBytes: number;
    /** `fsync` is synchronous=FULL, `os` is NORMAL. */
    readonly durability: 'fsync' | 'os';
  } | null;
}

/** From the bare server to its commit thread, and back: a batch, and the number of the last durable command. */
export type BareBatch = Omit<Batch, 'digest'>;
export type BareDurable = { readonly lastSeq: number };
