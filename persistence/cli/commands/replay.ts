/** `tote replay`: the commands of a journal and their effects, for people or as JSON lines. */
import { InvalidArgumentError, Option } from 'commander';
import { marketOf, parseAccountId } from '../../../engine/model/domain.js';
import type { Step } from '../../replay/history.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { parseWhole } from '../frame/options.js';
import type { Output } from '../frame/output.js';
import { Look } from '../past/look.js';
import { RANGE_OPTIONS, type RangeOptions, rangeOf } from '../past/moments.js';
import { COMMAND_KINDS, isAbout, type StepFilter } from '../past/step-filter.js';
import { commandWords } from '../words/describe-command.js';
import { eventWords } from '../words/describe-event.js';
import { stepJson } from '../words/step-json.js';

/** Commands read at once on the way back. */
const WINDOW = 10_000;

interface ReplayOptions extends RangeOptions {
  readonly last?: number;
  readonly explain?: true;
  readonly account?: number;
  readonly market?: number;
  readonly kind?: string;
  readonly operator?: string;
}

export const replayCommand = defineCommand<ReplayOptions>({
  details:
    'Replays the journal and shows each command: when it took effect, what it asked for and, with --explain, everything ' +
    'that it did, with balances before and after. --from and --to take sequence numbers (at most ten digits) or times. ' +
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
      .argParser((text) => parseWhole(text, 1, 'a whole number from 1'))
      .conflicts('from'),
    new Option('--explain', 'tell what each command did'),
    new Option('--account <ID>', 'only what is about this account').argParser(parseAccount),
    new Option('--market <ID>', 'only what is about this market').argParser(parseMarket),
    new Option('--kind <KIND>', 'only commands of this kind').choices(COMMAND_KINDS),
    new Option('--operator <NAME>', 'only what this operator sent'),
  ],
  run: (context, options) =>
    Look.at(context, 'replay', (look) => {
      const { out } = context;
      const filter: StepFilter = options;
      const { last, explain = false } = options;
      const { history } = look;
      const { fromSeq, toSeq } = rangeOf(look, options, () =>
        last === undefined ? history.beginning().seq + 1 : history.oldestSeq + 1,
      );
      if (fromSeq > toSeq) {
        out.note('No command is in this range.');
        return EXIT.done;
      }
      const isAlone =
        !explain && !out.isJson && options.account === undefined && options.market === undefined;
      const read: Read = (seq, endSeq) =>
        isAlone ? commandsAfter(look, seq, endSeq) : replayedAfter(look, seq, endSeq);
      const isMeant = (step: Shown): boolean => step.seq >= fromSeq && isAbout(step, filter);
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

type Shown = Omit<Step, 'engine'>;

/** Commands after `seq`, or from somewhat earlier on, to `toSeq`. */
type Read = (seq: number, toSeq: number) => { readonly afterSeq: number; readonly steps: Iterable<Shown> };

/** As the journal has them: nothing is replayed. */
const commandsAfter: (look: Look, ...range: Parameters<Read>) => ReturnType<Read> = (
  { history },
  seq,
  toSeq,
) => {
  const afterSeq = Math.max(seq - WINDOW, history.firstSeq - 1);
  return { afterSeq, steps: history.commands(afterSeq, toSeq) };
};

const replayedAfter: typeof commandsAfter = (look, seq, toSeq) => {
  const engine = look.history.startFor(seq);
  return { afterSeq: engine.seq, steps: look.replay(engine, toSeq) };
};

/** Found from the end on: behind the newest snapshot, then behind the one before it. */
function lastOf(
  last: number,
  fromSeq: number,
  toSeq: number,
  read: Read,
  isMeant: (step: Shown) => boolean,
): Shown[] {
  let found: Shown[] = [];
  for (let endSeq = toSeq; found.length < last && endSeq >= fromSeq; ) {
    const missing = last - found.length;
    const { afterSeq, steps } = read(Math.max(endSeq - missing, fromSeq - 1), endSeq);
    const newest: Shown[] = [];
    for (const step of steps) {
      if (isMeant(step)) newest.push(step);
      if (newest.length >= 2 * missing) newest.splice(0, missing);
    }
    found = [...newest.slice(-missing), ...found];
    endSeq = afterSeq;
  }
  return found;
}

function show(out: Output, step: Shown, isExplained: boolean): void {
  const { seq, command, events } = step;
  const head = `${seq}  ${isoText(command.timeMs)}  ${command.kind}`;
  if (out.isJson) {
    out.line(JSON.stringify(stepJson(step)));
  } else if (!isExplained) {
    out.line(`${head}  ${commandWords(command)}`);
  } else {
    out.line(head);
    out.line(`    ${commandWords(command)}`);
    for (const event of events) out.line(`  - ${eventWords(event)}`);
    out.line('');
  }
}

export function parseAccount(text: string): number {
  const account = parseAccountId(text);
  if (account === 0) throw new InvalidArgumentError('Expected the id of an account, such as acc_7.');
  return account;
}

function parseMarket(text: string): number {
  const market = marketOf(text);
  if (market < 0) throw new InvalidArgumentError('Expected the id of a market, such as BTC_ONE_MINUTE.');
  return market;
}
