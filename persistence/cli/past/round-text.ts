/** A round as text for people, from its facts. */

import type { LedgerEntry } from '../../past/entries.js';
import { dollarsText, oneLine } from '../frame/format.js';
import { lastRows, type Output, shownOf } from '../frame/output.js';
import { sourceWords } from '../words/describe-command.js';
import { showLedger } from '../words/ledger-text.js';
import type { RoundFacts } from './round.js';

const CENTS = 100;
const usd = (dollars: number): string => `${dollarsText(Math.round(dollars * CENTS))} USD`;

export function showRound(
  out: Output,
  facts: RoundFacts,
  house: readonly LedgerEntry[],
  from: string,
  limit: number,
): void {
  out.facts([
    ['round', facts.id],
    ['as of', `sequence number ${facts.asOfSeq}`],
    ['status', statusText(facts)],
    ...timesText(facts),
    ...rulesText(facts),
    ['open price', priceText(facts.openPrice, facts.openPriceFrom)],
    ['close price', priceText(facts.closePrice, facts.closePriceFrom)],
    ['pools', `UP ${usd(facts.poolUp)}, DOWN ${usd(facts.poolDown)}`],
    ['bets', `${facts.totalBets}, stakes ${usd(facts.totalVolume)}, paid ${usd(facts.paid)}`],
    ['house', `${usd(facts.houseResult)} (what it got less what it put in)`],
    ['commitment', facts.seedCommitment ?? 'not known'],
    ['seed', facts.seed ?? facts.seedNotShown ?? 'not known'],
    ['from', from],
  ]);
  if (!facts.isWhole) out.line('\nThe journal and the archive do not reach back to all of this round.');
  showBets(out, facts, limit);
  out.line('\nThe house:');
  showLedger(out, house, limit);
  if (facts.faults.length > 0) out.line(`\nTHE ROUND DOES NOT COME OUT EVEN: ${facts.faults.join('; ')}.`);
}

function statusText({ status, result, voided, voidReason }: RoundFacts): string {
  if (voided) return `${status}, void: ${oneLine(voidReason ?? '')}`;
  return result === null ? `${status}` : `${status}, result ${result}`;
}

function timesText({ times }: RoundFacts): [string, string][] {
  return [['times', `from ${times.start}, lock ${times.lock}, end ${times.end}`]];
}

function rulesText({ rules }: RoundFacts): [string, string][] {
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
  return `${price ?? 'none'}, ${of}, ${sourceWords(from)}`;
}

function showBets(out: Output, { bets }: RoundFacts, limit: number): void {
  out.line(`\nBets: ${shownOf(bets.length, limit)}`);
  if (bets.length === 0) return;
  out.table(
    ['bet', 'account', 'side', 'stake', 'odds', 'result', 'paid', 'placed', 'settled'],
    lastRows(bets, limit).map((bet) => [
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
