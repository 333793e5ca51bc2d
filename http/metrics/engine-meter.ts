/** Counts and times of the engine's thread: commands, batches and their commits. */
import type { SequencerMeter } from '../../engine/host/sequencer-options.js';
import { COMMAND_KINDS } from '../../engine/model/command-codec.js';
import type { CommandKind } from '../../engine/model/commands.js';
import type { Outcome } from '../../engine/model/events.js';
import { count, Layout, observe, observeMs } from './cells.js';
import { COMMANDS, MICROSECONDS } from './scale.js';
import { threadPlaces } from './thread-meter.js';

export const OUTCOMES = ['accepted', 'replayed', 'rejected'] as const satisfies readonly Outcome['status'][];

export const ENGINE_LAYOUT = new Layout();
export const ENGINE_PLACES = {
  thread: threadPlaces(ENGINE_LAYOUT),
  /** By kind and outcome. */
  commands: ENGINE_LAYOUT.cells(COMMAND_KINDS.length * OUTCOMES.length),
  batchCommands: ENGINE_LAYOUT.histogram(COMMANDS),
  commit: ENGINE_LAYOUT.histogram(MICROSECONDS),
  publish: ENGINE_LAYOUT.histogram(MICROSECONDS),
} as const;

const kindPlaces = new Map(COMMAND_KINDS.map((kind, at) => [kind, at * OUTCOMES.length]));
const ORDER = ENGINE_PLACES.commands + COMMAND_KINDS.indexOf('placeOrder') * OUTCOMES.length;

export class EngineMeter implements SequencerMeter {
  readonly sheet: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.sheet = ENGINE_LAYOUT.sheet(memory);
  }

  command(kind: CommandKind, status: Outcome['status']): void {
    // Nearly all are orders.
    const place = kind === 'placeOrder' ? ORDER : ENGINE_PLACES.commands + (kindPlaces.get(kind) ?? 0);
    count(this.sheet, place + (status === 'accepted' ? 0 : status === 'replayed' ? 1 : 2));
  }

  batch(commands: number, commitMs: number): void {
    observe(this.sheet, ENGINE_PLACES.batchCommands, COMMANDS, commands);
    observeMs(this.sheet, ENGINE_PLACES.commit, commitMs);
  }

  /** The replicated log has a batch. */
  published(tookMs: number): void {
    observeMs(this.sheet, ENGINE_PLACES.publish, tookMs);
  }
}
