/** Exports markets, their rounds and the queues of rounds: the rows of `market-tables.ts`. */
import { must } from '../base/assert.js';
import { ASSETS, MARKET_IDS, ROUND_RESULTS, ROUND_STATUSES, SETTLED, textAt } from '../model/domain.js';
import type { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';
import { flagCell, textCell } from './cells.js';
import type { Row } from './form.js';
import { proofCells } from './proofs.js';

export function marketRows({ markets }: State): Row[] {
  return markets.markets.map(({ suspended, current, lastRoundNumber }, market) => [
    textAt(MARKET_IDS, market),
    flagCell(suspended),
    current?.roundNumber ?? null,
    lastRoundNumber < 0 ? null : lastRoundNumber,
  ]);
}

export function* roundRows({ markets }: State): Generator<Row> {
  for (const { rounds, settledNumbers } of markets.markets) {
    const positions = new Map(settledNumbers.map((roundNumber, index) => [roundNumber, index + 1]));
    for (const round of rounds.values()) yield roundRow(round, positions.get(round.roundNumber) ?? null);
  }
}

function roundRow(round: Round, settledPosition: number | null): Row {
  return [
    ...roundName(round),
    textAt(ROUND_STATUSES, round.status),
    textAt(ROUND_RESULTS, round.result),
    round.startTimeMs,
    round.endTimeMs,
    round.lockTimeMs,
    round.bettingClosesMs,
    round.maxPriceAgeMs,
    round.seedCents,
    round.feeBps,
    round.minStakeCents,
    round.maxStakeCents,
    round.slippageE2,
    round.openPrice,
    round.closePrice,
    round.poolUpCents,
    round.poolDownCents,
    round.payoutUpCents,
    round.payoutDownCents,
    round.betCount,
    round.volumeCents,
    round.paidCents,
    round.resolvedAtMs,
    textCell(round.voidReason),
    round.status === SETTLED ? must(settledPosition, 'position of a settled round') : null,
    ...quoteCells(round),
    ...proofCells(round.proof),
  ];
}

function quoteCells({ quote }: Round): Row {
  if (quote === null) return [null, null, null, null];
  return [quote.shadeE6, quote.clampE6, quote.seedUpCents, quote.edgeCents];
}

export const roundName = (round: Round): [string, number] => [
  textAt(MARKET_IDS, round.market),
  round.roundNumber,
];

export function settlingRows({ bets, markets }: State): Row[] {
  return markets.settling.map((round) => {
    const row = round.nextToSettle;
    return [...roundName(round), must(bets.chunk(row).bet[bets.index(row)], 'bet to settle next')];
  });
}

export function openPriceRows({ markets }: State): Row[] {
  return markets.latestOpenPrices.flatMap((open, asset): Row[] =>
    open === null ? [] : [[textAt(ASSETS, asset), open.price, open.timeMs]],
  );
}
