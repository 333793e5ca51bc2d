/** `npm run fuzz -- --seed 1 --requests 1000000`: throws requests at a server of its own, and counts the answers. */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.js';

const whole = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: ${text} is no whole number`);
  return Number(text);
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '1000000' },
    lanes: { type: 'string', default: '32' },
    'raw-percent': { type: 'string', default: '15' },
  },
});
const seed = whole('seed', values.seed);
const startMs = performance.now();
process.stdout.write(`seed ${seed}\n`);
const report = await fuzz({
  seed,
  requests: whole('requests', values.requests),
  lanes: whole('lanes', values.lanes),
  rawShare: whole('raw-percent', values['raw-percent']) / 100,
  onProgress: (done) => process.stderr.write(`${done} requests\n`),
});
const seconds = (performance.now() - startMs) / 1_000;
for (const [label, count] of [...report.labels].sort(([, a], [, b]) => b - a)) {
  process.stdout.write(`${String(count).padStart(9)}  ${label}\n`);
}
process.stdout.write(
  `${report.requests} requests in ${seconds.toFixed(0)} s, ${report.placed} orders placed: no promise was broken\n`,
);
