/**
 * Writes the client's types anew, from the document of this version's API:
 *
 *     npm run client-types
 */
import { writeFileSync } from 'node:fs';
import { GENERATED_TYPES, generatedTypes } from './generated-types.js';

writeFileSync(GENERATED_TYPES, await generatedTypes());
