/**
 * `npm run examples -- momentum`: runs an example bot beside `npm start`. With `TOTE_API_KEY` it bets with that key;
 * without one it makes itself an account with 1,000 USD by the operator API of the server on this machine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToteClient, ToteError } from '../index.js';
import { OperatorClient } from '../sandbox/index.js';
import { BOT, type NamedBot } from './bots.js';
import { programNamed, runProgram, say, UsageError } from './program.js';

const BALANCE = 1_000;
/** A server with another data directory answers this. */
const UNKNOWN_TOKEN = 401;

const program = programNamed('examples', 'runs an example bot beside npm start')
  .addArgument(BOT)
  .option('--market <id>', 'the market that the bot bets on', 'BTC_ONE_MINUTE')
  .addHelpText(
    'after',
    '\nIt bets with the key in TOTE_API_KEY, or makes itself an account on this machine.',
  );
const { env } = process;

async function makeKey(name: string): Promise<string> {
  const file = join(env['TOTE_DATA_DIR'] ?? './data', 'operator-token');
  let token: string;
  try {
    token = env['TOTE_OPERATOR_TOKEN'] ?? readFileSync(file, 'utf8').trim();
  } catch {
    throw new UsageError(
      `no TOTE_API_KEY is set, and there is no ${file}: start the server first, with npm start`,
    );
  }
  const url = env['TOTE_OPERATOR_URL'];
  const operator = new OperatorClient({ token, ...(url !== undefined && { url }) });
  const bettor = { name: `example ${name}`, balance: BALANCE };
  const { accountId, key } = await operator.createBettor(bettor).catch((thrown: unknown) => {
    if (!(thrown instanceof ToteError && thrown.status === UNKNOWN_TOKEN)) throw thrown;
    throw new UsageError(
      'the server has another operator token: set TOTE_API_KEY, which a sandbox prints, or TOTE_DATA_DIR to its folder',
    );
  });
  say(`${name} bets as ${accountId}, a new account with ${BALANCE} USD. Ctrl-C ends it.`);
  return key;
}

async function main(): Promise<void> {
  const { market } = program.parse().opts<{ readonly market: string }>();
  const [[name, bot]] = program.processedArgs as [NamedBot];
  const url = env['TOTE_API_URL'];
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const key = env['TOTE_API_KEY'] ?? (await makeKey(name));
  const tote = new ToteClient({ key, ...(url !== undefined && { url }) });
  const markets = tote.watchMarket(market, { signal: ending.signal });
  await bot({ tote, markets, log: say });
}

await runProgram(main);
