/** A suite's process: `main.js NAME INPUT` prints the result as JSON, the only line on stdout. */
import { assert, must } from '../../engine/base/assert.js';
import { letHeapGrow } from '../../process/heap.js';
import { SUITES, type SuiteInput, type SuiteName } from './suites.js';

letHeapGrow();
const [, , given, text] = process.argv;
const isSuite = (name: string): name is SuiteName => Object.hasOwn(SUITES, name);
const name = must(given, 'the name of a suite');
assert(isSuite(name), `${name} is a suite`);
const input: SuiteInput = JSON.parse(must(text, 'the input of the suite'));
process.stdout.write(`${JSON.stringify(await SUITES[name](input))}\n`);
