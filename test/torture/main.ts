/**
 * `npm run torture -- --cycles 1000 --faults 10 --hostile 10`: real servers on real files, killed, starved and attacked,
 * each audited afterwards. 0 leaves a part out.
 */
import { parseArgs } from 'node:util';
import { isAvailable } from '../support/programs.js';
import { Dice } from '../support/reference/dice.js';
import { anySeed, wholeOption } from '../support/whole-option.js';
import { killCycles } from './cycles.js';
import { FAULTS } from './faults.js';
import { hostility } from './hostile.js';
import { keyTiming } from './key-timing.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: anySeed() },
    cycles: { type: 'string', default: '1000' },
    faults: { type: 'string', default: '10' },
    /** Seconds that each attack lasts. */
    hostile: { type: 'string', default: '10' },
  },
});
const seed = wholeOption('seed', values.seed);
const dice = new Dice(seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${seed}`);

const cycles = wholeOption('cycles', values.cycles);
if (cycles > 0) {
  const report = await killCycles(cycles, dice, (done) => {
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
    for (let time = wholeOption('faults', values.faults); time > 0; time--)
      say(`${fault.name}: ${await fault.run(dice)}`);
  }
}

const attackSeconds = wholeOption('hostile', values.hostile);
if (attackSeconds > 0) {
  await hostility(attackSeconds, say);
  for (const { shared, medianNs } of keyTiming(seed)) {
    say(`a guess that shares ${shared} characters with a key is refused in ${medianNs} ns (median)`);
  }
}
