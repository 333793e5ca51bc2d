/**
 * Can a bettor win against the house? The real engine and the real quoting against bettors, thousands of rounds a time
 * frame. Exit code 1 where a strategy with prices no earlier than the house's wins beyond its interval, or where more
 * than one in a hundred orders of a fair flow is refused.
 */
import { parseArgs } from 'node:util';
import { TIME_FRAMES } from '../../engine/model/domain.js';
import { figure, percent, tableText } from '../report/format.js';
import { beside, EARLIER, fairFlow, KNOWN_ATTACKS, RESTING } from './bettors.js';
import { LATENESS_MS, type Strategy } from './market.js';
import { figuresOf, playAll, record, type Study } from './study.js';

const USAGE = `npm run economics -- [options]

  --frames LIST       time frames, separated by commas (default ${TIME_FRAMES.join(',')})
  --bettors TEXT      only bettors whose names have it, such as resting (default all)
  --rounds N          rounds in each time frame (default 2000)
  --policy NAME       fair or fixed (default: the default rules')
  --seed-cents N      the house's seed on each side (default: the default rules')
  --seed N            of all that is random (default 1)
`;
const REFUSED_MAX = 0.01;
const text = { type: 'string' } as const;

function readOptions(): { readonly studies: Study[]; readonly bettors: string } {
  const { values } = parseArgs({
    options: {
      ...{ frames: text, bettors: text, rounds: text, policy: text, seed: text, 'seed-cents': text },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  const { policy, frames = TIME_FRAMES.join(','), bettors = '' } = values;
  const house = {
    ...(policy === undefined ? {} : { policy: oneOf(['fair', 'fixed'] as const, policy) }),
    ...(values['seed-cents'] === undefined ? {} : { seedCents: whole(values['seed-cents']) }),
  };
  const common = { rounds: whole(values.rounds ?? '2000'), seed: whole(values.seed ?? '1'), house };
  const studies = frames.split(',').map((frame) => ({ ...common, frame: oneOf(TIME_FRAMES, frame) }));
  return { studies, bettors };
}

function whole(given: string): number {
  return /^\d{1,9}$/.test(given) ? Number(given) : usageError(`${given}: expected a whole number`);
}

function oneOf<T extends string>(known: readonly T[], given: string): T {
  return known.find((name) => name === given) ?? usageError(`${given}: expected one of ${known.join(', ')}`);
}

function usageError(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

/** Plays all bettors, prints their table, and returns what must not be, in words. */
function run(study: Study, bettors: string): string[] {
  const { frame, rounds, seed } = study;
  const isPlayed = ({ name, lateness }: Strategy): boolean =>
    name.includes(bettors) &&
    (lateness === 0 || (LATENESS_MS[lateness] ?? 0) >= (frame === 'ONE_DAY' ? 1_000 : 0));
  const attacks = [...KNOWN_ATTACKS, ...RESTING];
  const flows = [20, 100, 500].map((bets) => fairFlow(bets, seed));
  const all = [...attacks, ...attacks.map((attack) => beside(attack, seed)), ...EARLIER, ...flows];
  const tapes = record(study);
  const faults: string[] = [];
  const rows = all.filter(isPlayed).map((strategy) => {
    const { profit, interval, margin, staked, bets, refusedShare, worst } = figuresOf(
      playAll(study, tapes, strategy),
    );
    if (strategy.lateness === 0 && profit + interval < 0) faults.push(`${frame}: ${strategy.name} wins`);
    if (flows.includes(strategy) && refusedShare > REFUSED_MAX)
      faults.push(`${frame}: ${strategy.name}: too many are refused`);
    return [
      ...[
        strategy.name,
        `${profit.toFixed(2)} ± ${interval.toFixed(2)}`,
        percent(margin),
        figure(Math.round(staked)),
      ],
      ...[figure(bets), `${(100 * refusedShare).toFixed(2)} %`, figure(Math.round(worst))],
    ];
  });
  const title = `BTC_${frame}, ${rounds} rounds; profit of the house in USD a round, 95 % interval`;
  const columns = ['bettors', 'profit', 'of stakes', 'staked', 'bets', 'refused', 'worst round'];
  process.stdout.write(`${tableText({ title, columns, rows })}\n`);
  return faults;
}

const { studies, bettors } = readOptions();
const faults = studies.flatMap((study) => run(study, bettors));
for (const fault of faults) process.stdout.write(`NOT REACHED ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
