/** Ledger entries as a table for people and as objects for programs. */

import { dollarsOfCents } from '../../../engine/base/money.js';
import { accountId, betId } from '../../../engine/model/domain.js';
import type { LedgerEntry } from '../../past/entries.js';
import { dollarsText, isoText, quoted, usd } from '../frame/format.js';
import { lastRows, type Output, shownOf } from '../frame/output.js';

export const HOUSE = 0;

/** `acc_7`, or `house`. */
export const ownerText = (account: number): string => (account === HOUSE ? 'house' : accountId(account));

/** Amounts in USD. Streamed: an account may have millions of entries. */
export function showLedger(out: Output, all: readonly LedgerEntry[], limit: number): void {
  out.line(`Ledger: ${shownOf(all.length, limit, ' entries')}`);
  if (all.length === 0) return;
  const entries = lastRows(all, limit);
  const widths = HEADING.map((name) => name.length);
  for (const entry of entries) {
    for (const [column, cell] of cellsOf(entry).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  out.line(lineOf(HEADING, widths));
  for (const entry of entries) out.line(lineOf(cellsOf(entry), widths));
}

const HEADING = ['seq', 'time', 'account', 'what', 'amount', 'balance', 'about'] as const;
const RIGHT: readonly string[] = ['seq', 'amount', 'balance'];

const cellsOf = (entry: LedgerEntry): string[] => [
  `${entry.seq}`,
  isoText(entry.timeMs),
  ownerText(entry.account),
  entry.kind,
  signed(entry.amountCents),
  dollarsText(entry.balanceCents),
  aboutText(entry),
];

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = HEADING.map((name, column) => {
    const cell = cells[column] ?? '';
    const width = widths[column] ?? 0;
    return RIGHT.includes(name) ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join('  ').trimEnd();
}

const signed = (cents: number): string => (cents > 0 ? `+${dollarsText(cents)}` : dollarsText(cents));

function aboutText({ bet, round, reference, kind, amountCents }: LedgerEntry): string {
  if (kind === 'forward') return `earlier entries are not known: ${usd(amountCents)} brought forward`;
  if (bet !== 0) return `${betId(bet)} in ${round}`;
  return round === '' ? `reference ${quoted(reference)}` : round;
}

/** null for fields that an entry does not have. */
export const entryJson = (entry: LedgerEntry) => ({
  seq: entry.seq,
  time: isoText(entry.timeMs),
  account: ownerText(entry.account),
  kind: entry.kind,
  amount: dollarsOfCents(entry.amountCents),
  balance: dollarsOfCents(entry.balanceCents),
  amountCents: entry.amountCents,
  balanceCents: entry.balanceCents,
  bet: entry.bet === 0 ? null : betId(entry.bet),
  round: entry.round === '' ? null : entry.round,
  reference: entry.reference === '' ? null : entry.reference,
});
