/** Values of command-line options and operands. An invalid one is refused with its name and the expected form. */
import { InvalidArgumentError, Option } from 'commander';
import type { Parser } from '../../../config/config-values.js';
import { orRefuse } from '../../../engine/base/attempt.js';
import { isoText } from '../../../engine/base/iso-text.js';
import { parseAccountId, parseBetId, parseRoundId } from '../../../engine/model/domain.js';
import { JournalError } from '../../errors.js';
import type { History } from '../../replay/history.js';
import { UsageError } from './exit-codes.js';

/** A value in a form of the configuration. */
export const readAs =
  <T>(parse: Parser<T>) =>
  (text: string): T =>
    orRefuse(
      () => parse(text),
      (expected) => new InvalidArgumentError(`Expected ${expected}.`),
    );

export function parseWhole(text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new InvalidArgumentError('Expected a whole number from 1.');
  return value;
}

export const LIMIT_OPTION = new Option(
  '--limit <N>',
  'text has the last N rows of each list, or "all"; JSON has all',
)
  .argParser((text) => (text === 'all' ? Number.POSITIVE_INFINITY : parseWhole(text)))
  .default(100);

/** Ids that are none are parsed as 0 or null. */
const idOf =
  <T>(parse: (text: string) => T | 0 | null, form: string) =>
  (text: string): T => {
    const id = parse(text);
    if (id === 0 || id === null) throw new InvalidArgumentError(`Expected the id of ${form}.`);
    return id;
  };

export const parseAccount = idOf<number>(parseAccountId, 'an account, such as acc_7');
export const parseBet = idOf<number>(parseBetId, 'a bet, such as bet_1201');
export const parseRound = idOf(parseRoundId, 'a round, such as BTC_ONE_MINUTE_29684880');

/* ---- moments ---- */

/** A sequence number, or the last command at or before a time. */
export type Moment = { readonly seq: number } | { readonly timeMs: number };

const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A sequence number has at most ten digits; a longer number is milliseconds since 1970. */
export function parseMoment(text: string): Moment {
  if (/^0*[1-9]\d{0,9}$/.test(text)) return { seq: Number(text) };
  const timeMs = /^\d{11,15}$/.test(text)
    ? Number(text)
    : ISO_TIME.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isNaN(timeMs)) return { timeMs };
  throw new InvalidArgumentError(
    'Expected a sequence number from 1, or a time: 2026-11-21T14:03:00Z, 2026-11-21T15:03:00+01:00, 2026-11-21 (its ' +
      'midnight in UTC), or milliseconds since 1970.',
  );
}

/** By default the last command. Throws `UsageError`, and `not_found` for a time before the rest of the journal. */
export function seqAt(history: History, at: Moment | undefined): number {
  if (at === undefined) return history.lastSeq;
  if ('seq' in at) return at.seq;
  refuseFuture(history, '--at', at.timeMs);
  return seqInJournal(history, at.timeMs);
}

function seqInJournal(history: History, timeMs: number): number {
  const seq = history.seqAt(timeMs);
  // No command before the journal's first one has its time, but a snapshot has that of the last of them.
  const isEarly = !history.isFromFirst && seq < history.firstSeq;
  if (isEarly && history.startFor(seq).timeMs > timeMs) {
    throw new JournalError(
      'not_found',
      `The state at ${isoText(timeMs)} cannot be worked out any more: the records that are left begin later.`,
    );
  }
  return seq;
}

/** The commands, and which is the last one at or before a time. */
export type Timeline = Pick<History, 'lastSeq' | 'seqAt'>;

/** Without what only the archive has. */
export const timelineOf = (history: History): Timeline => ({
  lastSeq: history.lastSeq,
  seqAt: (timeMs) => seqInJournal(history, timeMs),
});

export interface RangeOptions {
  readonly from?: Moment;
  readonly to?: Moment;
}

export const RANGE_OPTIONS: readonly Option[] = [
  new Option('--from <SEQ|TIME>', 'first command, or a time (default: the first there is)').argParser(
    parseMoment,
  ),
  new Option(
    '--to <SEQ|TIME>',
    'last command, or a time, itself left out (default: the last there is)',
  ).argParser(parseMoment),
];

/**
 * Without `--from` the range begins at `defaultFromSeq`. An end beyond the last command is that command. `fromSeq` is
 * `toSeq + 1` if no command is in it. Throws `UsageError` if the range begins beyond the end, or after its own.
 */
export function rangeOf(timeline: Timeline, { from, to }: RangeOptions, defaultFromSeq: () => number) {
  const { lastSeq } = timeline;
  const toSeq =
    to === undefined ? lastSeq : 'seq' in to ? Math.min(to.seq, lastSeq) : timeline.seqAt(to.timeMs - 1);
  if (from === undefined) return { fromSeq: Math.min(defaultFromSeq(), toSeq + 1), toSeq };
  if (to !== undefined && isBehind(from, to)) throw outOfOrder();
  if ('timeMs' in from) refuseFuture(timeline, '--from', from.timeMs);
  const fromSeq = 'seq' in from ? from.seq : timeline.seqAt(from.timeMs - 1) + 1;
  if (fromSeq > lastSeq + 1)
    throw new UsageError(`--from is sequence number ${fromSeq}: the journal ends at ${lastSeq}.`);
  if (fromSeq > toSeq + 1) throw outOfOrder();
  return { fromSeq, toSeq };
}

const outOfOrder = (): UsageError =>
  new UsageError('--from does not lie before --to: the range ends before it begins.');

/** Compares two numbers or two times: nothing lies between a time and itself. A number and a time are compared by the commands between them. */
function isBehind(from: Moment, to: Moment): boolean {
  if ('seq' in from) return 'seq' in to && from.seq > to.seq;
  return 'timeMs' in to && from.timeMs >= to.timeMs;
}

/** Throws if neither the wall clock has reached the time nor the journal, whose clock may have been moved by hand. */
function refuseFuture(timeline: Timeline, option: string, timeMs: number): void {
  if (timeMs <= Date.now() || timeline.seqAt(timeMs - 1) < timeline.lastSeq) return;
  throw new UsageError(`${option} is ${isoText(timeMs)}: that lies in the future.`);
}
