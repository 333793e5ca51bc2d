/** `tote export`: bets, ledger or rounds as CSV or JSON lines, row by row, whatever their number. */
import { Option } from 'commander';
import { accountId } from '../../../engine/model/domain.js';
import { JournalError } from '../../errors.js';
import type { ExportJson } from '../answers/answers.js';
import { exportBets } from '../export/bets.js';
import { exportLedger } from '../export/ledger.js';
import { exportRounds } from '../export/rounds.js';
import { type ExportFormat, type ExportRange, type ExportSource, RowSink } from '../export/sink.js';
import { defineCommand } from '../frame/command.js';
import { EXIT, type ExitCode, UsageError } from '../frame/exit-codes.js';
import { Look } from '../past/look.js';
import { RANGE_OPTIONS, type RangeOptions, rangeOf } from '../past/moments.js';
import { HOUSE } from '../words/ledger-text.js';
import { parseAccount } from './replay.js';

const EXPORTERS = { bets: exportBets, ledger: exportLedger, rounds: exportRounds } as const;
const HOUSE_NAME = 'house';

interface ExportOptions extends RangeOptions {
  readonly what: keyof typeof EXPORTERS;
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly account?: number;
}

export const exportCommand = defineCommand<ExportOptions>({
  details:
    'bets: those placed from --from to --to, with their settlement up to the last command. ' +
    'ledger: every movement of money from --from to --to, of accounts and the house. It is added up while it is written; if ' +
    'the entries of an account do not match its balance, it says so and ends with 1. ' +
    'rounds: those settled from --from to --to; without --to also those that are not settled yet. ' +
    'With --account, bets and ledger are those of one account; "house" has a ledger, too. ' +
    'Amounts are in USD with two decimals, and again in cents. In CSV (RFC 4180) a text from outside (reference, client seed, ' +
    'void reason) that begins with = + - @, a tab or a line break gets an apostrophe before it, so that no ' +
    'spreadsheet interprets it as a formula; JSON lines have it unchanged. ' +
    '--json prints one document about what was written to --out; for rows as JSON use --format jsonl. ' +
    'Rows are read from the archive, each checked, and after its end from the journal. Nothing in the data directory is ' +
    'changed.',
  examples: [
    ['export --what ledger --out ledger.csv', 'every cent that ever moved'],
    [
      'export ./data --what bets --format jsonl --from 2026-11-17 --to 2026-11-18 | head',
      'the bets of a day, for a program',
    ],
    ['export --what ledger --account acc_7', 'the statement of one account'],
    ['export --what rounds --format csv --from 120000', 'the rounds that were settled from that command on'],
  ],
  options: [
    new Option('--what <KIND>', 'the rows to write').choices(Object.keys(EXPORTERS)).makeOptionMandatory(),
    new Option('--format <FORMAT>', 'csv (default), or jsonl').choices(['csv', 'jsonl']),
    new Option('--out <FILE>', 'a new file (default: stdout)'),
    ...RANGE_OPTIONS,
    new Option('--account <ID>', 'only rows of this account').argParser(parseOwner),
  ],
  run: (context, options) => {
    refuseUnsuitable(options, context.out.isJson);
    return Look.at(context, 'export', (look): ExitCode => {
      const { out } = context;
      const isStream = options.out === undefined;
      const { what, format = 'csv', account = null } = options;
      const { fromSeq, toSeq } = rangeOf(look, options, () => 1);
      const sink = new RowSink(format, options.out ?? null, out);
      const range = { fromSeq, toSeq, account };
      const faults = sink.fill(() => EXPORTERS[what](sourceFor(look, what, range), sink, range));
      if (!isStream && out.isJson) {
        out.document({
          what,
          file: options.out,
          format,
          rows: sink.rows,
          fromSeq,
          toSeq,
          faults,
        } satisfies ExportJson);
      } else if (!isStream) out.line(`${sink.rows} rows are in ${options.out}.`);
      for (const fault of faults) out.note(`tote export: ${fault}`);
      return faults.length === 0 ? EXIT.done : EXIT.faulty;
    });
  },
});

/** Bets are shown as they are at the end of the journal, whatever the range. Throws `not_found` for an unknown account. */
function sourceFor(look: Look, what: ExportOptions['what'], { toSeq, account }: ExportRange): ExportSource {
  const endSeq = what === 'bets' ? look.lastSeq : toSeq;
  const { past, state } = look.upTo(endSeq);
  const engine = look.history.hasStateFor(endSeq) ? state() : null;
  const isUnknown = account !== null && account !== HOUSE;
  if (isUnknown && (engine ?? look.history.beginning()).account(account) === null)
    throw new JournalError(
      'not_found',
      `There is no account ${accountId(account)} at sequence number ${endSeq}.`,
    );
  return { past, engine, isAtEnd: toSeq === look.lastSeq };
}

function parseOwner(text: string): number {
  return text === HOUSE_NAME ? HOUSE : parseAccount(text);
}

function refuseUnsuitable({ what, out, account }: ExportOptions, isJson: boolean): void {
  if (isJson && out === undefined) {
    throw new UsageError('--json needs --out. For rows as JSON lines on stdout give --format jsonl.');
  }
  if (account !== undefined && what === 'rounds') {
    throw new UsageError("--account goes with bets and ledger: a round is nobody's.");
  }
  if (account === HOUSE && what === 'bets') {
    throw new UsageError('The house places no bets: --account house goes with the ledger.');
  }
}
