/** The configuration file that the suite writes for a bare server, and the server's reply. */
import type { WireAnswer } from '../load/answer.js';

export interface BareConfig {
  readonly gets: readonly { readonly path: string; readonly answer: WireAnswer }[];
  /** Answer to every POST with a JSON body. */
  readonly post: WireAnswer;
  /** Where POSTs are committed before they are answered; null for nowhere. */
  readonly commit: {
    readonly file: string;
    /** Bytes that each POST adds to its batch's row. */
    readonly commandBytes: number;
    /** `fsync` is synchronous=FULL, `os` is NORMAL. */
    readonly durability: 'fsync' | 'os';
  } | null;
}

export type FromBare = { readonly type: 'listening'; readonly port: number };

/** From the bare server to its commit thread, and back: a batch, and the number of the last durable command. */
export interface BareBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timeMs: number;
  readonly commands: string;
}
export type BareDurable = { readonly lastSeq: number };
