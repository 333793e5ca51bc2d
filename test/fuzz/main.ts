/** `npm run fuzz -- --seed 1 --requests 1000000`: sends requests to a server of its own, and counts the answers. */
import { parseArgs } from 'node:util';
import { anySeed, integerOption } from '../support/integer-option.js';
import { fuzz } from './fuzz.js';

const HELP = `npm run fuzz -- [options]
  --seed N         the same requests again (default: others each time)
  --requests N     how many (1000000)
  --lanes N        connections at once (32)
  --raw-percent N  how many of them are broken below HTTP (15)
  --help`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: anySeed() },
    requests: { type: 'string', default: '1000000' },
    lanes: { type: 'string', default: '32' },
    'raw-percent': { type: 'string', default: '15' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const seed = integerOption('seed', values.seed);
const startMs = performance.now();
process.stdout.write(`seed ${seed}\n`);
const report = await fuzz({
  seed,
  requests: integerOption('requests', values.requests),
  lanes: integerOption('lanes', values.lanes),
  rawShare: integerOption('raw-percent', values['raw-percent']) / 100,
  onProgress: (done) => process.stderr.write(`${done} requests\n`),
});
const seconds = (performance.now() - startMs) / 1_000;
for (const [label, count] of [...report.labels].sort(([, a], [, b]) => b - a)) {
  process.stdout.write(`${String(count).padStart(9)}  ${label}\n`);
}
process.stdout.write(
  `${report.requests} requests in ${seconds.toFixed(0)} s, ${report.placed} orders placed: no promise was broken\n`,
);
