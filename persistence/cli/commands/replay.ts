/** `tote replay`: the commands of a journal and their effects, for people or as JSON lines. */
import { Option } from 'commander';
import { isoText } from '../../../engine/base/iso-text.js';
import { COMMAND_KINDS } from '../../../engine/model/command-codec.js';
import type { History, Step } from '../../replay/history.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { fieldsOf } from '../frame/fields.js';
import {
  parseAccount,
  parseWhole,
  RANGE_OPTIONS,
  type RangeOptions,
  rangeOf,
  timelineOf,
} from '../frame/options.js';
import type { Output } from '../frame/output.js';
import { inlineText } from '../frame/text.js';
import { withHistory } from '../sources/records.js';

/** Commands read at once on the way back. */
const WINDOW = 10_000;

interface ReplayOptions extends RangeOptions {
  readonly last?: number;
  readonly explain?: true;
  readonly account?: number;
  readonly kind?: string;
  readonly operator?: string;
}

export const replayCommand = defineCommand<ReplayOptions>({
  details:
    'Replays the journal and shows each command: when it took effect, what it asked for and, with --explain, everything ' +
    'that it did, with the new balances. --from and --to take sequence numbers (at most ten digits) or times. ' +
    'With --json: one JSON object per line, with amounts in cents, as the names of the fields say. Nothing is changed.',
  examples: [
    ['replay --last 20 --explain', 'the last 20 commands and their effects'],
    [
      'replay ./data --from 2026-11-17T14:00:00Z --to 2026-11-17T14:05:00Z --explain',
      'everything in these five minutes',
    ],
    ['replay --account acc_7 --last 100 --explain', 'the last 100 that touched account 7'],
    ['replay --kind withdraw --json', 'all withdrawals, for a program'],
    ['replay --operator ann', 'everything that ann did at the operator port, and why'],
  ],
  options: [
    ...RANGE_OPTIONS,
    new Option('--last <K>', 'the last K commands up to --to, of those that the other options select')
      .argParser(parseWhole)
      .conflicts('from'),
    new Option('--explain', 'tell what each command did'),
    new Option('--account <ID>', 'only what is about this account').argParser(parseAccount),
    new Option('--kind <KIND>', 'only commands of this kind').choices(COMMAND_KINDS),
    new Option('--operator <NAME>', 'only what this operator sent'),
  ],
  isRowByRow: true,
  run: (context, options) =>
    withHistory(context, 'replay', (history) => {
      const { out } = context;
      const { last, explain = false } = options;
      const { fromSeq, toSeq } = rangeOf(timelineOf(history), options, () =>
        last === undefined ? history.beginning().seq + 1 : history.oldestSeq + 1,
      );
      if (fromSeq > toSeq) {
        out.note('No command is in this range.');
        return EXIT.done;
      }
      // As the journal has them, nothing replayed, where nobody asks for effects.
      const isAlone = !explain && !out.isJson && options.account === undefined;
      const read: Read = (seq, endSeq) => (isAlone ? commandsAfter : replayedAfter)(history, seq, endSeq);
      const isMeant = (step: Step): boolean => step.seq >= fromSeq && isAbout(step, options);
      const steps =
        last === undefined ? read(fromSeq - 1, toSeq).steps : lastOf(last, fromSeq, toSeq, read, isMeant);
      let shown = 0;
      for (const step of steps) {
        if (!isMeant(step)) continue;
        show(out, step, explain);
        shown += 1;
      }
      if (shown === 0) out.note('No command in this range is about that.');
      return EXIT.done;
    }),
});

function isAbout({ command, events }: Step, { kind, account, operator }: ReplayOptions): boolean {
  if (kind !== undefined && command.kind !== kind) return false;
  if (operator !== undefined && !('by' in command && command.by?.operator === operator)) return false;
  return (
    account === undefined ||
    [command, ...events].some((fact) => 'account' in fact && fact.account === account)
  );
}

/** Commands after `seq`, or from somewhat earlier on, to `toSeq`. */
type Read = (seq: number, toSeq: number) => { readonly afterSeq: number; readonly steps: Iterable<Step> };

function commandsAfter(history: History, seq: number, toSeq: number): ReturnType<Read> {
  // Throws that they are not there any more.
  if (seq < history.firstSeq - 1) history.startFor(seq);
  const afterSeq = Math.max(seq - WINDOW, history.firstSeq - 1);
  return { afterSeq, steps: history.commands(afterSeq, toSeq) };
}

function replayedAfter(history: History, seq: number, toSeq: number): ReturnType<Read> {
  const engine = history.startFor(seq);
  return { afterSeq: engine.seq, steps: history.replay(engine, toSeq) };
}

/** Found from the end on: behind the newest snapshot, then behind the one before it. */
function lastOf(
  last: number,
  fromSeq: number,
  toSeq: number,
  read: Read,
  isMeant: (step: Step) => boolean,
): Step[] {
  let found: Step[] = [];
  for (let endSeq = toSeq; found.length < last && endSeq >= fromSeq; ) {
    const missing = last - found.length;
    const { afterSeq, steps } = read(Math.max(endSeq - missing, fromSeq - 1), endSeq);
    const newest: Step[] = [];
    for (const step of steps) {
      if (isMeant(step)) newest.push(step);
      if (newest.length >= 2 * missing) newest.splice(0, missing);
    }
    found = [...newest.slice(-missing), ...found];
    endSeq = afterSeq;
  }
  return found;
}

function show(
  out: Output,
  { seq, command: { kind, timeMs, ...asked }, events }: Step,
  isExplained: boolean,
): void {
  const [time, command] = [isoText(timeMs), fieldsOf(asked)];
  const effects = events.map(({ timeMs: _, ...event }) => fieldsOf(event));
  if (out.isJson) {
    out.line(JSON.stringify({ seq, time, kind, command, events: effects }));
    return;
  }
  out.line(`${seq}  ${time}  ${kind}  ${inlineText(command)}`.trimEnd());
  if (isExplained)
    for (const { type, ...event } of effects) out.line(`  - ${String(type)}  ${inlineText(event)}`.trimEnd());
}
