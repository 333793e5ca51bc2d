/**
 * The highest epoch that this machine has seen. It outlives the process, and a log that has lost its newest messages: an epoch
 * that was once led is never led again.
 */
export interface EpochMemory {
  readonly highest: number;
  /** Remembers `epoch` if it is higher. It is durable on return. */
  raise(epoch: number): void;
}
