/** `tote bet`: everything known about one bet, and what is needed to verify its hash. */
import { Argument, InvalidArgumentError } from 'commander';
import { must } from '../../../engine/base/assert.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import {
  accountId,
  BET_ENDS,
  betId,
  marketId,
  NO_LIMIT,
  parseBetId,
  RESULT_NONE,
  RESULT_VOID,
  ROUND_RESULTS,
  ROUND_STATUSES,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { PastEvent } from '../../../engine/model/events.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText, oddsText, percentText, quoted, usd } from '../frame/format.js';
import type { Output } from '../frame/output.js';
import { type BetHistory, betHistory } from '../past/bet-history.js';
import { HistoryReader } from '../past/history-reader.js';
import { AT_OPTIONS, type AtOptions, seqOf } from '../past/moments.js';
import { seedsOf } from '../past/round-facts.js';
import { type KnownSeeds, readRoundSeeds } from '../past/round-seeds.js';
import { entryJson, showLedger } from '../words/ledger-text.js';

export const betCommand = defineCommand<AtOptions>({
  name: 'bet',
  summary: 'show everything known about a bet, with its ledger entries',
  details:
    'Shows the stake, odds and round of the bet, its result, the ledger entries, and the betHash with what is needed to ' +
    'verify it (the seed once the round is settled). With --json the member "evidence" is the input of ' +
    '"npx tote verify-bet --evidence". All of it is read from the archive, each row checked, and from the journal after it; ' +
    '--replay takes everything from the journal. Nothing is changed.',
  examples: [
    ['bet bet_1201', 'as it is now'],
    ['bet bet_1201 ./data --json > bet.json', 'for a program, or for verify-bet --evidence bet.json'],
  ],
  operands: [new Argument('<ID>', 'the bet, such as bet_1201').argParser(parseBet)],
  options: AT_OPTIONS,
  run: (context, options, operands) =>
    HistoryReader.look(context, 'bet', (past) => {
      const found = betHistory(
        past,
        parseBet(must(operands[0], 'the bet')),
        seqOf(past, options),
        options.replay === true,
      );
      const known = readRoundSeeds(context.dir, past.withRules(found.engine));
      if (context.out.isJson) context.out.document(betJson(found, known));
      else show(context.out, found, known);
      return EXIT.done;
    }),
});

function parseBet(text: string): number {
  const number = parseBetId(text);
  if (number === 0) throw new InvalidArgumentError('Expected the id of a bet, such as bet_1201.');
  return number;
}

function show(out: Output, found: BetHistory, known: KnownSeeds): void {
  const { round } = found;
  const { placed, settled } = found.bet;
  const { seed, seedCommitment, seedNotShown } = seedsOf(round, true, known);
  out.facts([
    ['bet', betId(placed.bet)],
    ['account', accountId(placed.account)],
    ['round', `${round.id}, ${textAt(ROUND_STATUSES, round.status)}${resultText(round.result)}`],
    ['bet on', `${textAt(SIDES, placed.side)}, ${usd(placed.stakeCents)} at odds ${oddsText(placed.oddsE4)}`],
    ['entry percent', entryText(found)],
    ['a win pays', usd(placed.payoutCents)],
    ['client seed', clientSeedText(found)],
    ['placed', instantText(found.bet.placedSeq, placed.timeMs)],
    ...limitRows(found),
    ['result', settled === null ? openText(found) : textAt(BET_ENDS, settled.result)],
    ['paid', settled === null ? '' : usd(settled.payoutCents)],
    ['settled', settled === null ? '' : instantText(found.bet.settledSeq ?? 0, settled.timeMs)],
    ['bet hash', hashOf(found, known) ?? 'not known'],
    ['commitment', seedCommitment ?? 'not known'],
    ['seed', seed ?? seedNotShown ?? 'not known'],
    ['from', found.source.words],
  ]);
  out.line('');
  showLedger(out, entriesOf(found));
}

const isBet = ({ bet: { placed } }: BetHistory): boolean => placed.type === 'betPlaced';
const openText = (found: BetHistory): string => (isBet(found) ? 'open' : 'rests');

function entryText(found: BetHistory): string {
  if (!isBet(found)) return 'not filled';
  return found.isWhole ? percentText(found.bet.placed.entryPercentE2) : 'not known any more';
}

/** Of a limit order: what it named, and when it was filled if it has rested. */
function limitRows({ bet: { placed, filled } }: BetHistory): [name: string, text: string][] {
  if (placed.limitOddsE4 === NO_LIMIT) return [];
  const limit: [string, string] = ['limit', `odds of at least ${oddsText(placed.limitOddsE4)}`];
  return filled === null ? [limit] : [limit, ['filled', instantText(filled.seq, filled.event.timeMs)]];
}

const instantText = (seq: number, timeMs: number): string =>
  seq === 0 ? isoText(timeMs) : `${isoText(timeMs)}, sequence number ${seq}`;

function resultText(result: number): string {
  if (result === RESULT_NONE) return '';
  return result === RESULT_VOID ? ', void' : `, ${textAt(ROUND_RESULTS, result)}`;
}

function clientSeedText({ isWhole, bet: { placed } }: BetHistory): string {
  if (!isWhole) return 'not known any more';
  return placed.clientSeed === null ? 'none' : quoted(placed.clientSeed);
}

function hashOf(found: BetHistory, { seeds }: KnownSeeds): string | null {
  return found.isWhole && isBet(found) && seeds !== null ? seeds.betHash(found.bet.placed) : null;
}

function entriesOf({ isWhole, bet }: BetHistory): LedgerEntry[] {
  const { placed, placedSeq, filled, settled, settledSeq } = bet;
  const order: PastEvent = filled === null ? placed : { ...placed, type: 'orderPending' };
  const entries = [
    isWhole ? ledgerEntryOf(placedSeq, order) : null,
    filled === null ? null : ledgerEntryOf(filled.seq, filled.event),
    settled === null ? null : ledgerEntryOf(settledSeq ?? 0, settled),
  ];
  return entries.filter((entry) => entry !== null);
}

export type BetJson = ReturnType<typeof betJson>;

function betJson(found: BetHistory, known: KnownSeeds) {
  const { round, isWhole } = found;
  const { placed, placedSeq, filled, settled, settledSeq } = found.bet;
  const published = {
    id: betId(placed.bet),
    marketId: marketId(placed.market),
    prediction: textAt(SIDES, placed.side),
    amount: dollarsOfCents(placed.stakeCents),
    oddsAtBet: placed.oddsE4 / 10_000,
    entryPercent: isWhole && isBet(found) ? placed.entryPercentE2 / 100 : null,
    potentialPayout: dollarsOfCents(placed.payoutCents),
    betHash: hashOf(found, known),
    placedAt: isoText(placed.timeMs),
  };
  const { seed, seedCommitment, seedNotShown } = seedsOf(round, true, known);
  const evidence = {
    bet: published,
    clientSeed: placed.clientSeed,
    roundId: round.id,
    seed,
    seedCommitment,
  };
  return {
    ...published,
    account: accountId(placed.account),
    clientSeed: placed.clientSeed,
    placedSeq: placedSeq === 0 ? null : placedSeq,
    limitOdds: placed.limitOddsE4 === NO_LIMIT ? null : placed.limitOddsE4 / 10_000,
    filledAt: filled === null ? null : isoText(filled.event.timeMs),
    round: round.id,
    roundStatus: textAt(ROUND_STATUSES, round.status),
    result: settled === null ? null : textAt(BET_ENDS, settled.result),
    payout: settled === null ? null : dollarsOfCents(settled.payoutCents),
    profit: settled === null ? null : dollarsOfCents(settled.payoutCents - placed.stakeCents),
    settledAt: settled === null ? null : isoText(settled.timeMs),
    settledSeq,
    ledger: entriesOf(found).map(entryJson),
    seedNotShown,
    source: found.source.kind,
    evidence,
  };
}
