/** The rules in force as the operator API shows them, in the form of the rules file. */
import { layersOf } from '../../../config/compose.js';
import type { RulesOverrides } from '../../../config/overrides.js';
import type { Rules, TierRules } from '../../../engine/model/rules.js';

/** `limits` has every active market. */
export interface RulesInForce
  extends Omit<Rules, 'markets' | 'tiers' | 'layers' | 'masterSecretFingerprint'> {
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

export function rulesResource(inForce: Rules, rulesVersion: number, sequence: number): RulesResource {
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
