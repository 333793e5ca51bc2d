/** What an endpoint says of itself for the API document, and its part of the document. */
import { type Scope, scopesMask, WRITE_SCOPES_MASK } from '../../engine/model/domain.js';
import type { Rules } from '../../engine/model/rules.js';
import type { Routed } from '../kit/router.js';
import { failureRefs } from './common.js';
import { ANY_REQUEST_FAILURES, type FailureName } from './failures.js';
import type { JsonObject } from './schemas.js';

export interface Description {
  /** What generated clients call it. */
  readonly operationId: string;
  readonly tag: 'Markets' | 'Orders';
  readonly summary: string;
  /** What comes after the sentence on the scope. Words in braces are those of the rules (`inWords`). */
  readonly text?: string;
  /** Goes beyond the specification. */
  readonly isExtension?: boolean;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  /** By `okResponse`. */
  readonly success: JsonObject;
  /** What it may refuse, besides what any request with a key may be refused for. */
  readonly failures: readonly FailureName[];
}

export interface Documented extends Routed {
  /** What the key must have. */
  readonly scope: Scope;
  /** For the API document under these rules. */
  readonly describe: (rules: Rules) => Description;
}

const mayWrite = (scope: Scope): boolean => (scopesMask([scope]) & WRITE_SCOPES_MASK) !== 0;

/** All that the operation may refuse: one kind for each status. */
export function failuresOf({ scope, describe }: Documented, rules: Rules): readonly FailureName[] {
  const forbidden = mayWrite(scope) ? 'OrderForbidden' : 'Forbidden';
  return [...describe(rules).failures, 'Unauthorized', forbidden, ...ANY_REQUEST_FAILURES];
}

/** The operation object of OpenAPI. */
export function operationObject(endpoint: Documented, rules: Rules): JsonObject {
  const { scope } = endpoint;
  const { operationId, tag, summary, text, isExtension, parameters, requestBody, success } =
    endpoint.describe(rules);
  const needs = `Scope \`${scope}\`${mayWrite(scope) ? ', which needs Silver tier or higher' : ''}.`;
  return {
    operationId,
    tags: [tag],
    summary,
    description: text === undefined ? needs : `${needs} ${text}`,
    ...(isExtension === true && { 'x-extension': true }),
    ...(parameters !== undefined && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: { ...success, ...failureRefs(failuresOf(endpoint, rules)) },
  };
}
