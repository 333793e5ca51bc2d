/** The results of a backtest: sums, the curve of the profit, and the deepest fall on it. */
import { addDollars, type BetResult, type Position } from '../index.js';

export interface CurvePoint {
  readonly timeMs: number;
  readonly profit: number;
}

/**
 * `settled` are in the order of their settlement. `drawdownMax` is in dollars from a peak of the curve down to the lowest
 * point after it; the peak may be the beginning.
 */
export function resultsOf(settled: readonly Position[]) {
  const byResult: Partial<Record<BetResult, number>> = {};
  const curve: CurvePoint[] = [];
  let [profit, staked, peak, drawdownMax] = [0, 0, 0, 0];
  for (const bet of settled) {
    if (bet.result !== null) byResult[bet.result] = (byResult[bet.result] ?? 0) + 1;
    staked = addDollars(staked, bet.amount);
    profit = addDollars(profit, bet.profit ?? 0);
    peak = Math.max(peak, profit);
    drawdownMax = Math.max(drawdownMax, addDollars(peak, -profit));
    curve.push({ timeMs: Date.parse(bet.settledAt ?? ''), profit });
  }
  return { bets: settled.length, byResult, staked, profit, drawdownMax, curve };
}

const HEADER = 'id,placedAt,roundNumber,prediction,amount,oddsAtBet,result,payout,profit,settledAt';

export function csvOf(settled: readonly Position[]): string {
  const lines = settled.map((bet) => [
    ...[bet.id, bet.placedAt, bet.round.roundNumber, bet.prediction, bet.amount, bet.oddsAtBet],
    ...[bet.result, bet.payout, bet.profit, bet.settledAt],
  ]);
  return `${[HEADER, ...lines.map((cells) => cells.join(','))].join('\n')}\n`;
}
