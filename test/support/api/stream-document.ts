/** The AsyncAPI document as a validator: whether a message has the form that it promises. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { asyncApiDocument } from '../../../http/asyncapi/document.js';

interface Payload {
  readonly properties?: {
    readonly type?: { readonly const?: string };
    readonly op?: { readonly const?: string };
  };
}
interface Shape {
  readonly operations: Readonly<Record<string, { readonly messages: readonly { readonly $ref: string }[] }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: { readonly $ref: string } }>>;
    readonly schemas: Readonly<Record<string, Payload>>;
  };
}

export class StreamDocument {
  readonly document = asyncApiDocument(defaultRules('')) as unknown as Shape;
  readonly sent: ReadonlyMap<string, ValidateFunction>;
  readonly taken: ReadonlyMap<string, ValidateFunction>;

  constructor() {
    const formats = { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ };
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats });
    ajv.addSchema(this.document, 'stream');
    const validators = (operation: string, field: 'type' | 'op'): Map<string, ValidateFunction> =>
      new Map(
        (this.document.operations[operation]?.messages ?? []).map(({ $ref }) => {
          const message = this.document.components.messages[lastPart($ref)];
          const schema = lastPart(message?.payload.$ref ?? '');
          const name = this.document.components.schemas[schema]?.properties?.[field]?.const;
          assert.ok(name !== undefined, `${schema} names its ${field}`);
          return [name, ajv.compile({ $ref: `stream#/components/schemas/${schema}` })];
        }),
      );
    this.sent = validators('sendMessages', 'type');
    this.taken = validators('takeRequests', 'op');
  }

  checkSent(message: { readonly type: string }): void {
    check(this.sent.get(message.type), message);
  }

  checkTaken(message: { readonly op: string }): void {
    check(this.taken.get(message.op), message);
  }
}

function check(validate: ValidateFunction | undefined, message: unknown): void {
  assert.ok(validate !== undefined, `the document has ${JSON.stringify(message)}`);
  assert.ok(validate(message), `${JSON.stringify(message)} ${JSON.stringify(validate.errors)}`);
}

const lastPart = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);
