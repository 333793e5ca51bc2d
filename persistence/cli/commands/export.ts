/** `tote export`: bets, ledger or rounds as CSV or JSON lines, row by row, whatever their number. */
import { Option } from 'commander';
import { exportBets } from '../export/bets.js';
import { exportLedger } from '../export/ledger.js';
import { exportRounds } from '../export/rounds.js';
import { type ExportFormat, RowSink } from '../export/sink.js';
import { defineCommand } from '../frame/command.js';
import { EXIT, type ExitCode } from '../frame/exit-codes.js';
import { HistoryReader, type Moment, parseMoment } from '../past/history-reader.js';

/** Writes rows of commands `fromSeq` to `toSeq` and returns what is wrong with them. */
export type Exporter = (
  past: HistoryReader,
  sink: RowSink,
  fromSeq: number,
  toSeq: number,
) => readonly string[];

const EXPORTERS = { bets: exportBets, ledger: exportLedger, rounds: exportRounds } as const;

interface ExportOptions {
  readonly what: keyof typeof EXPORTERS;
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly from?: Moment;
  readonly to?: Moment;
}

export const exportCommand = defineCommand<ExportOptions>({
  name: 'export',
  summary: 'write bets, the ledger or rounds as CSV or JSON lines',
  details:
    'bets: those placed from --from to --to, with what has become of them up to the last command there is. ' +
    'ledger: every movement of money from --from to --to, of accounts and the house; while it is written it is added up, ' +
    'and where an account does not come to its balance, it says so and ends with 1. ' +
    'rounds: those settled from --from to --to; without --to, the ones that are not settled yet, too. ' +
    'Amounts stand in USD with two decimals and again in cents. In CSV (RFC 4180) a text from outside (reference, client seed, ' +
    'void reason) that begins with = + - @, a tab or a line break gets an apostrophe before it, so that no ' +
    'spreadsheet takes it for a formula; JSON lines have it as it is. Nothing in the data directory is changed.',
  examples: [
    ['export --what ledger --out ledger.csv', 'every cent that ever moved'],
    [
      'export ./data --what bets --format jsonl --from 2026-11-17 --to 2026-11-18 | head',
      'the bets of a day, for a program',
    ],
    ['export --what rounds --format csv --from 120000', 'the rounds that were settled from that command on'],
  ],
  options: [
    new Option('--what <KIND>', 'what to write').choices(Object.keys(EXPORTERS)).makeOptionMandatory(),
    new Option('--format <FORMAT>', 'csv (default), or jsonl').choices(['csv', 'jsonl']),
    new Option('--out <FILE>', 'a new file (default: stdout)'),
    new Option('--from <SEQ|TIME>', 'first command (default: the first there is)').argParser(parseMoment),
    new Option('--to <SEQ|TIME>', 'last command (default: the last there is)').argParser(parseMoment),
  ],
  run: (context, options) =>
    HistoryReader.look(context, 'export', (past): ExitCode => {
      const { out } = context;
      const isStream = options.out === undefined;
      const format = options.format ?? (out.isJson && isStream ? 'jsonl' : 'csv');
      const toSeq = options.to === undefined ? past.lastSeq : past.lastOf(options.to);
      const fromSeq = options.from === undefined ? 1 : past.firstOf(options.from);
      const sink = new RowSink(format, options.out ?? null, out);
      const faults = sink.fill(() => EXPORTERS[options.what](past, sink, fromSeq, toSeq));
      if (!isStream && out.isJson) {
        out.document({
          what: options.what,
          file: options.out,
          format,
          rows: sink.rows,
          fromSeq,
          toSeq,
          faults,
        });
      } else if (!isStream) out.line(`${sink.rows} rows are in ${options.out}.`);
      for (const fault of faults) out.note(`tote export: ${fault}`);
      return faults.length === 0 ? EXIT.done : EXIT.faulty;
    }),
});
