/** `npm run backtest -- momentum`: feeds a day of prices to a bot, prints what it won and lost, and draws it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRAMES_MS } from '../proofs/sense.js';
import type { PriceRow } from '../sandbox/index.js';
import { type BacktestRun, runBacktest } from './backtest-run.js';
import { BOT, type NamedBot } from './bots.js';
import { plotSvg } from './plot.js';
import { programNamed, readPrices, runProgram, say, UsageError } from './program.js';
import { csvOf, resultsOf } from './results.js';

const program = programNamed('backtest', 'feeds prices to a bot, and tells what it won and lost')
  .addArgument(BOT)
  .option('--prices <file>', 'a price path (CSV: time,BTC,...)', 'client/examples/prices/day.csv')
  .option('--market <id>', 'the market that the bot bets on', 'BTC_FIVE_MINUTES')
  .option('--balance <usd>', "the bot's money", Number, 1_000)
  .option('--out <folder>', 'gets the bets (CSV) and a plot (SVG)', 'backtest')
  .option('--verbose', 'print what the bot tells, too');

interface Options {
  readonly prices: string;
  readonly market: string;
  readonly balance: number;
  readonly out: string;
  readonly verbose?: true;
}

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
  const { prices: file, market: marketId, balance, out, verbose } = program.parse().opts<Options>();
  const [[name, bot]] = program.processedArgs as [NamedBot];
  const path = readPrices(file);
  const prices = pricesOf(path, marketId);
  if (prices.length === 0) throw new UsageError(`${file} has no prices for ${marketId}`);
  const frames = Object.keys(FRAMES_MS);
  if (!frames.some((frame) => marketId.endsWith(`_${frame}`)))
    throw new UsageError(`--market: ${marketId} must end in one of ${frames.join(', ')}`);
  // A place that cannot be written to is found out before the run.
  mkdirSync(out, { recursive: true });
  const log = verbose ? say : () => undefined;
  const run = await runBacktest({ bot, marketId, path, balance, log });
  const times = [path[0], path.at(-1)].map((row) => new Date(row?.timeMs ?? 0).toISOString());
  const title = `${name} on ${marketId}, ${times.join(' to ')}`;
  const [plot, bets] = [join(out, `${name}.svg`), join(out, `${name}.csv`)];
  writeFileSync(plot, plotSvg(title, prices, resultsOf(run.settled).curve));
  writeFileSync(bets, csvOf(run.settled));
  report(title, run, [plot, bets]);
}

await runProgram(main);
