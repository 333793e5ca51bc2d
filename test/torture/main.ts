/**
 * `npm run torture -- --cycles 1000 --faults 10 --hostile 15`: real servers on real files, killed, starved, attacked
 * and audited.
 */
import { Option } from 'commander';
import { isAvailable } from '../support/programs.js';
import { Rng } from '../support/reference/random/rng.js';
import { optionsOf, seededProgram, wholeNumber } from '../support/seeded-program.js';
import { killCycles, WAYS, type Way } from './cycles.js';
import { FAULTS } from './faults.js';
import { hostility } from './hostile.js';

const options = optionsOf<{ cycles: number; end: Way[]; faults: number; hostile: number; attack: string }>(
  seededProgram('torture', 'kills, starves, attacks and audits real servers; 0 leaves a part out')
    .option('--cycles <n>', 'kill cycles under load', wholeNumber, 1_000)
    .addOption(new Option('--end <ways...>', 'how they end').choices(WAYS).default(WAYS, 'all of them'))
    .option('--faults <n>', 'how often each fault', wholeNumber, 10)
    .option('--hostile <n>', 'length in seconds of each attack', wholeNumber, 15)
    .option('--attack <text>', 'only attacks whose name holds this', ''),
);
const { cycles, end: ways, faults, hostile: seconds, attack: named } = options;
const rng = new Rng(options.seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

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
    for (let time = faults; time > 0; time--) say(`${fault.name}: ${await fault.run(rng)}`);
  }
}

if (seconds > 0)
  await hostility({ seconds, named }, ({ attack, answered, slowestMs, deeds }) => {
    const done = `${deeds.opened} connections and ${deeds.sent} pieces, ${JSON.stringify(deeds.failed)}`;
    say(
      `${attack.name}: ${answered} polite requests answered, the slowest in ${slowestMs.toFixed(0)} ms; ${done}`,
    );
  });
