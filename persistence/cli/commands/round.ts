/** `tote round`: everything known about one round, and whether its money adds up. */
import { Argument } from 'commander';
import { isoOrNull, isoText } from '../../../engine/base/iso-text.js';
import {
  RESULT_NONE,
  ROUND_RESULTS,
  ROUND_STATUSES,
  type RoundName,
  roundId,
  SETTLED,
  textAt,
} from '../../../engine/model/domain.js';
import type { PriceOrigin } from '../../../engine/model/proofs/proof-views.js';
import type { RoundView } from '../../../engine/model/views.js';
import { type LedgerEntry, ledgerEntryOf } from '../../archive/reader/entries.js';
import type { ArchivedRound } from '../../archive/reader/row-events.js';
import { type ArchivedBet, isBet } from '../../archive/reader/streams.js';
import { JournalError } from '../../errors.js';
import { betFields } from '../frame/bet-fields.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { fieldsOf } from '../frame/fields.js';
import { parseRound } from '../frame/options.js';
import { withRecords } from '../sources/records.js';
import { readRoundSeeds, seedFields } from '../sources/seeds.js';

export const roundCommand = defineCommand<object, [round: RoundName]>({
  details:
    'Shows the rules of the round, its times, its prices with their origin, its pools, every bet with its payout, the seeds ' +
    'and the settlement of the house, why it was voided, and its seed commitment; the seed itself once it is settled, if ' +
    'the master secret can be read. If payouts, pools and the house do not add up, it says so and ends with 1. All of it is ' +
    'read from the archive, each row checked, and from the newest snapshot with the journal after it. Nothing is changed.',
  examples: [
    ['round BTC_ONE_MINUTE_29684880', 'the round with this id, as GET /markets shows it'],
    ['round BTC_ONE_MINUTE_29684880 ./data --json', 'for a program'],
  ],
  operands: [new Argument('<ID>', 'the round, such as BTC_ONE_MINUTE_29684880').argParser(parseRound)],
  run: (context, _options, [{ market, roundNumber }]) =>
    withRecords(context, 'round', (records) => {
      const { archive, state, from } = records.upTo(records.history.lastSeq);
      const engine = state();
      const round = engine.round(market, roundNumber) ?? archive.round(market, roundNumber);
      if (round === null) throw notThere(market, roundNumber, engine.seq);
      const all = archive.betsOfRound(market, roundNumber);
      const bets = all.filter(isBet);
      const house = [...archive.houseEvents(market, roundNumber)].flatMap(
        ({ seq, event }) => ledgerEntryOf(seq, event) ?? [],
      );
      // Else not all of its bets may be known.
      const isComplete = archive.fromSeq === 0;
      const faults = isComplete ? faultsOf(round, bets, house) : [];
      const seeds = readRoundSeeds(context.dir, engine.rules);
      const isSettled = statusOf(round) === SETTLED;
      // Nothing tells what was paid for bets that were settled before the records begin.
      const paid = bets.length === round.betCount ? paidCents(bets) : null;
      context.out.answer({
        ...roundFields(round),
        paidCents: paid,
        houseResultCents: isSettled && paid !== null ? round.volumeCents - paid : null,
        ...seedFields(seeds, market, roundNumber, isSettled),
        seq: engine.seq,
        from,
        isComplete,
        bets: bets.map(betFields),
        unfilledOrders: all.filter((order) => !isBet(order)).map(betFields),
        house: house.map(fieldsOf),
        faults,
      });
      return faults.length === 0 ? EXIT.done : EXIT.faulty;
    }),
});

const notThere = (market: number, roundNumber: number, seq: number): JournalError =>
  new JournalError(
    'not_found',
    `There was no round ${roundId(market, roundNumber)} up to sequence number ${seq}, or nothing is left that knows of it. ` +
      'If it never opened, npx tote replay --explain for that time shows why.',
  );

type Round = RoundView | ArchivedRound;

const statusOf = (round: Round): number => ('status' in round ? round.status : SETTLED);

/** Limits of stakes are known while the round is in memory. */
function roundFields(round: Round) {
  const limits =
    'status' in round
      ? {
          bettingCloses: isoText(round.bettingClosesMs),
          minStakeCents: round.minStakeCents,
          maxStakeCents: round.maxStakeCents,
        }
      : {};
  return {
    round: roundId(round.market, round.roundNumber),
    status: textAt(ROUND_STATUSES, statusOf(round)),
    result: round.result === RESULT_NONE ? null : textAt(ROUND_RESULTS, round.result),
    voidReason: round.voidReason === '' ? null : round.voidReason,
    start: isoText(round.startTimeMs),
    lock: isoText(round.lockTimeMs),
    end: isoText(round.endTimeMs),
    ...limits,
    feeBps: round.feeBps,
    seedPerSideCents: round.seedCents,
    openPrice: round.openPrice,
    openPriceFrom: originFields(round.proof.open),
    closePrice: round.closePrice,
    closePriceFrom: originFields(round.proof.close),
    poolUpCents: round.poolUpCents,
    poolDownCents: round.poolDownCents,
    betCount: round.betCount,
    volumeCents: round.volumeCents,
  };
}

function originFields(origin: PriceOrigin | null) {
  if (origin === null) return null;
  const { priceTimeMs, source, evidence } = origin;
  return { priceTime: isoOrNull(priceTimeMs), source, evidence };
}

/** Seeds and stakes must be the pools, and so must payouts and the house's part. */
function faultsOf(round: Round, bets: readonly ArchivedBet[], house: readonly LedgerEntry[]): string[] {
  const faults: string[] = [];
  const stakesCents = bets.reduce((sum, { order }) => sum + order.event.stakeCents, 0);
  const poolsCents = round.poolUpCents + round.poolDownCents;
  const seedsCents = -sumOf(house.filter(({ kind }) => kind === 'seed'));
  const say = (what: string, cents: number, otherCents: number): void => {
    if (cents !== otherCents) faults.push(`${what}: ${cents} and ${otherCents} cents`);
  };
  say('the bets and the volume differ', stakesCents, round.volumeCents);
  say('seeds with stakes and the pools differ', seedsCents + stakesCents, poolsCents);
  if (bets.length !== round.betCount)
    faults.push(`${bets.length} bets are known, the round counts ${round.betCount}`);
  if (statusOf(round) === SETTLED) {
    const restCents = sumOf(house.filter(({ kind }) => kind === 'settlement'));
    say('payouts with what the house got and the pools differ', paidCents(bets) + restCents, poolsCents);
    const open = bets.filter(({ settled }) => settled === null).length;
    if (open > 0) faults.push(`the round is settled, but ${open} of its bets are not`);
  }
  return faults;
}

const paidCents = (bets: readonly ArchivedBet[]): number =>
  bets.reduce((sum, { settled }) => sum + (settled?.event.payoutCents ?? 0), 0);
const sumOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { amountCents }) => sum + amountCents, 0);
