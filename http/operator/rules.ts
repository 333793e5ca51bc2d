/**
 * Endpoints of the rules: what is in force, and changes at run time. A change is previewed first; its tag then stands for what
 * was previewed, so that nothing else is put in force.
 */
import { createHash } from 'node:crypto';
import typia, { type tags } from 'typia';
import { contradictions } from '../../config/compose.js';
import { layeredRules, layersOf, merged, overridesOf, valuesOf } from '../../config/layers.js';
import { checkOverrides } from '../../config/overrides.js';
import { differenceOf, type RulesDifference } from '../../config/preview.js';
import type { Rules } from '../../engine/model/rules.js';
import { Refusal, refuseInvalid } from '../kit/refused.js';
import { PREVIEW_OUTDATED } from './desk/commands.js';
import { type Answer, answer, type Call, type Endpoint, type Reasoned, type Services } from './endpoint.js';
import { type RulesResource, rulesResource } from './resources/rules.js';

interface RulesPatchBody extends Reasoned {
  /** In the form of the rules file; null gives a value back to the file, or to the default. */
  readonly changes: { readonly [name: string]: unknown };
  /** Shows what would change, and changes nothing. */
  readonly dryRun?: boolean;
  /** That of a preview of these changes. */
  readonly tag?: string & tags.MaxLength<100>;
}
interface RulesChange extends RulesDifference {
  /** false for a preview. */
  readonly applied: boolean;
  /** To be sent with the same changes to put them in force. */
  readonly tag: string;
}

const validatePatch = typia.createValidateEquals<RulesPatchBody>();
const TAG_LENGTH = 22;

export const RULES_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/rules',
    role: 'read',
    id: 'getRules',
    tag: 'Rules',
    summary: 'The rules in force, and where each is from',
    query: [],
    schemas: typia.json.schemas<[RulesResource], '3.1'>(),
    handle: async ({ engine }) => {
      const { rules, rulesVersion } = await engine.ask('rules', {});
      return answer(200, rulesResource(rules, rulesVersion));
    },
  },
  {
    method: 'PATCH',
    path: '/rules',
    role: 'admin',
    id: 'changeRules',
    tag: 'Rules',
    summary: 'Preview other rules, then put them in force for rounds that open from then on',
    text: 'First with `dryRun`, then with the `tag` of that answer.',
    schemas: typia.json.schemas<[RulesChange, RulesPatchBody], '3.1'>(),
    codes: ['preview_outdated'],
    handle: change,
  },
];

async function change({ engine }: Services, call: Call): Promise<Answer> {
  const { changes, dryRun = false, tag } = call.body(validatePatch);
  if (dryRun === (tag !== undefined))
    refuseInvalid('dryRun or the tag of a preview is expected: "dryRun": true shows what would change');
  const { rules: before, timeMs } = await engine.ask('rules', {});
  const after = changedRules(before, changes, timeMs);
  const shown: RulesChange = { applied: !dryRun, tag: tagOf(before, after), ...differenceOf(before, after) };
  if (dryRun) return answer(200, shown);
  if (tag !== shown.tag) throw new Refusal(PREVIEW_OUTDATED);
  await engine.ask('configure', { before: JSON.stringify(before), rules: after, by: call.by });
  return answer(200, shown);
}

/** The rules with these changes on top of those that operators have made before. */
function changedRules(before: Rules, changes: RulesPatchBody['changes'], nowMs: number): Rules {
  const { file, changes: known } = layersOf(before);
  const { tree, mistakes } = merged(overridesOf(known), changes);
  if (mistakes.length > 0) return refuseInvalid(mistakes.join('; '));
  const checked = checkOverrides(tree);
  if (!checked.success) return refuseInvalid(checked.mistakes.join('; '));
  const layers = { file, changes: valuesOf(checked.overrides, known, nowMs) };
  const after = layeredRules(before.masterSecretFingerprint, layers);
  const wrong = contradictions(after);
  if (wrong.length > 0) return refuseInvalid(wrong.join('; '));
  return namesAndValues(before) === namesAndValues(after) ? refuseInvalid('nothing would change') : after;
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
