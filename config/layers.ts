/**
 * Rules in layers: the defaults, a file over them, and operators' changes on top. The two last are kept with the rules
 * in the journal (`RuleLayers`), so a later start knows what operators have changed and does not undo it.
 */
import type { RuleLayers, Rules } from '../engine/model/rules.js';
import { withOverrides } from './compose.js';
import type { RulesOverrides } from './overrides.js';

interface Layers extends RuleLayers {
  readonly file: RulesOverrides;
  readonly operator: RulesOverrides;
}

/** Layers have been checked before they were kept. */
export const layersOf = (rules: Rules | null): Layers =>
  (rules?.layers as Layers | undefined) ?? { file: {}, operator: {} };

export function layeredRules(masterSecretFingerprint: string, layers: Layers): Rules {
  const { file, operator } = layers;
  const rules = withOverrides(masterSecretFingerprint, file, operator);
  const isDefault = Object.keys(file).length === 0 && Object.keys(operator).length === 0;
  return isDefault ? rules : { ...rules, layers };
}
