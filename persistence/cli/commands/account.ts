/** `tote account`: everything known about one account, and whether its ledger adds up to its balance. */
import { Argument } from 'commander';
import { must } from '../../../engine/base/assert.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import type { Engine } from '../../../engine/engine.js';
import {
  accountId,
  betId,
  isUnfilled,
  keyId,
  parseAccountId,
  ROUND_STATUSES,
  roundId,
  SIDES,
  scopesOf,
  TIERS,
  textAt,
} from '../../../engine/model/domain.js';
import type { BetView, KeyView } from '../../../engine/model/views.js';
import { JournalError } from '../../errors.js';
import { LedgerCheck, type LedgerEntry, ledgerEntryOf } from '../../past/entries.js';
import type { Past } from '../../past/past.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { dollarsText, isoText, oddsText, quoted, usd } from '../frame/format.js';
import { LIMIT_OPTION, type LimitOptions, limitOf } from '../frame/options.js';
import { lastRows, type Output, shownOf } from '../frame/output.js';
import { Look } from '../past/look.js';
import { AT_OPTIONS, type AtOptions, seqOf } from '../past/moments.js';
import { entryJson, showLedger } from '../words/ledger-text.js';
import { parseAccount } from './replay.js';

export const accountCommand = defineCommand<AtOptions & LimitOptions>({
  details:
    'Shows tier, balance, keys (never their secrets), open bets and every ledger entry: deposits, withdrawals, stakes, ' +
    'payouts, refunds. The entries are added up; if they do not match the balance, it says so and ends with 1. ' +
    'The entries come from the archive, each checked, and the balance from the newest snapshot and the journal after ' +
    'it. ' +
    'Works with and without a running server, and changes nothing.',
  examples: [
    ['account acc_7', 'as it is now'],
    ['account acc_7 --limit all', 'with every entry of its ledger'],
    ['account acc_7 ./data --at-time 2026-11-17T14:03:00Z', 'as it was then'],
    ['account acc_7 --at-seq 120000 --json', 'right after that command, for a program'],
  ],
  operands: [new Argument('<ID>', 'the account, such as acc_7').argParser(parseAccount)],
  options: [...AT_OPTIONS, LIMIT_OPTION],
  isPaged: true,
  run: (context, options, operands) =>
    Look.at(context, 'account', (look) => {
      const number = parseAccountId(must(operands[0], 'the account'));
      const { past, state, words } = look.upTo(seqOf(look, options));
      const engine = state();
      if (engine.account(number) === null) throw notThere(number, engine.seq);
      const found = { engine, words, ...accountHistory(past, engine, number) };
      const check = new LedgerCheck();
      for (const entry of found.entries) check.add(entry);
      const fault = check.fault(must(found.engine.account(number), 'account').balanceCents);
      const limit = limitOf(options, context.out.isJson);
      if (context.out.isJson) context.out.document(accountJson(number, found, fault, limit));
      else show(context.out, number, found, fault, limit);
      return fault === null ? EXIT.done : EXIT.faulty;
    }),
});

interface AccountHistory {
  readonly engine: Engine;
  readonly words: string;
  readonly entries: readonly LedgerEntry[];
  /** The entries' bets. A limit order that has rested counts from its fill. */
  readonly counts: BetCounts;
}

interface BetCounts {
  placed: number;
  stakedCents: number;
  settled: number;
  paidCents: number;
}

/** Up to the end of `engine`. */
export function accountHistory(
  past: Past,
  engine: Engine,
  number: number,
): Pick<AccountHistory, 'entries' | 'counts'> {
  const counts: BetCounts = { placed: 0, stakedCents: 0, settled: 0, paidCents: 0 };
  const entries: LedgerEntry[] = [];
  for (const { seq, event } of past.accountEvents(number, engine.seq)) {
    if (event.type === 'betPlaced' || event.type === 'orderFilled') {
      counts.placed += 1;
      counts.stakedCents += event.stakeCents;
    } else if (event.type === 'betSettled' && !isUnfilled(event.result)) {
      counts.settled += 1;
      counts.paidCents += event.payoutCents;
    }
    const entry = ledgerEntryOf(seq, event);
    if (entry !== null) entries.push(entry);
  }
  const balanceCents = engine.account(number)?.balanceCents ?? 0;
  const nothing = { account: number, timeMs: engine.timeMs, amountCents: 0, balanceCents };
  const forward = past.forwardOf(entries.at(-1) ?? nothing);
  if (forward !== null) entries.push(forward);
  return { entries: entries.reverse(), counts };
}

const notThere = (number: number, seq: number): JournalError =>
  new JournalError('not_found', `There is no account ${accountId(number)} at sequence number ${seq}.`);

function show(out: Output, number: number, found: AccountHistory, fault: string | null, limit: number): void {
  const { engine, entries, counts, words } = found;
  const view = must(engine.account(number), 'account');
  const open = engine.openPositions(number, Number.POSITIVE_INFINITY);
  out.facts([
    ['account', accountId(number)],
    ['name', view.name === null ? '(none)' : quoted(view.name)],
    ['tier', textAt(TIERS, view.tier)],
    ['frozen', view.frozen ? 'yes' : 'no'],
    ['balance', usd(view.balanceCents)],
    [
      'as of',
      `sequence number ${engine.seq}, ${engine.seq === 0 ? 'the beginning' : isoText(engine.timeMs)}`,
    ],
    ['bets placed', `${counts.placed}, stakes ${usd(counts.stakedCents)}`],
    ['bets settled', `${counts.settled}, paid ${usd(counts.paidCents)}`],
    ['from', words],
  ]);
  showKeys(out, engine, engine.keysOf(number));
  showOpenBets(out, open, limit);
  out.line('');
  showLedger(out, entries, limit);
  out.line(
    fault === null
      ? `The entries add up to the balance: ${usd(view.balanceCents)}.`
      : `THE LEDGER IS WRONG: ${fault}.`,
  );
}

function showKeys(out: Output, engine: Engine, keys: readonly KeyView[]): void {
  out.line(`\nKeys: ${keys.length}`);
  if (keys.length === 0) return;
  out.table(
    ['key', 'state', 'scopes', 'created', 'expires'],
    keys.map((key) => [
      keyId(key.key),
      keyState(key, engine.timeMs),
      scopesOf(key.scopesMask).join(','),
      isoText(key.createdAtMs),
      key.expiresAtMs === null ? 'never' : isoText(key.expiresAtMs),
    ]),
  );
}

function keyState({ enabled, expiresAtMs }: KeyView, nowMs: number): string {
  if (!enabled) return 'disabled';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

function showOpenBets(out: Output, open: readonly BetView[], limit: number): void {
  out.line(`\nOpen bets: ${shownOf(open.length, limit)}`);
  if (open.length === 0) return;
  out.table(
    ['bet', 'round', 'round is', 'side', 'stake', 'odds', 'a win pays', 'placed'],
    lastRows(open, limit).map((bet) => [
      betId(bet.bet),
      roundId(bet.market, bet.roundNumber),
      textAt(ROUND_STATUSES, bet.roundStatus),
      textAt(SIDES, bet.side),
      dollarsText(bet.stakeCents),
      oddsText(bet.oddsE4),
      dollarsText(bet.payoutCents),
      isoText(bet.placedAtMs),
    ]),
  );
}

export type AccountJson = ReturnType<typeof accountJson>;

function accountJson(number: number, found: AccountHistory, fault: string | null, limit: number) {
  const { engine, entries, counts } = found;
  const view = must(engine.account(number), 'account');
  return {
    id: accountId(number),
    name: view.name,
    tier: textAt(TIERS, view.tier),
    frozen: view.frozen,
    balance: dollarsOfCents(view.balanceCents),
    balanceCents: view.balanceCents,
    seq: engine.seq,
    time: isoText(engine.timeMs),
    keys: engine.keysOf(number).map((key) => ({
      id: keyId(key.key),
      scopes: scopesOf(key.scopesMask),
      enabled: key.enabled,
      createdAt: isoText(key.createdAtMs),
      expiresAt: key.expiresAtMs === null ? null : isoText(key.expiresAtMs),
    })),
    bets: counts,
    openBets: lastRows(engine.openPositions(number, Number.POSITIVE_INFINITY), limit).map(openBetJson),
    ledger: lastRows(entries, limit).map(entryJson),
    addsUp: fault === null,
    fault,
  };
}

const openBetJson = (bet: BetView) => ({
  id: betId(bet.bet),
  round: roundId(bet.market, bet.roundNumber),
  roundStatus: textAt(ROUND_STATUSES, bet.roundStatus),
  prediction: textAt(SIDES, bet.side),
  amount: dollarsOfCents(bet.stakeCents),
  oddsAtBet: bet.oddsE4 / 10_000,
  potentialPayout: dollarsOfCents(bet.payoutCents),
  placedAt: isoText(bet.placedAtMs),
});
