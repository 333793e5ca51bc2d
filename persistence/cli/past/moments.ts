/** The options for a moment or a range of the look. Invalid ones end the command with exit code 2. */
import { InvalidArgumentError, Option } from 'commander';
import { JournalError, messageOf } from '../../errors.js';
import { UsageError } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { parseSeq, parseTimeMs } from '../frame/options.js';
import type { Look } from './look.js';

/** A sequence number, or the last command at or before a time. */
export type Moment = { readonly seq: number } | { readonly timeMs: number };

const SEQ_DIGITS_MAX = 10;

/** A sequence number has at most ten digits; anything else is a time. */
export function parseMoment(text: string): Moment {
  if (/^\d+$/.test(text) && text.length <= SEQ_DIGITS_MAX) return { seq: parseSeq(text) };
  try {
    return { timeMs: parseTimeMs(text) };
  } catch (thrown) {
    throw new InvalidArgumentError(`Expected a sequence number, or else: ${messageOf(thrown)}`);
  }
}

export interface AtOptions {
  readonly atSeq?: number;
  readonly atTime?: number;
}

export const AT_OPTIONS: readonly Option[] = [
  new Option('--at-seq <N>', 'as it was right after this sequence number').argParser(parseSeq),
  new Option('--at-time <TIME>', 'as it was at this time').argParser(parseTimeMs).conflicts('atSeq'),
];

/** By default the last command. Throws `UsageError`, and `not_found` for a time before the rest of the journal. */
export function seqOf(look: Look, { atSeq, atTime }: AtOptions): number {
  if (atTime === undefined) return atSeq ?? look.lastSeq;
  refuseFuture(look, '--at-time', atTime);
  const seq = look.history.seqAt(atTime);
  // No command before the journal's first one has its time, but a snapshot has that of the last of them.
  if (seq < look.history.firstSeq && look.history.startFor(seq).timeMs > atTime) {
    throw new JournalError(
      'not_found',
      `The state at ${isoText(atTime)} cannot be worked out any more: the past that is left begins later.`,
    );
  }
  return seq;
}

export interface RangeOptions {
  readonly from?: Moment;
  readonly to?: Moment;
}

export const RANGE_OPTIONS: readonly Option[] = [
  new Option('--from <SEQ|TIME>', 'first command (default: the first there is)').argParser(parseMoment),
  new Option('--to <SEQ|TIME>', 'last command (default: the last there is)').argParser(parseMoment),
];

export interface Range {
  /** `toSeq + 1` if no command is in the range. */
  readonly fromSeq: number;
  readonly toSeq: number;
}

/**
 * Without `--from` the range begins at `defaultFromSeq`. An end beyond the last command is that command. Throws
 * `UsageError` if the range begins beyond it, or after its own end.
 */
export function rangeOf(
  look: Look,
  { from, to }: RangeOptions,
  defaultFromSeq: (toSeq: number) => number,
): Range {
  const toSeq = to === undefined ? look.lastSeq : lastOf(look, to);
  if (from === undefined) return { fromSeq: Math.min(defaultFromSeq(toSeq), toSeq + 1), toSeq };
  if (to !== undefined && isBehind(from, to)) throw outOfOrder();
  if ('timeMs' in from) refuseFuture(look, '--from', from.timeMs);
  const fromSeq = 'seq' in from ? from.seq : look.history.seqAt(from.timeMs - 1) + 1;
  if (fromSeq > look.lastSeq + 1) {
    throw new UsageError(`--from is sequence number ${fromSeq}: the journal ends at ${look.lastSeq}.`);
  }
  if (fromSeq > toSeq + 1) throw outOfOrder();
  return { fromSeq, toSeq };
}

const outOfOrder = (): UsageError =>
  new UsageError('--from lies behind --to: the range ends before it begins.');

const lastOf = (look: Look, moment: Moment): number =>
  'seq' in moment ? Math.min(moment.seq, look.lastSeq) : look.history.seqAt(moment.timeMs);

/** Compares two numbers or two times. A number and a time are compared by the commands between them. */
function isBehind(from: Moment, to: Moment): boolean {
  if ('seq' in from) return 'seq' in to && from.seq > to.seq;
  return 'timeMs' in to && from.timeMs > to.timeMs;
}

/** Throws if neither the wall clock has reached the time nor the journal, whose clock may have been moved by hand. */
function refuseFuture(look: Look, option: string, timeMs: number): void {
  if (timeMs <= Date.now() || look.history.seqAt(timeMs - 1) < look.lastSeq) return;
  throw new UsageError(`${option} is ${isoText(timeMs)}: that lies in the future.`);
}
