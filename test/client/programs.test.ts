/** The programs for authors of bots, as they are run: `npm run backtest`, `sandbox` and `examples`. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { subtractDollars, ToteClient } from '../../client/index.js';
import { type BacktestPlan, runBacktest } from '../../client/local/backtest-run.js';
import { readPrices } from '../../client/local/program.js';
import { askUntil } from '../support/ask-until.js';
import { newDataDir, Server } from '../support/processes/server.js';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const DAY = join(project, 'client', 'examples', 'prices', 'day.csv');
const folder = newDataDir();
const running: ChildProcess[] = [];
after(async () => {
  for (const child of running) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

const program = (name: string): string => join(project, 'dist', 'client', 'local', `${name}.js`);
const ran = (name: string, args: readonly string[], env: Readonly<NodeJS.ProcessEnv> = process.env) =>
  promisify(execFile)(process.execPath, [program(name), ...args], { cwd: project, env });

/** The first 25 minutes: five rounds. */
function shortPath(): string {
  const lines = readFileSync(DAY, 'utf8').split('\n');
  const file = join(folder, 'short.csv');
  writeFileSync(file, `${lines.slice(0, 52).join('\n')}\n`);
  return file;
}

function start(name: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const own = Object.entries(process.env).filter(([variable]) => !variable.startsWith('TOTE_'));
  const child = spawn(process.execPath, [program(name), ...args], {
    cwd: project,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const sees = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(said);
      if (found !== null) return found;
      const more = once(child.stdout, 'data').then(() => true);
      const goesOn = await Promise.race([more, once(child, 'close').then(() => pattern.test(said))]);
      if (!goesOn) throw new Error(`${name} ended and said ${said}`);
    }
  };
  const end = async (signal: NodeJS.Signals) => child.kill(signal) && once(child, 'exit');
  return { sees, end };
}

test('a backtest gives the same bytes every time, and the sums fit', async () => {
  const prices = shortPath();
  const outputs: string[] = [];
  for (const run of ['one', 'two']) {
    const out = join(folder, run);
    const { stdout, stderr } = await ran('backtest', ['momentum', '--prices', prices, '--out', out]);
    assert.equal(stderr, '');
    const files = readdirSync(out).sort();
    assert.deepEqual(files, ['momentum.csv', 'momentum.svg']);
    const texts = files.map((name) => readFileSync(join(out, name), 'utf8'));
    outputs.push([stdout.replaceAll(out, 'OUT'), ...texts].join('\n---\n'));
  }
  assert.equal(outputs[0], outputs[1]);
  const [text = ''] = outputs;
  const sentence = /^momentum on BTC_FIVE_MINUTES, 2026-06-10T00:00:00\.000Z to 2026-06-10T00:25:00\.000Z$/m;
  assert.match(text, sentence);
  const [, profit = ''] = /^ {2}profit +(-?[\d.]+) USD/m.exec(text) ?? [];
  const [, balance = ''] = /^ {2}balance +([\d.]+) USD/m.exec(text) ?? [];
  assert.equal(subtractDollars(Number(balance), 1_000), Number(profit));
  assert.match(text, /<svg .*<polyline .*<polyline .*<\/svg>/s);
});

test('a price that is refused beside others ends a backtest', async () => {
  const prices = join(folder, 'jump.csv');
  writeFileSync(prices, 'time,BTC,ETH\n2026-06-10T00:00:00Z,1,1\n2026-06-10T00:00:01Z,2,1\n');
  const told = { code: 1, stderr: /^price_refused: BTC: .* factor of 1.5; .*\n$/ };
  await assert.rejects(ran('backtest', ['momentum', '--prices', prices, '--out', folder]), told);
});

test('limit orders that have expired are not open after a backtest', async () => {
  const bot: BacktestPlan['bot'] = async ({ tote, markets }) => {
    for await (const { id: marketId, currentRound } of markets) {
      const order = { marketId, prediction: 'UP', amount: 10, limitOdds: 900 } as const;
      if (currentRound?.status === 'LIVE') await tote.placeOrder(order, { idempotencyKey: currentRound.id });
    }
  };
  const plan = { bot, marketId: 'BTC_FIVE_MINUTES', path: readPrices(shortPath()), log: () => undefined };
  assert.deepEqual(await runBacktest({ ...plan, balance: 100 }), { settled: [], open: [], balance: 100 });
});

const WRONG: readonly (readonly [name: string, args: readonly string[], line: RegExp])[] = [
  ['sandbox', ['--nope'], /^error: unknown option '--nope'\n$/],
  [
    'sandbox',
    ['--start', 'now'],
    /^error: option '--start <time>' .* must be a time such as 2026-06-10T00:00:00Z\.\n$/,
  ],
  ['sandbox', ['--prices', 'README.md'], /^--prices README\.md: line 1: the columns must be time .*\n$/],
  ['examples', [], /^error: missing required argument 'bot'\n$/],
  ['examples', ['momentum'], /^no TOTE_API_KEY is set, .* start the server first, with npm start\n$/],
  ['backtest', ['momentun'], /^error: .* The bots are momentum, imbalance, both-sides\.\n$/],
  ['backtest', ['momentum', 'imbalance'], /^error: too many arguments\..*\n$/],
  ['backtest', ['momentum', '--market', 'ETH_ONE_DAY'], /^.*day\.csv has no prices for ETH_ONE_DAY\n$/],
  ['backtest', ['momentum', '--market', 'BTC_FOO'], /^--market: BTC_FOO must end in one of .*\n$/],
];
test('a mistake in a command is one line and exit code 2', async () => {
  const env = { ...process.env, TOTE_DATA_DIR: join(folder, 'nowhere'), TOTE_API_KEY: undefined };
  for (const [name, args, line] of WRONG)
    await assert.rejects(ran(name, args, env), { code: 2, stderr: line });
});

test('a server ends with its program, and a backtest leaves no file behind', async () => {
  const prices = join(folder, 'unknown.csv');
  writeFileSync(prices, 'time,DOGE\n2026-06-10T00:00:00Z,1\n');
  const env = { TOTE_DATA_DIR: join(folder, 'ended'), TOTE_PORT: '0', TOTE_OPERATOR_PORT: '0' };
  const sandbox = ran('sandbox', ['--prices', prices], { ...process.env, ...env });
  await assert.rejects(sandbox, /\ninvalid_request: \[0\]\.crypto must be .*\n$/);
  const TMPDIR = newDataDir();
  const backtest = start('backtest', ['momentum', '--verbose'], { TMPDIR });
  await backtest.sees(/bet_/);
  assert.deepEqual(await backtest.end('SIGTERM'), [130, null]);
  assert.deepEqual(readdirSync(TMPDIR), []);
});

test('the sandbox prints a key, plays a price path, and keeps its time and its data', async () => {
  const dataDir = join(folder, 'sandbox');
  const env = { TOTE_DATA_DIR: dataDir, TOTE_PORT: '0', TOTE_OPERATOR_PORT: '0', TOTE_LOG_LEVEL: 'error' };
  const first = start('sandbox', ['--prices', shortPath()], env);
  const [, url = ''] = await first.sees(/^ *API +(\S+)/m);
  const [, key = ''] = await first.sees(/^ *export TOTE_API_KEY=(\S+)$/m);
  await first.sees(/It is 2026-06-10T00:25:00\.000Z, and time stands still/);
  const tote = new ToteClient({ url, key });
  assert.equal((await tote.getTime()).time, '2026-06-10T00:25:00.000Z');
  assert.deepEqual(await tote.cancelOrders(), { cancelled: 0 }, 'the key may cancel');
  const { currentRound } = await tote.getMarket('BTC_FIVE_MINUTES');
  assert.equal(currentRound?.startTime, '2026-06-10T00:25:00.000Z');
  await first.end('SIGTERM');
  const second = start('sandbox', ['--prices', DAY, '--speed', '0.001'], env);
  await second.sees(/It is 2026-06-10T00:25:00\.000Z, and \S+day\.csv moves the time and the prices\./);
  const [, again = ''] = await second.sees(/^ *API +(\S+)/m);
  const playing = new ToteClient({ url: again, key });
  await askUntil(
    () => playing.getTime(),
    ({ time }) => time === '2026-06-10T00:25:30.000Z',
  );
  assert.deepEqual(await second.end('SIGTERM'), [0, null], 'it does not wait for the next price');
});

test('an example bot makes itself an account and bets beside `npm start`, whose ports a sandbox cannot have', async (t) => {
  const dataDir = join(folder, 'live');
  const env = { TOTE_CLOCK: undefined, TOTE_FEED: undefined, TOTE_RULES_FILE: undefined };
  const server = await Server.start({ dataDir, env });
  t.after(() => server.kill());
  const bot = start('examples', ['momentum'], {
    TOTE_DATA_DIR: dataDir,
    TOTE_API_URL: `${server.publicUrl}/v1`,
    // Without the path, which the client knows.
    TOTE_OPERATOR_URL: server.operatorUrl,
  });
  await bot.sees(/^momentum bets as acc_1, a new account with 1000 USD/);
  // Real time and a simulated walk: a bet may take a round or two, which this test does not wait for.
  await server.operator.get('/accounts/acc_1');
  assert.deepEqual(await bot.end('SIGINT'), [0, null]);
  const other = { TOTE_OPERATOR_URL: server.operatorUrl, TOTE_OPERATOR_TOKEN: 'of-another-server' };
  const astray = ran('examples', ['momentum'], { ...process.env, ...other, TOTE_API_KEY: undefined });
  const line = /another operator token: set TOTE_API_KEY, .* or TOTE_DATA_DIR to its folder\n$/;
  await assert.rejects(astray, { code: 2, stderr: line });
  const { port } = new URL(server.publicUrl);
  const own = { TOTE_DATA_DIR: join(folder, 'refused'), TOTE_PORT: port, TOTE_OPERATOR_PORT: '0' };
  const told =
    /TOTE_PORT: cannot listen.*\nThe server did not start: .* set TOTE_PORT and TOTE_OPERATOR_PORT\.\n$/;
  await assert.rejects(ran('sandbox', [], { ...process.env, ...own }), told);
});
