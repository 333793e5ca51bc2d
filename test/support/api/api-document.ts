/**
 * Compares answers with the API document: status, headers, body, and for a failure a code of its operation and
 * status.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { must } from '../../../engine/base/assert.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { BASES } from '../../../http/api/endpoint.js';
import { apiDocument } from '../../../http/api/endpoints.js';

type HeaderObject = Readonly<{ $ref?: string; required?: boolean }>;
interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema: object; readonly examples?: Readonly<Record<string, { value?: unknown }>> }
    >
  >;
}
interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security?: readonly object[];
  readonly 'x-extension'?: boolean;
  readonly 'x-role'?: string;
}
interface SchemaObject {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
interface DocumentObject {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers?: Readonly<Record<string, HeaderObject>>;
    readonly schemas: Readonly<Record<string, SchemaObject>>;
  };
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WRONG_METHOD = 405;

interface Described {
  readonly validate: ValidateFunction | null;
  readonly headers: ReadonlyMap<string, HeaderObject>;
}

export class ApiDocument {
  readonly document: DocumentObject;
  readonly #ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': DATE_TIME } });
  readonly #described = new Map<string, Described>();
  /** Checked so far, such as `GET /markets 200`, or `POST /orders 409 odds_changed`. */
  readonly seen = new Set<string>();

  constructor(
    document: object = apiDocument(defaultRules('')),
    private readonly bases: readonly string[] = BASES,
  ) {
    this.document = JSON.parse(JSON.stringify(document));
    this.#ajv.addVocabulary(['components', 'example', 'x-extension']);
    this.#ajv.addSchema({ $id: 'tote', components: this.document.components });
  }

  /** null if nothing is wrong, or the document does not know the path. `names` of headers are in lower case. */
  fault(method: string, path: string, status: number, names: Iterable<string>, text: string): string | null {
    const template = this.#templateOf(path);
    if (template === null || method === 'OPTIONS') return null;
    const operation = this.#operation(template, method);
    const name = `${method} ${template} ${status}`;
    const described = this.#describe(operation, status);
    if (described === null) return `${name} is not documented`;
    const { validate, headers } = described;
    if (method !== 'HEAD' && validate !== null && !validate(JSON.parse(text))) {
      return `${name}: ${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 400)}`;
    }
    const present = new Set(names);
    for (const [header, { required }] of headers)
      if (required === true && !present.has(header)) return `${name} has no ${header}`;
    for (const header of operation === undefined ? [] : this.#headersOf(this.document.components).keys())
      if (present.has(header) && !headers.has(header)) return `${name} has ${header}: it is not documented`;
    this.seen.add(name);
    const [, code] = /"error":"(\w+)/.exec(status < 400 ? '' : text) ?? [];
    if (code !== undefined) this.seen.add(`${name} ${code}`);
    return null;
  }

  /** Named as `GET /markets`. */
  operations(): [name: string, operation: OperationObject][] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, OperationObject] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  }

  response(operation: OperationObject, status: number | string): ResponseObject | undefined {
    const response = operation.responses[status];
    const name = response?.$ref?.split('/').at(-1);
    return name === undefined ? response : must(this.document.components.responses[name], name);
  }

  compile(schema: object): ValidateFunction {
    return this.#ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"tote#/components/')),
    );
  }

  #templateOf(path: string): string | null {
    const base = this.bases.find((start) => path.startsWith(`${start}/`));
    if (base === undefined) return null;
    const given = path.slice(base.length).split('/');
    const templates = Object.keys(this.document.paths);
    if (templates.includes(given.join('/'))) return given.join('/');
    const fitsPart = (part: string, at: number): boolean =>
      part.startsWith('{') ? given[at] !== '' : part === given[at];
    const fits = (template: string): boolean => {
      const parts = template.split('/');
      return parts.length === given.length && parts.every(fitsPart);
    };
    return templates.find(fits) ?? null;
  }

  /** undefined for a method that the path does not offer. */
  #operation(template: string, method: string): OperationObject | undefined {
    return this.document.paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  #describe(operation: OperationObject | undefined, status: number): Described | null {
    const key = `${operation?.operationId} ${status}`;
    const known = this.#described.get(key);
    if (known !== undefined) return known;
    const response = operation === undefined ? undefinedMethod(status) : this.response(operation, status);
    if (response === undefined) return null;
    const schema = response.content?.['application/json']?.schema;
    const validate = schema === undefined ? null : this.compile(schema);
    const described = { validate, headers: this.#headersOf(response) };
    this.#described.set(key, described);
    return described;
  }

  #headersOf({ headers = {} }: Pick<ResponseObject, 'headers'>): ReadonlyMap<string, HeaderObject> {
    const shared = this.document.components.headers ?? {};
    const resolve = (header: HeaderObject) => shared[header.$ref?.split('/').at(-1) ?? ''] ?? header;
    return new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), resolve(header)]));
  }
}

/** Any path may answer so to a method of its own invention; `info.description` tells of it. */
function undefinedMethod(status: number): ResponseObject | undefined {
  const schema = { $ref: '#/components/schemas/Failure' };
  const failure: ResponseObject = { content: { 'application/json': { schema } } };
  if (status === WRONG_METHOD) return { ...failure, headers: { Allow: { required: true } } };
  return [400, 408, 413, 429].includes(status) ? failure : undefined;
}
