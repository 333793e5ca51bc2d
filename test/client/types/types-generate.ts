/** `npm run client-types`: writes the client's types anew, from this version's API and stream. */
import { writeFileSync } from 'node:fs';
import { generatedTypes } from './generated-types.js';

const { path, text } = await generatedTypes();
writeFileSync(path, text);
