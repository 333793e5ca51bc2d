/** `npm run fuzz -- --seed 1 --requests 1000000`: sends requests to a server of its own, and counts the answers. */
import { optionsOf, seededProgram, wholeNumber } from '../support/seeded-program.js';
import { fuzz } from './fuzz.js';

const { seed, requests, lanes, rawPercent } = optionsOf<{
  requests: number;
  lanes: number;
  rawPercent: number;
}>(
  seededProgram('fuzz', 'sends requests to a server of its own, and counts the answers')
    .option('--requests <n>', 'how many', wholeNumber, 1_000_000)
    .option('--lanes <n>', 'connections at once', wholeNumber, 32)
    .option('--raw-percent <n>', 'how many of them are broken below HTTP', wholeNumber, 15),
);
const startMs = performance.now();
const onProgress = (done: number): void => void process.stderr.write(`${done} requests\n`);
const report = await fuzz({ seed, requests, lanes, rawShare: rawPercent / 100, onProgress });
const seconds = (performance.now() - startMs) / 1_000;
for (const [label, count] of [...report.labels].sort(([, a], [, b]) => b - a)) {
  process.stdout.write(`${String(count).padStart(9)}  ${label}\n`);
}
process.stdout.write(
  `${report.requests} requests in ${seconds.toFixed(0)} s, ${report.placed} orders placed: no promise was broken\n`,
);
