/** The client's types, generated from the API document of the rules' defaults. */
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { defaultRules } from '../../engine/model/rules.js';
import { apiDocument } from '../../http/api/endpoints.js';

/** In the sources: from the compiled file, two folders below the build folder. */
export const GENERATED_TYPES = fileURLToPath(new URL('../../../client/generated/api.ts', import.meta.url));

const HEAD = `/**
 * The types of the public API, generated from its OpenAPI document by \`npm run client-types\`; a test holds them equal to
 * what that document says now.
 */
`;

export async function generatedTypes(): Promise<string> {
  // A copy, because the generator changes what it is given.
  const document = JSON.stringify(apiDocument(defaultRules('')));
  return HEAD + astToString(await openapiTS(document, { immutable: true }));
}
