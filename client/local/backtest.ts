/** `npm run backtest -- momentum`: feeds a day of prices to a bot, prints what it won and lost, and draws it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PriceRow } from '../sandbox/index.js';
import { type BacktestRun, runBacktest } from './backtest-run.js';
import { botNamed } from './bots.js';
import { plotSvg } from './plot.js';
import { readArgs, readPrices, runProgram, say, UsageError } from './program.js';
import { csvOf, resultsOf } from './results.js';

const OPTIONS = {
  options: {
    prices: { type: 'string', default: 'client/examples/prices/day.csv' },
    market: { type: 'string', default: 'BTC_FIVE_MINUTES' },
    balance: { type: 'string', default: '1000' },
    out: { type: 'string', default: 'backtest' },
    verbose: { type: 'boolean', default: false },
  },
  allowPositionals: true,
} as const;

function pricesOf(path: readonly PriceRow[], marketId: string) {
  const crypto = marketId.slice(0, marketId.indexOf('_'));
  return path.flatMap(({ timeMs, prices }) =>
    Object.entries(prices)
      .filter(([name]) => name === crypto)
      .map(([, value]) => ({ timeMs, value })),
  );
}

function report(title: string, { settled, open, balance }: BacktestRun, files: readonly string[]): void {
  const { bets, byResult, staked, profit, drawdownMax } = resultsOf(settled);
  const { WIN = 0, LOSS = 0, DRAW = 0, REFUNDED = 0 } = byResult;
  const share = staked === 0 ? '' : `   ${((100 * profit) / staked).toFixed(2)} % of the stakes`;
  say(title);
  say(
    `  bets       ${bets}   ${WIN} won, ${LOSS} lost, ${DRAW} drawn, ${REFUNDED} refunded, ${open.length} still open`,
  );
  say(`  staked     ${staked.toFixed(2)} USD`);
  say(`  profit     ${profit.toFixed(2)} USD${share}`);
  say(`  drawdown   ${drawdownMax.toFixed(2)} USD at the most`);
  say(`  balance    ${balance.toFixed(2)} USD`);
  say(`  written    ${files.join(', ')}`);
}

async function main(): Promise<void> {
  const { values, positionals } = readArgs(OPTIONS);
  const [name = '', ...others] = positionals;
  if (others.length > 0) throw new UsageError(`one bot at a time, not ${positionals.join(' and ')}`);
  const { market: marketId, out } = values;
  const bot = botNamed(name);
  const path = readPrices(values.prices);
  const prices = pricesOf(path, marketId);
  if (prices.length === 0) throw new UsageError(`${values.prices} has no prices for ${marketId}`);
  const log = values.verbose ? say : () => undefined;
  const run = await runBacktest({ bot, marketId, path, balance: Number(values.balance), log });
  const times = [path[0], path.at(-1)].map((row) => new Date(row?.timeMs ?? 0).toISOString());
  const title = `${name} on ${marketId}, ${times.join(' to ')}`;
  mkdirSync(out, { recursive: true });
  const [plot, bets] = [join(out, `${name}.svg`), join(out, `${name}.csv`)];
  writeFileSync(plot, plotSvg(title, prices, resultsOf(run.settled).curve));
  writeFileSync(bets, csvOf(run.settled));
  report(title, run, [plot, bets]);
}

await runProgram(main);
