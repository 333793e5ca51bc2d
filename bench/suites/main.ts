/** A suite's process: `main.js NAME INPUT` runs it and prints its result as JSON, the only line on stdout. */
import { must } from '../../engine/base/assert.js';
import { runSuite, type SuiteInput } from './registry.js';

const [, , name, text] = process.argv;
const input: SuiteInput = JSON.parse(must(text, 'the input of the suite'));
process.stdout.write(`${JSON.stringify(await runSuite(must(name, 'the name of a suite'), input))}\n`);
