/** `tote export`: bets, ledger or rounds as CSV or JSON lines, row by row, whatever their number. */
import { Option } from 'commander';
import { accountId } from '../../../engine/model/domain.js';
import { HOUSE } from '../../../engine/state/house.js';
import { JournalError } from '../../errors.js';
import { exportBets } from '../export/bets.js';
import { exportLedger } from '../export/ledger.js';
import { exportRounds } from '../export/rounds.js';
import type { ExportRange, ExportSource } from '../export/rows.js';
import { defineCommand } from '../frame/command.js';
import { EXIT, UsageError } from '../frame/exit-codes.js';
import { parseAccount, RANGE_OPTIONS, type RangeOptions, rangeOf } from '../frame/options.js';
import { type Records, withRecords } from '../sources/records.js';

const EXPORTERS = { bets: exportBets, ledger: exportLedger, rounds: exportRounds } as const;
type What = keyof typeof EXPORTERS;

interface ExportOptions extends RangeOptions {
  readonly what: What;
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
    'client order id, void reason) that begins with = + - @, a tab or a line break gets an apostrophe before it, so that no ' +
    'spreadsheet interprets it as a formula; JSON lines (--json) have it unchanged. ' +
    'Rows are read from the archive, each checked, and after its end from the journal. Nothing in the data directory is ' +
    'changed.',
  examples: [
    ['export --what ledger > ledger.csv', 'every cent that ever moved'],
    [
      'export ./data --what bets --json --from 2026-11-17 --to 2026-11-18 | head',
      'the bets of a day, for a program',
    ],
    ['export --what ledger --account acc_7', 'the statement of one account'],
    ['export --what rounds --from 120000', 'the rounds that were settled from that command on'],
  ],
  options: [
    new Option('--what <KIND>', 'the rows to write').choices(Object.keys(EXPORTERS)).makeOptionMandatory(),
    ...RANGE_OPTIONS,
    new Option('--account <ID>', 'only rows of this account').argParser((text) =>
      text === 'house' ? HOUSE : parseAccount(text),
    ),
  ],
  isRowByRow: true,
  run: (context, options) => {
    const { what, account = null } = options;
    if (account !== null && what === 'rounds')
      throw new UsageError("--account goes with bets and ledger: a round is nobody's.");
    if (account === HOUSE && what === 'bets')
      throw new UsageError('The house places no bets: --account house goes with the ledger.');
    return withRecords(context, 'export', (records) => {
      const range = { ...rangeOf(records, options, () => 1), account };
      const source = sourceFor(records, what, range);
      const faults = [...EXPORTERS[what](source, range, context.out), ...records.lostRows()];
      for (const fault of faults) context.out.note(`tote export: ${fault}`);
      return faults.length === 0 ? EXIT.done : EXIT.faulty;
    });
  },
});

/** Bets are shown as they are at the end of the journal, whatever the range. Throws `not_found` for an unknown account. */
function sourceFor(records: Records, what: What, { toSeq, account }: ExportRange): ExportSource {
  const { history } = records;
  const endSeq = what === 'bets' ? history.lastSeq : toSeq;
  const { archive, state } = records.upTo(endSeq);
  const engine = history.hasStateFor(endSeq) ? state() : null;
  if (account !== null && account !== HOUSE && (engine ?? history.beginning()).account(account) === null) {
    const sentence = `There is no account ${accountId(account)} at sequence number ${endSeq}.`;
    throw new JournalError('not_found', sentence);
  }
  return { archive, engine, isAtEnd: toSeq === history.lastSeq };
}
