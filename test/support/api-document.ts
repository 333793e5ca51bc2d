/**
 * Whether an answer is one that the API document describes: its status, its headers, its body, and of a failure the
 * code, which must be among those of its operation and status.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { HeaderList } from '../../engine/model/ports.js';
import { openApiDocument } from '../../http/openapi/document.js';
import { check } from '../simulation/violation.js';

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseObject>> }>>>
  >;
  readonly components: { readonly responses: Readonly<Record<string, ResponseObject>> };
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const BASE = /^\/(api\/)?v1/;

interface Described {
  /** null where no body is described. */
  readonly validate: ValidateFunction | null;
  readonly headers: readonly string[];
}

export class ApiDocument {
  readonly #document: Document = JSON.parse(JSON.stringify(openApiDocument()));
  readonly #ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': DATE_TIME } });
  readonly #described = new Map<string, Described>();

  constructor() {
    this.#ajv.addVocabulary(['components', 'example']);
    this.#ajv.addSchema({
      $id: 'tote',
      components: JSON.parse(JSON.stringify(openApiDocument()['components'])),
    });
  }

  /** Holds the reply to a request against the document; paths that it does not know are left alone. */
  check(method: string, path: string, status: number, headers: HeaderList, text: string): void {
    const template = this.#templateOf(path);
    if (template === null) return;
    const described = this.#describe(template, method, status);
    const name = `${method} ${template} ${status}`;
    if (described.validate !== null) {
      const isValid = described.validate(JSON.parse(text));
      check(
        isValid,
        'API document',
        () => `${name}: ${this.#ajv.errorsText(described.validate?.errors)} in ${text.slice(0, 400)}`,
      );
    }
    const present = new Set(headers.filter((_, i) => i % 2 === 0).map((header) => header.toLowerCase()));
    for (const header of described.headers)
      check(present.has(header), 'API document', () => `${name} has no ${header}`);
  }

  #templateOf(path: string): string | null {
    const rest = path.replace(BASE, '');
    if (rest === path) return null;
    const template = rest.replace(/^\/(markets|rounds)\/[^/]+$/, '/$1/{id}');
    return this.#document.paths[template] === undefined ? null : template;
  }

  #describe(template: string, method: string, status: number): Described {
    const key = `${method} ${template} ${status}`;
    const known = this.#described.get(key);
    if (known !== undefined) return known;
    const described = this.#compile(this.#responseOf(template, method, status), key);
    this.#described.set(key, described);
    return described;
  }

  /** A method that a path does not offer answers by what is described for all of them. */
  #responseOf(template: string, method: string, status: number): ResponseObject {
    const path = this.#document.paths[template];
    const operation = path?.[method.toLowerCase()] ?? path?.['get'];
    const response = operation?.responses[status] ?? operation?.responses['default'];
    const name = response?.$ref?.split('/').at(-1);
    const resolved = name === undefined ? response : this.#document.components.responses[name];
    check(resolved !== undefined, 'API document', () => `${method} ${template} ${status} is not documented`);
    return resolved;
  }

  #compile(response: ResponseObject, key: string): Described {
    const headers = Object.keys(response.headers ?? {})
      .map((header) => header.toLowerCase())
      .filter((header) => header !== 'x-idempotent-replay');
    const schema = response.content?.['application/json']?.schema;
    // The answer to HEAD and to OPTIONS has no body to look at.
    if (schema === undefined || key.startsWith('HEAD') || key.startsWith('OPTIONS'))
      return { validate: null, headers };
    const rooted: object = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components/', '"tote#/components/'),
    );
    return { validate: this.#ajv.compile(rooted), headers };
  }
}
