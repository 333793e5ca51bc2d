/** `tote account`: everything known about one account, and whether its ledger adds up to its balance. */
import { Argument, Option } from 'commander';
import { isoText } from '../../../engine/base/iso-text.js';
import type { Engine } from '../../../engine/engine.js';
import {
  accountId,
  betId,
  isUnfilled,
  ROUND_STATUSES,
  roundId,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { BetView, KeyView } from '../../../engine/model/views.js';
import { Books, type LedgerEntry, ledgerEntryOf } from '../../archive/reader/entries.js';
import type { ArchiveReader } from '../../archive/reader/reader.js';
import { JournalError } from '../../errors.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { fieldsOf } from '../frame/fields.js';
import { type Moment, parseAccount, parseMoment, seqAt } from '../frame/options.js';
import { withRecords } from '../sources/records.js';

export const accountCommand = defineCommand<{ readonly at?: Moment }, [account: number]>({
  details:
    'Shows tier, balance, keys (never their secrets), open bets with the limit orders that rest, and every ledger entry: ' +
    'deposits, withdrawals, stakes, payouts, refunds, and of limit orders the reserve and the fill. The entries are added up; if they do not match the balance, it says so and ends with 1. ' +
    'The entries come from the archive, each checked, and the balance from the newest snapshot and the journal after ' +
    'it. ' +
    'Works with and without a running server, and changes nothing.',
  examples: [
    ['account acc_7', 'as it is now, with the last entries of its ledger'],
    ['account acc_7 --limit all', 'with all of them'],
    ['account acc_7 ./data --at 2026-11-17T14:03:00Z', 'as it was then'],
    ['account acc_7 --at 120000 --json', 'right after that command, for a program, with all entries'],
  ],
  operands: [new Argument('<ID>', 'the account, such as acc_7').argParser(parseAccount)],
  options: [
    new Option('--at <SEQ|TIME>', 'as it was right after this command, or at this time').argParser(
      parseMoment,
    ),
  ],
  run: (context, { at }, [number]) =>
    withRecords(context, 'account', (records) => {
      const { archive, state, from } = records.upTo(seqAt(records.history, at));
      const engine = state();
      const view = engine.account(number);
      if (view === null) throw notThere(number, engine.seq);
      const { entries, counts } = accountHistory(archive, engine, number);
      const books = new Books(true);
      for (const entry of entries) books.add(entry);
      books.close(number, view.balanceCents);
      const { faults } = books;
      const { account, name, tier, frozen, balanceCents } = view;
      context.out.answer({
        ...fieldsOf({ account, name, tier, frozen, balanceCents }),
        seq: engine.seq,
        time: isoText(engine.timeMs),
        bets: counts,
        from,
        addsUp: faults.length === 0,
        keys: engine.keysOf(number).map(keyFields),
        openBets: engine.openPositions(number).map(openBetFields),
        ledger: entries.map(fieldsOf),
        faults,
      });
      return faults.length === 0 ? EXIT.done : EXIT.faulty;
    }),
});

/** Up to the end of `engine`. Counts the entries' bets; a limit order that has rested counts from its fill. */
export function accountHistory(archive: ArchiveReader, engine: Engine, number: number) {
  const counts = { placed: 0, stakesCents: 0, settled: 0, paidCents: 0 };
  const entries: LedgerEntry[] = [];
  for (const { seq, event } of archive.accountEvents(number, engine.seq)) {
    if (event.type === 'betPlaced' || event.type === 'orderFilled') {
      counts.placed += 1;
      counts.stakesCents += event.stakeCents;
    } else if (event.type === 'betSettled' && !isUnfilled(event.result)) {
      counts.settled += 1;
      counts.paidCents += event.payoutCents;
    }
    const entry = ledgerEntryOf(seq, event);
    if (entry !== null) entries.push(entry);
  }
  return { entries: entries.reverse(), counts };
}

const notThere = (number: number, seq: number): JournalError =>
  new JournalError('not_found', `There is no account ${accountId(number)} at sequence number ${seq}.`);

const keyFields = ({ account: _account, deadmanSeconds: _deadman, ...key }: KeyView): object => fieldsOf(key);

const openBetFields = (view: BetView) => ({
  bet: betId(view.bet),
  round: roundId(view.market, view.roundNumber),
  roundStatus: textAt(ROUND_STATUSES, view.roundStatus),
  status: view.status,
  side: textAt(SIDES, view.side),
  stakeCents: view.stakeCents,
  oddsE4: view.oddsE4,
  potentialPayoutCents: view.payoutCents,
  placedAt: isoText(view.placedAtMs),
});
