/**
 * Can a bettor win against the house? The real engine and the real quotes against bettors, thousands of rounds a case. Exit
 * code 1 where a strategy wins beyond its interval though prices cannot be foretold, where the rounds are too few for an interval, or
 * where more than one in a hundred orders of a fair flow is refused.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Command, InvalidArgumentError, Option } from 'commander';
import { must } from '../../engine/base/assert.js';
import { TIME_FRAMES } from '../../engine/model/domain.js';
import { figure, percent, tableText } from '../report/format.js';
import { type Case, casesOf, type Wanted } from './cases.js';
import { type Figures, figuresOf, playAll } from './study.js';

const REFUSED_MAX = 0.01;
const COLUMNS = [
  'bettors',
  'profit',
  'of stakes',
  'staked',
  'bets',
  'refused',
  'worst round',
  'greatest loss',
];
const USAGE_EXIT_CODE = 2;

interface Options extends Wanted {
  readonly paths: string;
  readonly frames: readonly string[];
  readonly bettors: string;
  readonly threads: number;
}

interface Given extends Omit<Options, 'house' | 'limits'> {
  readonly policy?: 'fair' | 'fixed';
  readonly seedCents?: number;
  readonly limits?: true;
}

function readOptions(): Options {
  const { policy, seedCents, limits, ...given } = new Command('npm run economics --')
    .description('what the house earns: the real engine and quotes against bettors')
    .option('--paths <text>', 'only paths of prices whose names have it, such as late', '')
    .option('--frames <list>', 'time frames, separated by commas', framesOf, TIME_FRAMES)
    .option('--bettors <text>', 'only bettors whose names have it, such as resting', '')
    .option('--rounds <n>', 'rounds of a case; fewer where a round takes long', whole, 2_000)
    .option('--threads <n>', 'cases at once', whole, 2)
    .addOption(new Option('--policy <name>', 'other than in the default rules').choices(['fair', 'fixed']))
    .option('--seed-cents <n>', "the house's seed on each side, other than in the default rules", whole)
    .option('--limits', "with the default rules' loss limits: a case ends at them")
    .option('--seed <n>', 'of all that is random', whole, 1)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_EXIT_CODE))
    .parse()
    .opts<Given>();
  const house = { ...(policy !== undefined && { policy }), ...(seedCents !== undefined && { seedCents }) };
  return { ...given, limits: limits === true, house };
}

function whole(given: string): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(given);
}

function framesOf(given: string): readonly string[] {
  const unknown = given.split(',').find((frame) => !TIME_FRAMES.some((known) => known === frame));
  if (unknown !== undefined) throw new InvalidArgumentError(`They are ${TIME_FRAMES.join(', ')}.`);
  return given.split(',');
}

function chosen(options: Options): Case[] {
  const { paths, frames, bettors } = options;
  return casesOf(options)
    .filter(({ name, frame }) => name.includes(paths) && frames.includes(frame))
    .map((each) => ({ ...each, strategies: each.strategies.filter(({ name }) => name.includes(bettors)) }))
    .filter(({ strategies }) => strategies.length > 0);
}

function report(
  { name, asset, frame, rounds, strategies, flows, foretold = [] }: Case,
  all: readonly Figures[],
): string[] {
  const faults: string[] = [];
  const rows = strategies.map((strategy, at) => {
    const { profit, interval, margin, staked, bets, refusedShare, worst, drawdown } = must(
      all[at],
      'figures',
    );
    const about = `${name}, ${asset}_${frame}: ${strategy.name}`;
    if (interval === Infinity) faults.push(`${about}: too few rounds for an interval, give more --rounds`);
    if (profit + interval < 0 && !foretold.includes(strategy.sight)) faults.push(`${about} wins`);
    if (flows.includes(strategy) && refusedShare > REFUSED_MAX) faults.push(`${about}: too many are refused`);
    return [
      ...[strategy.name, `${profit.toFixed(2)} ± ${interval.toFixed(2)}`, percent(margin)],
      ...[figure(Math.round(staked)), figure(bets), `${(100 * refusedShare).toFixed(2)} %`],
      ...[figure(Math.round(worst)), figure(Math.round(drawdown))],
    ];
  });
  const title = `${name}: ${asset}_${frame}, ${rounds} rounds; profit of the house in USD a round, 95 % interval`;
  process.stdout.write(`${tableText({ title, columns: COLUMNS, rows })}\n`);
  return faults;
}

async function run(options: Options): Promise<void> {
  const cases = chosen(options);
  if (cases.length === 0) {
    process.stderr.write('no case has such paths, time frames and bettors\n');
    process.exit(USAGE_EXIT_CODE);
  }
  const faults: string[] = [];
  const played: Figures[][] = [];
  let [next, told] = [0, 0];
  const work = async (): Promise<void> => {
    while (next < cases.length) {
      const at = next++;
      played[at] = await playIn(options, at);
      for (let done = played[told]; done !== undefined; done = played[++told])
        faults.push(...report(must(cases[told], 'a case'), done));
    }
  };
  await Promise.all(Array.from({ length: options.threads }, work));
  for (const fault of faults) process.stdout.write(`NOT REACHED ${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function playIn(options: Options, at: number): Promise<Figures[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { options, at } });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}

if (isMainThread) await run(readOptions());
else {
  const { options, at } = workerData as { readonly options: Options; readonly at: number };
  const each = must(chosen(options)[at], 'a case');
  parentPort?.postMessage(playAll(each, each.strategies).map(figuresOf));
}
