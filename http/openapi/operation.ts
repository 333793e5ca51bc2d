/** The description of an endpoint, and its part of the API document. */
import { type Scope, scopesMask, WRITE_SCOPES_MASK } from '../../engine/model/domain.js';
import type { Rules } from '../../engine/model/rules.js';
import type { Routed } from '../kit/router.js';
import { failureRefs } from './common.js';
import { ANY_REQUEST_FAILURES, type FailureName } from './failures.js';
import type { JsonObject } from './schemas.js';

export interface Description {
  readonly operationId: string;
  readonly tag: 'Markets' | 'Orders' | 'Service';
  readonly summary: string;
  /** Follows the sentence on the scope. Names in braces stand for values of the rules (`fillInRules`). */
  readonly text?: string;
  /** Goes beyond the first API of six endpoints. */
  readonly isExtension?: boolean;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  /** Built by `okResponse`. */
  readonly success: JsonObject;
  /** Besides those of any request with a key. */
  readonly failures: readonly FailureName[];
}

export interface Documented extends Routed {
  readonly scope: Scope;
  readonly describe: (rules: Rules) => Description;
}

const mayWrite = (scope: Scope): boolean => (scopesMask([scope]) & WRITE_SCOPES_MASK) !== 0;

export function failuresOf({ scope, describe }: Documented, rules: Rules): readonly FailureName[] {
  const forbidden = mayWrite(scope) ? 'OrderForbidden' : 'Forbidden';
  return [...describe(rules).failures, 'Unauthorized', forbidden, ...ANY_REQUEST_FAILURES];
}

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
