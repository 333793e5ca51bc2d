/**
 * Writes the examples of the API document anew, from the answers of the real handlers:
 *
 *     node dist/test/http/openapi/examples-generate.js && npm run format
 */
import { writeFileSync } from 'node:fs';
import { exampleAnswers } from './example-answers.js';

const head = (imports: string): string => `/**
 * Answers of a server with the default rules, shown as examples in the API document. Written by
 * \`test/http/openapi/examples-generate.ts\`; a test holds them equal to what the handlers answer.
 */
import type ${imports}
`;

const { successes, failures } = exampleAnswers();
/** In the sources: from the compiled file, three folders below the build folder. */
function write(name: string, text: string): void {
  writeFileSync(new URL(`../../../../http/openapi/${name}`, import.meta.url), text);
}

const satisfied = 'as const satisfies Readonly<Record<string, Json>>';

write(
  'examples.ts',
  `${head("{ Json } from './schemas.js';")}
/** \`data\` of successes: markets, rounds, and the service itself. */
export const EXAMPLES = ${JSON.stringify(successes.common)} ${satisfied};
`,
);
write(
  'account-examples.ts',
  `${head("{ Json } from './schemas.js';")}
/** \`data\` of successes: an account, its bets and its orders. */
export const ACCOUNT_EXAMPLES = ${JSON.stringify(successes.ofAccount)} ${satisfied};
`,
);
write(
  'limit-examples.ts',
  `${head("{ Json } from './schemas.js';")}
/** \`data\` of successes: limit orders. */
export const LIMIT_EXAMPLES = ${JSON.stringify(successes.limits)} ${satisfied};
`,
);
write(
  'proof-examples.ts',
  `/**
 * Proofs, shown as examples in the API document. Written by \`test/http/openapi/examples-generate.ts\`; a test holds them
 * equal to what the handlers answer.
 */
import type { Json } from './schemas.js';

/** \`data\` of successes. */
export const PROOF_EXAMPLES = ${JSON.stringify(successes.proofs)} ${satisfied};
`,
);
write(
  'past-examples.ts',
  `/**
 * Pages of the past, shown as examples in the API document. Written by \`test/http/openapi/examples-generate.ts\`; a test
 * holds them equal to what the handlers answer.
 */

/** Bodies without \`success\`. */
export const PAST_EXAMPLES = ${JSON.stringify(successes.past)} as const;
`,
);
write(
  'example-failures.ts',
  `${head("{ FailureName } from './failures.js';")}
/** \`error\` of failures, by the name of their response. */
export const EXAMPLE_FAILURES: Readonly<Record<FailureName, readonly string[]>> = ${JSON.stringify(failures)};
`,
);
