/**
 * Planted bugs, to see that they are found. They live here alone: a wrapper around a part that the simulation hands in,
 * or a method of a real class that is exchanged for the time of one run.
 */
import type { JournalStore } from '../../engine/ports.js';
import type { SimJournalWriter, WriterHost } from './journal-writer.js';
import type { SimStore } from './store.js';

export interface Mutation {
  readonly name: string;
  /** The bug, in a few words. */
  readonly bug: string;
  readonly store?: (real: SimStore) => JournalStore;
  readonly writer?: (store: JournalStore, host: WriterHost) => SimJournalWriter;
  readonly install?: () => void;
  readonly uninstall?: () => void;
}
