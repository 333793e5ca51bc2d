/**
 * Writes the examples of the API document anew, each on a line, from the answers of the real handlers:
 *
 *     node dist/test/http/openapi/examples-generate.js
 */
import { writeFileSync } from 'node:fs';
import { exampleAnswers } from './example-answers.js';

const lines = (examples: object): string =>
  Object.entries(examples)
    .map(([name, example]) => `${JSON.stringify(name)}: ${JSON.stringify(example)}`)
    .join(',\n');
const { successes, failures } = exampleAnswers();
/** In the sources: from the compiled file, three folders below the build folder. */
const file = new URL('../../../../http/openapi/generated/examples.json', import.meta.url);
writeFileSync(file, `{"successes": {\n${lines(successes)}\n}, "failures": {\n${lines(failures)}\n}}\n`);
