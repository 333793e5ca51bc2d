/**
 * Endpoints of the rules: those in force, and the overrides of operators above the defaults and the rules file, as one
 * document. A dry run shows the changes by another document, which is put in force only while the rules are those that
 * were seen.
 */
import typia from 'typia';
import { contradictions, layeredRules, layersOf } from '../../config/compose.js';
import { checkOverrides, type RulesOverrides } from '../../config/overrides.js';
import { differenceOf, type RulesDifference } from '../../config/preview.js';
import type { Rules, TierRules } from '../../engine/model/rules.js';
import { refuseInvalid } from '../kit/refused.js';
import { type Answer, answer, type Call, type Declared, type Reasoned, type Services } from './endpoint.js';
import { OUTDATED } from './queries/commands.js';

interface RulesBody extends Reasoned {
  /** In the form of the rules file; it takes the place of all that operators have changed before. */
  readonly overrides: { readonly [name: string]: unknown };
  /** Shows what would change, and changes nothing. */
  readonly dryRun?: boolean;
}
export interface RulesChange extends RulesDifference {
  /** false for a dry run. */
  readonly applied: boolean;
  /** The number of a command: no later one has changed the rules. It is the answer's ETag. */
  readonly sequence: number;
}

const validateRules = typia.createValidateEquals<RulesBody>();

export const RULES_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/rules',
    id: 'getRules',
    summary: 'The rules in force, and what of them is from the file and from operators',
    parameters: [],
    schemas: typia.json.schemas<[RulesResource], '3.1'>(),
    handle: async ({ engine }) => {
      const { rules, rulesVersion, seq } = await engine.ask('rules', {});
      return answer(200, rulesResource(rules, rulesVersion, seq), tagOf(seq));
    },
  },
  {
    method: 'PUT',
    path: '/rules',
    role: 'admin',
    id: 'replaceRules',
    summary: 'Replace what operators have changed, for rounds that become UPCOMING from then on',
    text: 'With `If-Match`, the `ETag` of the rules that were seen. A `dryRun` needs none, and changes nothing.',
    parameters: ['ifMatch'],
    schemas: typia.json.schemas<[RulesChange, RulesBody], '3.1'>(),
    codes: ['preview_outdated'],
    handle: replace,
  },
];

const tagOf = (seq: number): readonly string[] => ['ETag', `"${seq}"`];

async function replace({ engine }: Services, call: Call): Promise<Answer> {
  const { overrides, dryRun = false } = call.body(validateRules);
  const { ifMatch = '' } = call.request.browser ?? {};
  const seen = /^"(\d{1,15})"$/.exec(ifMatch)?.[1];
  if (!dryRun && seen === undefined) refuseInvalid('If-Match is expected: the ETag of GET /rules');
  const { rules: before, seq } = await engine.ask('rules', {});
  if (seen !== undefined && seen !== `${seq}`) throw OUTDATED;
  const rules = replacedRules(before, overrides);
  const difference = differenceOf(before, rules);
  if (dryRun) return answer(200, { applied: false, sequence: seq, ...difference }, tagOf(seq));
  const sequence = await engine.ask('configure', { rules, seq, by: call.by });
  return answer(200, { applied: true, sequence, ...difference } satisfies RulesChange, tagOf(sequence));
}

function replacedRules(before: Rules, overrides: RulesBody['overrides']): Rules {
  const checked = checkOverrides(overrides);
  if (!checked.success) return refuseInvalid(checked.mistakes.join('; '));
  const { file, operator } = layersOf(before);
  if (JSON.stringify(operator) === JSON.stringify(checked.overrides)) refuseInvalid('nothing would change');
  const after = layeredRules(before.masterSecretFingerprint, { file, operator: checked.overrides });
  const wrong = contradictions(after);
  return wrong.length > 0 ? refuseInvalid(wrong.join('; ')) : after;
}

/** `limits` has every active market. */
interface RulesInForce extends Omit<Rules, 'markets' | 'tiers' | 'layers' | 'masterSecretFingerprint'> {
  readonly markets: readonly string[];
  readonly tiers: Readonly<Record<string, Omit<TierRules, 'tier'>>>;
  readonly limits: Readonly<Record<string, Omit<Rules['markets'][number], 'marketId'>>>;
}

export interface RulesResource {
  readonly rulesVersion: number;
  /** The number of a command: no later one has changed the rules. It is the answer's ETag. */
  readonly sequence: number;
  readonly rules: RulesInForce;
  /** The rules file's values, if rules are from a file. */
  readonly file: RulesOverrides;
  /** Values that operators have put on top of that. */
  readonly overrides: RulesOverrides;
}

function rulesResource(inForce: Rules, rulesVersion: number, sequence: number): RulesResource {
  const { markets, tiers, layers: _layers, masterSecretFingerprint: _secret, ...plain } = inForce;
  const { file, operator } = layersOf(inForce);
  const rules: RulesInForce = {
    markets: markets.map(({ marketId }) => marketId),
    ...plain,
    tiers: Object.fromEntries(tiers.map(({ tier, ...own }) => [tier, own])),
    limits: Object.fromEntries(markets.map(({ marketId, ...own }) => [marketId, own])),
  };
  return { rulesVersion, sequence, rules, file, overrides: operator };
}
