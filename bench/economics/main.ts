/**
 * Can a bettor win against the house? The real engine and the real quotes against bettors, thousands of rounds a case. Exit
 * code 1 where a strategy wins beyond its interval though prices cannot be foretold, or where more than one in a hundred orders of a fair flow is refused.
 */
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import { TIME_FRAMES } from '../../engine/model/domain.js';
import { figure, percent, tableText } from '../report/format.js';
import { type Case, casesOf, type Wanted } from './cases.js';
import { type Figures, figuresOf, playAll } from './study.js';

const USAGE = `npm run economics -- [options]

  --paths TEXT        only paths of prices whose names have it, such as late (default all)
  --frames LIST       time frames, separated by commas (default ${TIME_FRAMES.join(',')})
  --bettors TEXT      only bettors whose names have it, such as resting (default all)
  --rounds N          rounds of a case; fewer where a round takes long (default 2000)
  --threads N         cases at once (default 2)
  --policy NAME       fair or fixed (default: the default rules')
  --seed-cents N      the house's seed on each side (default: the default rules')
  --limits            with the default rules' loss limits: a case ends at them
  --seed N            of all that is random (default 1)
`;
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
const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

interface Options extends Wanted {
  readonly paths: string;
  readonly frames: readonly string[];
  readonly bettors: string;
  readonly threads: number;
}

const OPTIONS = {
  ...{ paths: text, frames: text, bettors: text, rounds: text, threads: text, policy: text, seed: text },
  ...{ 'seed-cents': text, help: flag, limits: flag },
} as const;

function readValues() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    return usageError(error instanceof Error ? error.message : String(error));
  }
}

function readOptions(): Options {
  const values = readValues();
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const { policy, paths = '', bettors = '', frames = TIME_FRAMES.join(',') } = values;
  return {
    ...{ paths, bettors, frames: frames.split(',').map((frame) => oneOf(TIME_FRAMES, frame)) },
    rounds: whole(values.rounds ?? '2000'),
    threads: whole(values.threads ?? '2'),
    seed: whole(values.seed ?? '1'),
    limits: values.limits === true,
    house: {
      ...(policy === undefined ? {} : { policy: oneOf(['fair', 'fixed'] as const, policy) }),
      ...(values['seed-cents'] === undefined ? {} : { seedCents: whole(values['seed-cents']) }),
    },
  };
}

function whole(given: string): number {
  return /^[1-9]\d{0,8}$/.test(given)
    ? Number(given)
    : usageError(`${given}: expected a whole number above 0`);
}

function oneOf<T extends string>(known: readonly T[], given: string): T {
  return known.find((name) => name === given) ?? usageError(`${given}: expected one of ${known.join(', ')}`);
}

function usageError(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
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
