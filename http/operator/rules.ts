/**
 * Operator routes for the rules: what is in force, and changes at run time. A change is previewed first; its tag then stands
 * for what was previewed, so that nothing else is put in force.
 */
import { createHash } from 'node:crypto';
import typia, { type tags } from 'typia';
import { contradictions } from '../../config/compose.js';
import { layeredRules, layersOf, merged, overridesOf, valuesOf } from '../../config/layers.js';
import { checkOverrides } from '../../config/overrides.js';
import { differenceOf, type RulesDifference } from '../../config/preview.js';
import type { Rules } from '../../engine/model/rules.js';
import { readBody } from '../kit/body.js';
import { parseQuery } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import { type Asking, answer, asking, type Call, type Reasoned, type Route } from './call.js';
import { PREVIEW_OUTDATED } from './desk/control.js';
import { rulesResource } from './resources/rules.js';

export interface RulesPatchBody extends Reasoned {
  /** In the form of the rules file; null gives a value back to the file, or to the default. */
  readonly changes: { readonly [name: string]: unknown };
  /** Shows what would change, and changes nothing. */
  readonly dryRun?: boolean;
  /** That of a preview of these changes. */
  readonly tag?: string & tags.MaxLength<100>;
}

const validatePatch = typia.createValidateEquals<RulesPatchBody>();
const TAG_LENGTH = 22;

export const rulesRoutes: readonly Route[] = [
  { method: 'GET', path: '/rules', role: 'read', handle: show },
  { method: 'PATCH', path: '/rules', role: 'admin', handle: patch },
];

function show({ request }: Call): Asking | Refused {
  const given = parseQuery(request.query, []);
  if (given instanceof Refused) return given;
  return asking('rules', {}, ({ rules, rulesVersion }) => answer(200, rulesResource(rules, rulesVersion)));
}

function patch({ request }: Call): Asking | Refused {
  const body = readBody(request, validatePatch);
  if (body instanceof Refused) return body;
  const { changes, dryRun = false, tag } = body;
  if (dryRun === (tag !== undefined))
    return invalid('dryRun or the tag of a preview is expected: "dryRun": true shows what would change');
  return asking('rules', {}, ({ rules: before, timeMs }) => {
    const after = changedRules(before, changes, timeMs);
    if (after instanceof Refused) return after;
    const difference = differenceOf(before, after);
    const current = tagOf(before, after);
    if (dryRun) return answer(200, { applied: false, tag: current, ...difference });
    if (tag !== current) return PREVIEW_OUTDATED;
    return apply(before, after, difference, current);
  });
}

const apply = (before: Rules, after: Rules, difference: RulesDifference, tag: string): Asking =>
  asking('configure', { before: JSON.stringify(before), rules: after }, () =>
    answer(200, { applied: true, tag, ...difference }),
  );

/** The rules with these changes on top of those that operators have made before. */
function changedRules(before: Rules, changes: RulesPatchBody['changes'], nowMs: number): Rules | Refused {
  const { file, changes: known } = layersOf(before);
  const { tree, mistakes } = merged(overridesOf(known), changes);
  if (mistakes.length > 0) return invalid(mistakes.join('; '));
  const checked = checkOverrides(tree);
  if (!checked.success) return invalid(checked.mistakes.join('; '));
  const layers = { file, changes: valuesOf(checked.overrides, known, nowMs) };
  const after = layeredRules(before.masterSecretFingerprint, layers);
  const wrong = contradictions(after);
  if (wrong.length > 0) return invalid(wrong.join('; '));
  return namesAndValues(before) === namesAndValues(after) ? invalid('nothing would change') : after;
}

/** Of what is in force now, and of what would be. When it came into force is no part of it. */
const tagOf = (before: Rules, after: Rules): string =>
  createHash('sha256')
    .update(JSON.stringify(before))
    .update(namesAndValues(after))
    .digest('base64url')
    .slice(0, TAG_LENGTH);

function namesAndValues(rules: Rules): string {
  const { layers: _layers, ...values } = rules;
  const { changes } = layersOf(rules);
  return JSON.stringify([values, changes.map(({ name, value }) => [name, value])]);
}
