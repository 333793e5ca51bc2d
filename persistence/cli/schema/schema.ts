/** `tote schema`: the JSON Schema of what a command prints with `--json`. */
import { Argument } from 'commander';
import { defineFreeCommand } from '../frame/command.js';
import { EXIT, UsageError } from '../frame/exit-codes.js';

export const schemaCommand = defineFreeCommand({
  name: 'schema',
  summary: 'print the JSON Schema of what a command prints with --json',
  details:
    'JSON Schema 2020-12. "failure" is what any command prints with --json where it fails. The schema of "replay" is that ' +
    'of each line. A later version may add members; those that are there stay what they are.',
  examples: [
    ['schema account', 'the shape of "npx tote account acc_7 --json"'],
    ['schema failure', 'the shape of {"error": ...}'],
  ],
  operands: [new Argument('<COMMAND>', 'the name of a command, or "failure"')],
  run: async (out, _, [name = '']) => {
    // Imported here, because the schemas and their library would slow down the start of every other command.
    const { jsonSchema, SCHEMA_NAMES } = await import('./schemas.js');
    const schema = jsonSchema(name);
    if (schema === null) {
      throw new UsageError(`There is no schema "${name}". There are: ${SCHEMA_NAMES.join(', ')}.`);
    }
    out.document(schema);
    return EXIT.done;
  },
});
