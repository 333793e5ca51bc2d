/** `tote bet`: everything known about one bet, and everything needed to verify its hash. */
import { Argument } from 'commander';
import { betId, ROUND_STATUSES, SETTLED, textAt } from '../../../engine/model/domain.js';
import { type ArchivedBet, isBet, termsOf } from '../../archive/reader/streams.js';
import { JournalError } from '../../errors.js';
import { betFields, entriesOf, statusWord } from '../frame/bet-fields.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { fieldsOf } from '../frame/fields.js';
import { parseBet } from '../frame/options.js';
import { type Records, withRecords } from '../sources/records.js';
import { type KnownSeeds, readRoundSeeds, seedFields } from '../sources/seeds.js';

export const betCommand = defineCommand<object, [bet: number]>({
  details:
    'Shows the stake, odds and round of the bet, its result, the ledger entries, and the betHash with what is needed to ' +
    'verify it (the seed once the round is settled). All of it is read from the archive, each row checked, and from the journal after it. ' +
    'Nothing is changed.',
  examples: [
    ['bet bet_1201', 'as it is now'],
    ['bet bet_1201 ./data --json', 'for a program'],
  ],
  operands: [new Argument('<ID>', 'the bet, such as bet_1201').argParser(parseBet)],
  run: (context, _options, [number]) =>
    withRecords(context, 'bet', (records) => {
      context.out.answer(settledBet(context, records, number) ?? foundBet(context, records, number));
      return EXIT.done;
    }),
});

/** Nothing that came later changes a settled bet, so nothing is replayed. */
function settledBet({ dir }: Context, records: Records, number: number) {
  const bet = records.archived()?.bet(number) ?? null;
  if (bet === null || bet.settled === null) return null;
  return answerOf(bet, SETTLED, readRoundSeeds(dir, records.firstRules()), 'the archive');
}

function foundBet({ dir }: Context, records: Records, number: number) {
  const { archive, state, from } = records.upTo(records.history.lastSeq);
  const engine = state();
  const bet = archive.bet(number);
  if (bet === null) throw notThere(number, archive.fromSeq > 0 && number <= engine.betsPlaced, engine.seq);
  const { market, roundNumber } = bet.order.event;
  const status = engine.round(market, roundNumber)?.status ?? SETTLED;
  return answerOf(bet, status, readRoundSeeds(dir, engine.rules), from);
}

const notThere = (bet: number, isForgotten: boolean, seq: number): JournalError =>
  new JournalError(
    'not_found',
    isForgotten
      ? `${betId(bet)} was placed before the records that are left begin.`
      : `There is no ${betId(bet)} up to sequence number ${seq}.`,
  );

function answerOf(bet: ArchivedBet, roundStatus: number, known: KnownSeeds, from: string) {
  const terms = termsOf(bet);
  // An archive that began while the bet was open does not know its entry percent and client seed.
  const isComplete = bet.order.seq > 0;
  const isKnown = isComplete && isBet(bet);
  return {
    ...betFields(bet),
    status: statusWord(bet, roundStatus),
    roundStatus: textAt(ROUND_STATUSES, roundStatus),
    entryPercentE2: isKnown ? terms.entryPercentE2 : null,
    clientSeed: terms.clientSeed,
    clientOrderId: terms.clientOrderId,
    isComplete,
    betHash: isKnown && known.seeds !== null ? known.seeds.betHash(terms) : null,
    ...seedFields(known, terms.market, terms.roundNumber, roundStatus === SETTLED),
    from,
    ledger: entriesOf(bet).map(fieldsOf),
  };
}
