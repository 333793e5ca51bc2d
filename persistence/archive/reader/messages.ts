/** Messages between the event loop, the reader's thread and the shadow's. The engine's model has those of gateways. */
import type { MessagePort } from 'node:worker_threads';
import type { ArchiveRequest } from '../../../engine/model/archive-reads.js';

export interface ReaderOptions {
  readonly path: string;
  readonly shadow: MessagePort;
}

/** A gateway asks its first question; the others come through its port. */
export interface ToReader {
  readonly port: MessagePort;
  readonly first: ArchiveRequest;
}

/** Why a question could not be answered. Damage stays until the archive is another file. */
export interface ReadFailure {
  readonly text: string;
  readonly isDamage: boolean;
}

/** Someone waits for the archive to reach this command, or the archive could not be read. */
export type FromReader = number | ReadFailure;

/** `opened`: the archive may be another file by now. A number: the last command in it. */
export type ReaderNews = 'opened' | number;
