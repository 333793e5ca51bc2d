/** Messages between the event loop, the reader's thread and the shadow's. Those of gateways are in the engine's model. */
import type { MessagePort } from 'node:worker_threads';

export interface PastOptions {
  /** The file of the archive. */
  readonly path: string;
  /** To the shadow, which writes the archive. */
  readonly shadow: MessagePort;
}

export type ToPast =
  /** The port of another gateway. */
  { readonly kind: 'gateway'; readonly port: MessagePort };

/** A sentence for operators. */
export interface FromPast {
  readonly text: string;
}

/** Someone waits for the archive to come as far as this command. */
export type ToArchivist = number;

/** `opened`: it may be another file by now. Else the last command in it. */
export type FromArchivist = 'opened' | number;
