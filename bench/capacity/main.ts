/** `npm run capacity`: what an exchange of many cells takes, on paper. docs/capacity.md explains it. */
import { measured } from './measured.js';
import { readOptions, USAGE, UsageError } from './options.js';
import { planOf } from './plan.js';
import { planText } from './tables.js';

try {
  const given = readOptions(process.argv.slice(2), measured());
  process.stdout.write(given === null ? USAGE : `${planText(given, planOf(given))}\n`);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
