/**
 * A backtest: the real server in a sandbox of its own, a price path, and a bot that has its turn after each row. The
 * bot and the prices take turns, and the sandbox begins at the path's first time, so the same path and the same bot
 * have the same results, to the byte, whenever and wherever they run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realSurroundings } from '../base/timing.js';
import type { Bot } from '../examples/bot.js';
import { addDollars, eachOf, type Market, type Position, ToteClient } from '../index.js';
import { OperatorClient, type PriceRow, playPrices } from '../sandbox/index.js';
import { LocalServer } from './server.js';

export interface BacktestPlan {
  readonly bot: Bot;
  readonly marketId: string;
  readonly path: readonly PriceRow[];
  readonly balance: number;
  readonly log: (line: string) => void;
}

/** `open` are bets of a round that had not ended when the path did; `balance` is in dollars in the end, without open stakes. */
export type BacktestRun = Readonly<ReturnType<typeof sorted>>;

/** A round's last price is final so long after its end where none follows. */
const GRACE_MS = 3_000;
const INTERRUPTED_EXIT_CODE = 130;
/** A server that was killed may write for another moment. */
const REMOVE_TRIES = 10;

export async function runBacktest(plan: BacktestPlan): Promise<BacktestRun> {
  const [first] = plan.path;
  if (first === undefined) throw new RangeError('the price path is empty');
  const folder = mkdtempSync(join(tmpdir(), 'tote-backtest-'));
  process.once('exit', () => rmSync(folder, { recursive: true, maxRetries: REMOVE_TRIES }));
  // The server is killed, and the folder removed, at the exit.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(INTERRUPTED_EXIT_CODE));
  const env = environment(folder, plan.marketId, first.timeMs);
  const server = await LocalServer.start(env, join(folder, 'data'));
  try {
    return await play(plan, server, first.timeMs);
  } finally {
    await server.stop();
  }
}

/** Nothing of the user's own server, no limits, no waiting for the disk, and no other market. */
function environment(folder: string, marketId: string, startMs: number): Record<string, string | undefined> {
  const rulesFile = join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify({ markets: [marketId] }));
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOTE_'))),
    TOTE_PORT: '0',
    TOTE_OPERATOR_PORT: '0',
    TOTE_GATEWAYS: '1',
    TOTE_CLOCK: 'manual',
    TOTE_CLOCK_START: new Date(startMs).toISOString(),
    TOTE_FEED: 'push',
    TOTE_DEMO: '0',
    TOTE_RATE_LIMITS: 'off',
    TOTE_DURABILITY: 'os',
    TOTE_LOG_LEVEL: 'error',
    TOTE_RULES_FILE: rulesFile,
  };
}

async function play(plan: BacktestPlan, server: LocalServer, startMs: number): Promise<BacktestRun> {
  const { bot, marketId, path, balance, log } = plan;
  const operator = new OperatorClient({ url: server.operatorUrl, token: server.token });
  const { accountId, key } = await operator.createBettor({ name: 'backtest', balance });
  let nowMs = startMs;
  const surroundings = { ...realSurroundings, nowMs: () => nowMs };
  const tote = new ToteClient({ url: server.apiUrl, key, surroundings });
  async function* looks(): AsyncGenerator<Market> {
    for await (const { timeMs } of playPrices(operator, path)) {
      nowMs = timeMs;
      yield await tote.getMarket(marketId);
    }
  }
  await bot({ tote, markets: looks(), log: (line) => log(`${new Date(nowMs).toISOString()}  ${line}`) });
  await operator.advance(GRACE_MS);
  const bets: Position[] = [];
  const ofAll = eachOf((page) => tote.listPositions({ status: 'all', limit: 200, ...page }));
  for await (const bet of ofAll) bets.push(bet);
  const end = await operator.getAccount(accountId);
  const run = sorted(bets, end.balance);
  checkSum(run, balance);
  return run;
}

function sorted(bets: readonly Position[], balance: number) {
  const settledMs = ({ settledAt }: Position): number => Date.parse(settledAt ?? '');
  const number = ({ id }: Position): number => Number(id.split('_').at(-1));
  const settled = bets
    .filter(({ status }) => status === 'SETTLED')
    .sort((one, other) => settledMs(one) - settledMs(other) || number(one) - number(other));
  // Limit orders that were cancelled or have expired have ended, too: their stakes went back.
  const open = bets.filter(({ settledAt }) => settledAt === null);
  return { settled, open, balance };
}

/** The bets explain the balance to the cent; otherwise some are missing. */
function checkSum({ settled, open, balance }: BacktestRun, startBalance: number): void {
  const profits = settled.map(({ profit }) => profit ?? 0);
  const stakes = open.map(({ amount }) => -amount);
  const expected = addDollars(startBalance, ...profits, ...stakes);
  if (balance !== expected) throw new Error(`the bets add up to ${expected}, but the balance is ${balance}`);
}
