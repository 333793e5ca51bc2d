/** `tote bet`: everything known about one bet, and everything needed to verify its hash. */
import { Argument, InvalidArgumentError } from 'commander';
import { must } from '../../../engine/base/assert.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import type { Engine } from '../../../engine/engine.js';
import {
  accountId,
  BET_ENDS,
  betId,
  marketId,
  NO_END,
  NO_LIMIT,
  parseBetId,
  RESULT_NONE,
  RESULT_VOID,
  ROUND_RESULTS,
  ROUND_STATUSES,
  roundId,
  SIDES,
  textAt,
} from '../../../engine/model/domain.js';
import type { PastEvent } from '../../../engine/model/events.js';
import { JournalError } from '../../errors.js';
import { type LedgerEntry, ledgerEntryOf } from '../../past/entries.js';
import type { Past } from '../../past/past.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText, oddsText, percentText, quoted, usd } from '../frame/format.js';
import type { Output } from '../frame/output.js';
import { type Known, Look } from '../past/look.js';
import { AT_OPTIONS, type AtOptions, seqOf } from '../past/moments.js';
import {
  type BetHistory,
  betsIn,
  findRound,
  type KnownSeeds,
  type Round,
  readRoundSeeds,
  seedsOf,
  statusOf,
} from '../past/round.js';
import { entryJson, showLedger } from '../words/ledger-text.js';

export const betCommand = defineCommand<AtOptions>({
  details:
    'Shows the stake, odds and round of the bet, its result, the ledger entries, and the betHash with what is needed to ' +
    'verify it (the seed once the round is settled). All of it is read from the archive, each row checked, and from the journal after it. ' +
    'Nothing is changed.',
  examples: [
    ['bet bet_1201', 'as it is now'],
    ['bet bet_1201 ./data --json', 'for a program'],
  ],
  operands: [new Argument('<ID>', 'the bet, such as bet_1201').argParser(parseBet)],
  options: AT_OPTIONS,
  run: (context, options, operands) =>
    Look.at(context, 'bet', (look) => {
      const seq = seqOf(look, options);
      const number = parseBet(must(operands[0], 'the bet'));
      const found = settledBet(look.archived(), number, seq) ?? foundBet(look.upTo(seq), number);
      const seeds = readRoundSeeds(context.dir, look.withRules(found.engine));
      if (context.out.isJson) context.out.document(betJson(found, seeds));
      else show(context.out, found, seeds);
      return EXIT.done;
    }),
});

interface FoundBet {
  readonly bet: BetHistory;
  readonly round: Round;
  /** null if nothing was asked of it. */
  readonly engine: Engine | null;
  readonly words: string;
  readonly isWhole: boolean;
}

/** Nothing that came later changes a settled bet, so nothing is replayed. */
function settledBet(past: Past | null, number: number, seq: number): FoundBet | null {
  const [bet] = past === null ? [] : betsIn(past.betEvents(number, seq));
  if (past === null || bet === undefined || bet.settled === null) return null;
  const round = past.round(bet.placed.market, bet.placed.roundNumber, seq);
  return round === null
    ? null
    : { bet, round, engine: null, words: 'the archive', isWhole: bet.placedSeq > 0 };
}

function foundBet({ past, state, words }: Known, number: number): FoundBet {
  const engine = state();
  const [bet] = betsIn(past.betEvents(number, engine.seq));
  if (bet === undefined) throw notThere(number, past.fromSeq > 0 && number <= engine.betCount, engine.seq);
  const { market, roundNumber } = bet.placed;
  const round = must(findRound(past, engine, market, roundNumber), 'the round of a bet');
  // An archive that began while the bet was open does not know its entry percent and client seed.
  return { bet, round, engine, words, isWhole: bet.placedSeq > 0 };
}

const notThere = (bet: number, isForgotten: boolean, seq: number): JournalError =>
  new JournalError(
    'not_found',
    isForgotten
      ? `${betId(bet)} was placed before the past that is left begins.`
      : `There is no ${betId(bet)} up to sequence number ${seq}.`,
  );

function parseBet(text: string): number {
  const number = parseBetId(text);
  if (number === 0) throw new InvalidArgumentError('Expected the id of a bet, such as bet_1201.');
  return number;
}

function show(out: Output, found: FoundBet, known: KnownSeeds): void {
  const { round } = found;
  const { placed, settled } = found.bet;
  const { seed, seedCommitment, seedNotShown } = seedsOf(round, known);
  out.facts([
    ['bet', betId(placed.bet)],
    ['account', accountId(placed.account)],
    ['round', `${nameOf(found)}, ${textAt(ROUND_STATUSES, statusOf(round))}${resultText(round.result)}`],
    ['bet on', `${textAt(SIDES, placed.side)}, ${usd(placed.stakeCents)} at odds ${oddsText(placed.oddsE4)}`],
    ['entry percent', entryText(found)],
    ['a win pays', usd(placed.payoutCents)],
    ['client seed', clientSeedText(found)],
    ['client order id', placed.clientOrderId === null ? 'none' : quoted(placed.clientOrderId)],
    ['placed', instantText(found.bet.placedSeq, placed.timeMs)],
    ...limitRows(found),
    ['result', settled === null ? openText(found) : textAt(BET_ENDS, settled.event.result)],
    ['paid', settled === null ? '' : usd(settled.event.payoutCents)],
    ['settled', settled === null ? '' : instantText(settled.seq, settled.event.timeMs)],
    ['bet hash', hashOf(found, known) ?? 'not known'],
    ['commitment', seedCommitment ?? 'not known'],
    ['seed', seed ?? seedNotShown ?? 'not known'],
    ['from', found.words],
  ]);
  out.line('');
  showLedger(out, entriesOf(found), Number.POSITIVE_INFINITY);
}

const isBet = ({ bet: { placed } }: FoundBet): boolean => placed.type === 'betPlaced';
const nameOf = ({ round: { market, roundNumber } }: FoundBet): string => roundId(market, roundNumber);
const openText = (found: FoundBet): string => (isBet(found) ? 'open' : 'rests');

function entryText(found: FoundBet): string {
  if (!isBet(found)) return 'not filled';
  return found.isWhole ? percentText(found.bet.placed.entryPercentE2) : 'not known any more';
}

/** A limit order's own odds, and its fill if it has rested. */
function limitRows({ bet: { placed, filled } }: FoundBet): [name: string, text: string][] {
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

function clientSeedText({ isWhole, bet: { placed } }: FoundBet): string {
  if (!isWhole) return 'not known any more';
  return placed.clientSeed === null ? 'none' : quoted(placed.clientSeed);
}

function hashOf(found: FoundBet, { seeds }: KnownSeeds): string | null {
  return found.isWhole && isBet(found) && seeds !== null ? seeds.betHash(found.bet.placed) : null;
}

function entriesOf({ isWhole, bet }: FoundBet): LedgerEntry[] {
  const { placed, placedSeq, filled, settled } = bet;
  const order: PastEvent =
    filled === null ? placed : { ...placed, type: 'orderPending', validUntilMs: NO_END };
  const entries = [
    isWhole ? ledgerEntryOf(placedSeq, order) : null,
    filled === null ? null : ledgerEntryOf(filled.seq, filled.event),
    settled === null ? null : ledgerEntryOf(settled.seq, settled.event),
  ];
  return entries.filter((entry) => entry !== null);
}

export type BetJson = ReturnType<typeof betJson>;

function betJson(found: FoundBet, known: KnownSeeds) {
  const { round, isWhole } = found;
  const { placed, placedSeq, filled, settled } = found.bet;
  const { seed, seedCommitment, seedNotShown } = seedsOf(round, known);
  return {
    id: betId(placed.bet),
    marketId: marketId(placed.market),
    prediction: textAt(SIDES, placed.side),
    amount: dollarsOfCents(placed.stakeCents),
    oddsAtBet: placed.oddsE4 / 10_000,
    entryPercent: isWhole && isBet(found) ? placed.entryPercentE2 / 100 : null,
    potentialPayout: dollarsOfCents(placed.payoutCents),
    betHash: hashOf(found, known),
    placedAt: isoText(placed.timeMs),
    account: accountId(placed.account),
    clientSeed: placed.clientSeed,
    clientOrderId: placed.clientOrderId,
    placedSeq: placedSeq === 0 ? null : placedSeq,
    limitOdds: placed.limitOddsE4 === NO_LIMIT ? null : placed.limitOddsE4 / 10_000,
    filledAt: filled === null ? null : isoText(filled.event.timeMs),
    round: nameOf(found),
    roundStatus: textAt(ROUND_STATUSES, statusOf(round)),
    result: settled === null ? null : textAt(BET_ENDS, settled.event.result),
    payout: settled === null ? null : dollarsOfCents(settled.event.payoutCents),
    profit: settled === null ? null : dollarsOfCents(settled.event.payoutCents - placed.stakeCents),
    settledAt: settled === null ? null : isoText(settled.event.timeMs),
    settledSeq: settled === null ? null : settled.seq,
    ledger: entriesOf(found).map(entryJson),
    seed,
    seedCommitment,
    seedNotShown,
  };
}
