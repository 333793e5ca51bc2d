/**
 * What the house earns and can lose: the real engine and the real quoting against bettors, thousands of rounds a time
 * frame. Exit code 1 where a strategy with prices no earlier than the house's wins beyond its interval, or where more
 * than one in a hundred orders of a fair flow is refused.
 */
import { parseArgs } from 'node:util';
import { ASSETS, TIME_FRAMES } from '../../engine/model/domain.js';
import type { HouseRules } from '../../engine/model/rules.js';
import { figure, tableText } from '../report/format.js';
import { PATH_NAMES, type Row, rowsOf, type Study } from './study.js';

const USAGE = `npm run economics -- [options]

  --frames LIST       time frames, separated by commas (default all)
  --paths LIST        of simulated, restless (default both)
  --asset NAME        whose prices (default BTC)
  --bettors TEXT      only those whose names have it, such as resting (default all)
  --rounds N          in each time frame (default 4000)
  --evaluations N     strategies that the search tries in each time frame, on the restless path (default 2500; 0: none)
  --policy NAME       fair or fixed (default: the default rules')
  --seed-cents N      the house's seed on each side (default: the default rules')
  --shade-e6 N        (default: the default rules')
  --clamp-e6 N        (default: the default rules')
  --seed N            of all that is random (default 1)
`;
const REFUSED_MAX = 0.01;

function readOptions(): Study[] {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      frames: text,
      paths: text,
      asset: text,
      bettors: text,
      rounds: text,
      evaluations: text,
      policy: text,
      'seed-cents': text,
      'shade-e6': text,
      'clamp-e6': text,
      seed: text,
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const house: Partial<HouseRules> = {
    ...(values.policy === undefined ? {} : { policy: oneOf(['fair', 'fixed'] as const, values.policy) }),
    ...(values['seed-cents'] === undefined ? {} : { seedCents: whole(values['seed-cents']) }),
    ...(values['shade-e6'] === undefined ? {} : { shadeE6: whole(values['shade-e6']) }),
    ...(values['clamp-e6'] === undefined ? {} : { clampE6: whole(values['clamp-e6']) }),
  };
  const evaluations = whole(values.evaluations ?? '2500');
  const { bettors = '' } = values;
  const common = { rounds: whole(values.rounds ?? '4000'), seed: whole(values.seed ?? '1'), house, bettors };
  const asset = oneOf(ASSETS, values.asset ?? 'BTC');
  return listOf(TIME_FRAMES, values.frames).flatMap((frame) =>
    listOf(PATH_NAMES, values.paths).map((path) => ({
      ...common,
      asset,
      frame,
      path,
      evaluations: path === 'restless' ? evaluations : 0,
    })),
  );
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) usageError(`${text}: expected a whole number`);
  return Number(text);
}

function oneOf<T extends string>(known: readonly T[], text: string): T {
  return known.find((name) => name === text) ?? usageError(`${text}: expected one of ${known.join(', ')}`);
}

function listOf<T extends string>(known: readonly T[], text: string | undefined): readonly T[] {
  return text === undefined ? known : text.split(',').map((name) => oneOf(known, name));
}

function usageError(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function cellsOf(row: Row): string[] {
  const { name, profit, interval, margin, stakedPerRound, betsPerRound, refusedShare, worst } = row;
  return [
    name,
    `${profit.toFixed(2)} ± ${interval.toFixed(2)}`,
    percent(margin),
    figure(Math.round(stakedPerRound)),
    figure(betsPerRound),
    percent(refusedShare),
    figure(Math.round(worst)),
  ];
}

/** What must not be, in words; null where all is well. */
function faultOf(row: Row): string | null {
  if (row.kind === 'attack' && row.profit + row.interval < 0) return `${row.name} wins`;
  const isFairFlow = row.kind === 'honest' && row.name.startsWith('fair,');
  return isFairFlow && row.refusedShare > REFUSED_MAX ? `${row.name}: too many are refused` : null;
}

function run(study: Study): string[] {
  const rows = [...rowsOf(study)];
  const { asset, frame, path, rounds } = study;
  const title = `${asset}_${frame}, ${path} prices, ${rounds} rounds; profit of the house in USD a round, 95 % interval`;
  const columns = ['bettors', 'profit', 'of stakes', 'staked', 'bets', 'refused', 'worst round'];
  process.stdout.write(`${tableText({ title, columns, rows: rows.map(cellsOf) })}\n`);
  return rows.flatMap((row) => faultOf(row) ?? []).map((fault) => `${frame}, ${path}: ${fault}`);
}

const faults = readOptions().flatMap(run);
for (const fault of faults) process.stdout.write(`NOT REACHED ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
