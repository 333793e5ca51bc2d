/**
 * The house's rules in tests. Most tests are about something else and have the house keep its seeds where they are, which
 * makes round figures; those about quotes say so.
 */
import { fileURLToPath } from 'node:url';
import type { HouseRules, Rules } from '../../../engine/model/rules.js';

/** A rules file that says so. */
export const FIXED_SEEDS_FILE = fileURLToPath(
  new URL('../../../../test/support/engine/fixed-seeds.json', import.meta.url),
);

export const fixedHouse = (seedCents = 1_000_00): HouseRules => ({
  policy: 'fixed',
  seedCents,
  shadeE6: 0,
  clampE6: 0,
});

export const fairHouse = (change: Partial<HouseRules> = {}): HouseRules => ({
  policy: 'fair',
  seedCents: 1_000_00,
  shadeE6: 600_000,
  clampE6: 20_000,
  ...change,
});

/** The same rules with this house in every market. */
export const withHouse = (rules: Rules, house: HouseRules): Rules => ({
  ...rules,
  markets: rules.markets.map((market) => ({ ...market, house })),
});
