/**
 * Writes the client's types anew, from this version's API and stream:
 *
 *     npm run client-types
 */
import { writeFileSync } from 'node:fs';
import { generatedTypes } from './generated-types.js';

for (const { path, text } of await generatedTypes()) writeFileSync(path, text);
