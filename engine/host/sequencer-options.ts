/** The sequencer's limits, callbacks and stages. */
import type { CommandKind } from '../model/commands.js';
import type { Outcome } from '../model/events.js';
import type { JournalLoss } from '../model/ports.js';
import type { ClockGuard } from './clock-guard.js';

export type Stage =
  | 'running'
  /** Orders are rejected; everything accepted becomes durable. */
  | 'draining'
  /** Everything is durable, and no command is accepted. */
  | 'drained'
  /** The engine threw. Earlier commands become durable, then the process exits. */
  | 'broken'
  /** The journal's files were deleted or replaced: nothing is acknowledged any more, and reads go on. */
  | 'lost'
  | 'failed';

/** For operators' figures. Called for every command, so it must be cheap. */
export interface SequencerMeter {
  command(kind: CommandKind, status: Outcome['status']): void;
  /** A batch has become durable, `commitMs` milliseconds after it was handed to the journal. */
  batch(commands: number, commitMs: number): void;
}

export interface SequencerOptions {
  /** Orders are refused while this many commands are not yet durable. */
  readonly backlogCommandsMax: number;
  readonly batchCommandsMax: number;
  /** Runs the function as soon as the work at hand has ended, before anything else is read. */
  readonly afterWork: (run: () => void) => void;
  /** Runs the function at the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  /** The process must exit with an error; nothing more is acknowledged. Called at most once. */
  readonly onFatal: (error: Error) => void;
  /** Free space has reached the hard limit: the journal must be drained and closed while there is room for that. */
  readonly onDiskFull: () => void;
  readonly onJournalLost: (loss: JournalLoss) => void;
  readonly meter: SequencerMeter;
  /** null for a manual clock, which cannot be wrong. */
  readonly clockGuard: ClockGuard | null;
}

export const SEQUENCER_DEFAULTS = {
  backlogCommandsMax: 50_000,
  batchCommandsMax: 1_000,
  onJournalLost: () => undefined,
  meter: { command: () => undefined, batch: () => undefined },
} as const satisfies Partial<SequencerOptions>;
