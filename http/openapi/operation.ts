/** The description of an endpoint, and its part of the API document. */
import { type Scope, scopesMask, WRITE_SCOPES_MASK } from '../../engine/model/domain.js';
import type { Rules } from '../../engine/model/rules.js';
import type { Routed } from '../kit/router.js';
import { failureRefs } from './common.js';
import { ANY_REQUEST_FAILURES, type FailureName } from './failures.js';
import { type JsonObject, schemaRef } from './schemas.js';

/** An endpoint as the API document describes it. */
export interface Documented extends Routed {
  readonly scope: Scope;
  readonly operationId: string;
  readonly tag: 'Markets' | 'Orders' | 'Service';
  readonly summary: string;
  /** Follows the sentence on the scope. Names in braces stand for values of the rules (`fillInRules`). */
  readonly text?: string;
  /** All others go beyond the first API of six endpoints. */
  readonly isOfFirstApi?: true;
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly schema: string; readonly examples: (rules: Rules) => JsonObject };
  /** Built by `okResponse`. */
  readonly success: JsonObject;
  /** Besides those of any request with a key. */
  readonly failures: readonly FailureName[];
}

const mayWrite = (scope: Scope): boolean => (scopesMask([scope]) & WRITE_SCOPES_MASK) !== 0;

export function failuresOf({ scope, failures }: Documented): readonly FailureName[] {
  const forbidden = mayWrite(scope) ? 'OrderForbidden' : 'Forbidden';
  return [...failures, 'Unauthorized', forbidden, ...ANY_REQUEST_FAILURES];
}

export function operationObject(endpoint: Documented, rules: Rules): JsonObject {
  const { scope, operationId, tag, summary, text, isOfFirstApi, parameters, body, success } = endpoint;
  const needs = `Scope \`${scope}\`${mayWrite(scope) ? ', which needs Silver tier or higher' : ''}.`;
  return {
    operationId,
    tags: [tag],
    summary,
    description: text === undefined ? needs : `${needs} ${text}`,
    ...(isOfFirstApi !== true && { 'x-extension': true }),
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaRef(body.schema), examples: body.examples(rules) },
        },
      },
    }),
    responses: { ...success, ...failureRefs(failuresOf(endpoint)) },
  };
}
