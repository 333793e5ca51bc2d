/** The order that the API document suggests. The server nearly always accepts it unchanged. */
import { ASSETS, assetClassOf, assetOf, marketOf, textAt, timeFrameMs } from '../../engine/model/domain.js';
import type { MarketRules, Rules } from '../../engine/model/rules.js';
import type { JsonObject } from './schemas.js';

const AMOUNT_CENTS = 10_00;
const DEFAULT_MARKET = 'BTC_ONE_DAY';

/** The market whose rounds take bets for longest, preferably one that never closes. */
function suggested({ markets }: Rules): MarketRules | undefined {
  const reach = ({ marketId }: MarketRules): number => {
    const market = marketOf(marketId);
    const isAlwaysOpen = assetClassOf(textAt(ASSETS, assetOf(market))) === 'CRYPTO';
    return timeFrameMs(market) * (isAlwaysOpen ? 1_000 : 1);
  };
  return markets.toSorted((a, b) => reach(b) - reach(a))[0];
}

export const suggestedMarket = (rules: Rules): string => suggested(rules)?.marketId ?? DEFAULT_MARKET;

/** The first example has no guard, because the odds are not known here. */
export function orderExamples(rules: Rules): JsonObject {
  const order = plainOrder(rules);
  return {
    plain: { summary: 'At the odds as they are', value: order },
    guarded: {
      summary: 'Only near the percent that you saw, and with a seed of your own',
      value: { ...order, expectedPercent: 50, clientSeed: 'my seed' },
    },
  };
}

export function quoteExamples(rules: Rules): JsonObject {
  const inParts = { ...plainOrder(rules, 10), parts: 10 };
  return { ...orderExamples(rules), inParts: { summary: 'As one order, and as ten', value: inParts } };
}

function plainOrder(rules: Rules, times = 1): JsonObject {
  const { minStakeCents = AMOUNT_CENTS, maxStakeCents = AMOUNT_CENTS } = suggested(rules) ?? {};
  const amount = (times * Math.min(Math.max(AMOUNT_CENTS, minStakeCents), maxStakeCents)) / 100;
  return { marketId: suggestedMarket(rules), prediction: 'UP', amount };
}
