/**
 * `npm run torture -- --cycles 1000 --faults 10 --hostile 15`: real servers on real files, killed, starved, attacked
 * and audited.
 */
import { parseArgs } from 'node:util';
import { anySeed, integerOption } from '../support/integer-option.js';
import { isAvailable } from '../support/programs.js';
import { Rng } from '../support/reference/random/rng.js';
import { killCycles, WAYS, type Way } from './cycles.js';
import { FAULTS } from './faults.js';
import { hostility } from './hostile.js';

const HELP = `npm run torture -- [options]      0 leaves a part out
  --seed N       the same kills and faults again (default: another each time)
  --cycles N     kill cycles under load (1000)
  --end WAY      how they end, more than once for several ways (all of them):
                 ${WAYS.map((way) => `"${way}"`).join(',\n                 ')}
  --faults N     how often each fault (10)
  --hostile N    length in seconds of each attack (15)
  --attack TEXT  only attacks whose name holds this
  --help
only the attacks: --cycles 0 --faults 0`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: anySeed() },
    cycles: { type: 'string', default: '1000' },
    end: { type: 'string', multiple: true, default: [] },
    faults: { type: 'string', default: '10' },
    hostile: { type: 'string', default: '15' },
    attack: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const seed = integerOption('seed', values.seed);
const cycles = integerOption('cycles', values.cycles);
const ways = values.end.length === 0 ? WAYS : values.end.map(wayOption);
const rng = new Rng(seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);

if (cycles > 0) {
  const report = await killCycles({ cycles, ways }, rng, (done) => {
    if (done % 10 === 0) process.stderr.write(`${done} of ${cycles} cycles\n`);
  });
  for (const [way, count] of report.ways) say(`${String(count).padStart(6)}  ${way}`);
  say(
    `${cycles} cycles: ${report.acknowledged} orders acknowledged, all there, each once; of ${report.survived + report.lost} ` +
      `others ${report.survived} had been placed, ${report.lost} had not`,
  );
}

for (const fault of FAULTS) {
  const missing = fault.needs.filter((program) => !isAvailable(program));
  if (missing.length > 0) say(`${fault.name}: left out, ${missing.join(' and ')} cannot be used`);
  else {
    for (let time = integerOption('faults', values.faults); time > 0; time--)
      say(`${fault.name}: ${await fault.run(rng)}`);
  }
}

const seconds = integerOption('hostile', values.hostile);
if (seconds > 0)
  await hostility({ seconds, named: values.attack }, ({ attack, answered, slowestMs, deeds }) => {
    const done = `${deeds.opened} connections and ${deeds.sent} pieces, ${JSON.stringify(deeds.failed)}`;
    say(
      `${attack.name}: ${answered} polite requests answered, the slowest in ${slowestMs.toFixed(0)} ms; ${done}`,
    );
  });

function wayOption(text: string): Way {
  const way = WAYS.find((known) => known === text);
  if (way === undefined)
    throw new Error(`--end: ${text} is none of ${WAYS.map((known) => `"${known}"`).join(', ')}`);
  return way;
}
