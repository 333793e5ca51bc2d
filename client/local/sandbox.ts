/**
 * `npm run sandbox`: a server whose time and prices its user moves, and a bettor with a key. With `--prices` it plays a
 * price path, as fast as it goes or `--speed` times as fast as the clock on the wall, and then stays as it is.
 */
import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { OperatorClient, type PriceRow, playPrices } from '../sandbox/index.js';
import { pathTimeMs } from '../sandbox/price-path.js';
import { programNamed, readPrices, runProgram, say } from './program.js';
import { LocalServer } from './server.js';

interface Options {
  readonly prices?: string;
  readonly speed: number;
  readonly start?: number;
}

const program = programNamed('sandbox', 'a server whose time and prices you move, and a bettor with a key')
  .option('--prices <file>', 'plays a price path (CSV: time,BTC,...), and stays at its end')
  .addOption(
    new Option('--speed <factor>', 'so many times as fast as the clock')
      .argParser(speedOf)
      .default(Number.POSITIVE_INFINITY, 'as fast as it goes'),
  )
  .option('--start <time>', 'when a new sandbox begins (default: at the first price)', startOf)
  .addHelpText(
    'after',
    '\nThe data are in ./sandbox (TOTE_DATA_DIR). Ctrl-C ends the server; the next start continues there.',
  );

function speedOf(text: string): number {
  const speed = Number(text);
  if (!(speed > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return speed;
}

function startOf(text: string): number {
  const startMs = pathTimeMs(text);
  if (Number.isNaN(startMs))
    throw new InvalidArgumentError('It must be a time such as 2026-06-10T00:00:00Z.');
  return startMs;
}

const tokenSource = (dataDir: string): string =>
  process.env['TOTE_OPERATOR_TOKEN'] === undefined ? join(dataDir, 'operator-token') : 'TOTE_OPERATOR_TOKEN';

async function play(operator: OperatorClient, path: readonly PriceRow[], speed: number): Promise<void> {
  const startedMs = performance.now();
  let firstMs: number | null = null;
  for await (const { timeMs } of playPrices(operator, path)) {
    firstMs ??= timeMs;
    const aheadMs = (timeMs - firstMs) / speed - (performance.now() - startedMs);
    // Once the server has ended, nothing waits for the next price.
    if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs).unref());
  }
  const time = new Date(await operator.advance(0)).toISOString();
  say(`\nThe prices have been played. It is ${time}, and time stands still.`);
}

async function tell(
  { apiUrl, operatorUrl }: LocalServer,
  operator: OperatorClient,
  dataDir: string,
  mover: string,
): Promise<void> {
  const { key } = await operator.createBettor({ name: 'sandbox' });
  const time = new Date(await operator.advance(0)).toISOString();
  say(`The sandbox is up. It is ${time}, and ${mover} the time and the prices.

  API            ${apiUrl}
  operator API   ${operatorUrl}   (token: ${tokenSource(dataDir)})

A bettor with 10,000 USD has this key:
  export TOTE_API_KEY=${key}
`);
}

async function main(): Promise<void> {
  const { prices, speed, start } = program.parse().opts<Options>();
  const path = prices === undefined ? [] : readPrices(prices);
  const startMs = start ?? path[0]?.timeMs;
  const env = {
    TOTE_CLOCK: 'manual',
    TOTE_FEED: 'push',
    TOTE_DEMO: '0',
    TOTE_RATE_LIMITS: 'off',
    // Its minutes pass in seconds: a line for each would bury the key.
    TOTE_LOG_LEVEL: 'warn',
    ...(startMs !== undefined && { TOTE_CLOCK_START: new Date(startMs).toISOString() }),
    ...process.env,
  };
  const dataDir = process.env['TOTE_DATA_DIR'] ?? './sandbox';
  const server = await LocalServer.start(env, dataDir);
  // The terminal sends Ctrl-C to the server as well, which then ends; this program ends after it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void server.stop());
  const operator = new OperatorClient({ url: server.operatorUrl, token: server.token });
  try {
    const mover = path.length > 0 ? `${prices} moves` : 'only you move';
    await tell(server, operator, dataDir, mover);
    if (path.length > 0) await Promise.race([play(operator, path, speed), server.ended()]);
    await server.ended();
  } catch (error) {
    if (!server.isStopping) throw error;
  } finally {
    await server.stop();
  }
}

await runProgram(main);
