/** A round as text for people, from its facts. */

import { dollarsText, oneLine } from '../frame/format.js';
import type { Output } from '../frame/output.js';
import { sourceWords } from '../words/describe-command.js';
import { NOT_OPENED } from '../words/describe-event.js';
import { showLedger } from '../words/ledger-text.js';
import type { Source } from './history-reader.js';
import type { RoundFacts } from './round-facts.js';
import type { RoundHistory } from './round-history.js';

const CENTS = 100;
const usd = (dollars: number): string => `${dollarsText(Math.round(dollars * CENTS))} USD`;

export function showRound(out: Output, facts: RoundFacts, round: RoundHistory, source: Source): void {
  out.facts([
    ['round', facts.id],
    ['as of', `sequence number ${facts.asOfSeq}`],
    ['status', statusText(facts, round)],
    ...timesText(facts),
    ...rulesText(facts),
    ['open price', priceText(facts.openPrice, facts.openPriceFrom)],
    ['close price', priceText(facts.closePrice, facts.closePriceFrom)],
    ['pools', `UP ${usd(facts.poolUp)}, DOWN ${usd(facts.poolDown)}`],
    ['bets', `${facts.totalBets}, stakes ${usd(facts.totalVolume)}, paid ${usd(facts.paid)}`],
    ['house', `${usd(facts.houseResult)} (what it got less what it put in)`],
    ['commitment', facts.seedCommitment ?? 'not known'],
    ['seed', facts.seed ?? facts.seedNotShown ?? 'not known'],
    ['from', sourceText(source)],
  ]);
  if (!facts.isWhole) out.line('\nThe journal and the archive do not reach back to all of this round.');
  showStages(out, facts);
  showBets(out, facts);
  out.line('\nThe house:');
  showLedger(out, round.houseEntries);
  if (facts.faults.length > 0) out.line(`\nTHE ROUND DOES NOT COME OUT EVEN: ${facts.faults.join('; ')}.`);
}

/** Shown if the archive does not have everything. */
const sourceText = ({ kind, words }: Source): string =>
  kind === 'archive' ? `${words} (--replay shows the stages and where the prices are from)` : words;

function statusText({ status, result, voided, voidReason }: RoundFacts, { notOpened }: RoundHistory): string {
  if (notOpened !== '') return `never opened: ${NOT_OPENED[notOpened]}`;
  if (voided) return `${status}, void: ${oneLine(voidReason ?? '')}`;
  return result === null ? `${status}` : `${status}, result ${result}`;
}

function timesText({ times }: RoundFacts): [string, string][] {
  if (times === null) return [];
  return [['times', `from ${times.start}, lock ${times.lock}, end ${times.end}`]];
}

function rulesText({ rules }: RoundFacts): [string, string][] {
  if (rules === null) return [];
  const { minStake, maxStake, bettingCloses } = rules;
  const stakes =
    minStake === null || maxStake === null ? '' : `, stakes ${usd(minStake)} to ${usd(maxStake)}`;
  const closes = bettingCloses === null ? '' : `, betting closes ${bettingCloses}`;
  const seeds = `seeds ${usd(rules.seedPerSide)} a side`;
  return [
    [
      'rules',
      `fee ${rules.feePercent} %, ${seeds}, lock ${rules.lockLeadSeconds} s before the end${closes}${stakes}`,
    ],
  ];
}

function priceText(price: number | null, from: RoundFacts['openPriceFrom']): string {
  if (from === null) return price === null ? 'none' : `${price}`;
  const of = from.priceTime === null ? 'no tick was there' : `tick of ${from.priceTime}`;
  // A voided round has no close price, but there may have been a tick that was too old to count.
  const tick =
    price === null && from.price !== null ? `none; the last tick was ${from.price}` : `${price ?? 'none'}`;
  return `${tick}, ${of}, ${sourceWords(from)}`;
}

function showStages(out: Output, { stages }: RoundFacts): void {
  if (stages.length === 0) return;
  out.line('\nLife:');
  out.table(
    ['seq', 'time', 'the round is'],
    stages.map(({ seq, time, stage }) => [seq, time, stage]),
  );
}

function showBets(out: Output, { bets }: RoundFacts): void {
  out.line(`\nBets: ${bets.length}`);
  if (bets.length === 0) return;
  out.table(
    ['bet', 'account', 'side', 'stake', 'odds', 'result', 'paid', 'placed', 'settled'],
    bets.map((bet) => [
      bet.id,
      bet.account,
      bet.prediction,
      usd(bet.amount),
      bet.oddsAtBet.toFixed(4),
      bet.result ?? 'open',
      bet.payout === null ? '' : usd(bet.payout),
      bet.placedAt,
      bet.settledAt ?? '',
    ]),
  );
}
