/**
 * Writes the examples of the API document anew, from the answers of the real handlers:
 *
 *     node dist/test/http/openapi/examples-generate.js
 */
import { writeFileSync } from 'node:fs';
import { exampleAnswers } from './example-answers.js';

/** In the sources: from the compiled file, three folders below the build folder. */
const file = new URL('../../../../http/openapi/generated/examples.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(exampleAnswers(), null, 2)}\n`);
