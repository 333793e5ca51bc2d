/** The house's rules in tests: its seeds stay where they are, for round figures, unless a test is about quotes. */
import { fileURLToPath } from 'node:url';
import type { HouseRules, Rules } from '../../../engine/model/rules.js';

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

export const withHouse = (rules: Rules, house: HouseRules): Rules => ({
  ...rules,
  markets: rules.markets.map((market) => ({ ...market, house })),
});
